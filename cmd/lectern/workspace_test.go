package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A workspaceSite asks a running hub for its workspaces over HTTP.
type workspaceSite struct {
	testing.TB
	url, token string
}

func startWorkspaces(t *testing.T, keys string) workspaceSite {
	t.Helper()
	port := freeTCPPort(t)
	home := newHomeWith(t, fmt.Sprintf("[hub]\nport = %d\n\n[[source]]\nname = \"ws\"\nkind = \"workspace\"\nwelcome = true\n%s", port, keys))
	cmd := exec.CommandContext(t.Context(), "lectern", "hub", "restart")
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	token, err := os.ReadFile(filepath.Join(home, "state", "client.token"))
	if err != nil {
		t.Fatal(err)
	}
	return workspaceSite{t, fmt.Sprintf("http://127.0.0.1:%d", port), strings.TrimSpace(string(token))}
}

// do makes a request; kind is the type of its body.
func (s workspaceSite) do(token, method, path, kind, body string) (int, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

func (s workspaceSite) expect(token, method, path, body string, status int, has string) {
	s.Helper()
	if code, said := s.do(token, method, path, "application/json", body); code != status || !strings.Contains(said, has) {
		s.Errorf("%s %s: %d %s, want %d with %s", method, path, code, said, status, has)
	}
}

// The REST API asks for a token on this machine too, writes by the tools of the
// source, and is at both of its paths.
func TestWorkspacesOverHTTP(t *testing.T) {
	s := startWorkspaces(t, "")
	s.expect("", "GET", "/workspaces", "", 401, "")
	s.expect(s.token+"x", "GET", "/workspaces/ws/notes", "", 401, "")
	s.expect(s.token, "GET", "/workspaces", "", 200, `"id":"ws"`)
	s.expect(s.token, "GET", "/sources/ws/ws/notes", "", 200, "weekly-sync")
	s.expect(s.token, "POST", "/workspaces/ws/notes", `{"id":"tea","markdown":"# Tea\n"}`, 201, `"id":"tea"`)
	s.expect(s.token, "POST", "/workspaces/ws/notes", `{"id":"tea","markdown":"# Tea\n"}`, 409, "detail")
	s.expect(s.token, "PUT", "/workspaces/ws/notes/tea", `{"markdown":"# Green\n","parent_revision_id":"old"}`, 409, `"markdown":"# Tea\n"`)
	s.expect(s.token, "POST", "/workspaces/ws/query", `{"filter":{"class":"Task","properties.Status":"pending"}}`, 200, "pay-rent")
	s.expect(s.token, "POST", "/workspaces/ws/notes", `{"markdown":`, 400, "not valid JSON")
	s.expect(s.token, "GET", "/workspaces/ws/nothing", "", 404, "detail")
	s.expect(s.token, "DELETE", "/workspaces/ws/notes/tea", "", 204, "")
	s.expect(s.token, "GET", "/workspaces/ws/notes/tea", "", 404, "detail")

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "plan.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("a plan")) // to memory
	_ = w.Close()
	if code, said := s.do(s.token, "POST", "/workspaces/ws/attachments", w.FormDataContentType(), form.String()); code != 201 || !strings.Contains(said, "plan.txt") {
		t.Errorf("an attachment as a form: %d %s", code, said)
	}
	s.expect(s.token, "GET", "/workspaces/ws/attachments", "", 200, "plan.txt")
}

// A key of the source opens its API to this machine, with what is granted to agents
// without a name, and web pages stay out.
func TestOpenLoopback(t *testing.T) {
	s := startWorkspaces(t, "open_loopback = true\neffects = [\"read\"]\n")
	s.expect("", "GET", "/workspaces/ws/notes", "", 200, "weekly-sync")
	s.expect("", "POST", "/workspaces/ws/notes", `{"id":"tea","markdown":"# Tea\n"}`, 403, "may not write")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/workspaces", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://evil.example")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusForbidden {
		t.Errorf("a web page: %d", answer.StatusCode)
	}
}
