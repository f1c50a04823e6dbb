package hubproc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// openHubWithNotes is a host on a folder of notes that asks before writes.
func openHubWithNotes(t *testing.T) (*hubProcess, status.Client, string) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, c := openHub(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = '"+notes+"'\nask = [\"write\", \"delete\"]\n")
	apptest.AwaitSnapshot(t, c, "notes", hasReadySources("notes"))
	return h, c, filepath.Join(notes, "a.md")
}

func hasOneApproval(s status.Snapshot) bool { return len(s.Approvals) == 1 }

// The panel answers with actions: the preview shows the diff, "always" adds a
// rule that applies to the next call, and a second answer is refused.
func TestAnswerActions(t *testing.T) {
	h, c, file := openHubWithNotes(t)
	write := func(text string) <-chan error {
		out := make(chan error, 1)
		args, _ := json.Marshal(map[string]string{"path": "a.md", "content": text})
		go func() { _, err := h.hub.PersonAPI().Call(t.Context(), "notes", "write_page", args); out <- err }()
		return out
	}
	out := write("two\n")
	a := apptest.AwaitSnapshot(t, c, "a call that waits", hasOneApproval).Approvals[0]
	allow := status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Scope: status.Always}}
	plan, err := c.Preview(t.Context(), allow)
	if err != nil || len(plan.Steps) != 2 || !strings.Contains(plan.Steps[1].Diff, "-one\n+two\n") || !strings.Contains(plan.Steps[0].Diff, "+do = \"always\"\n") ||
		!strings.HasPrefix(plan.Title, "Always let ") {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Allow, Target: a.ID}); err == nil || !strings.Contains(err.Error(), "was not shown") {
		t.Errorf("a yes to what was not shown: %v", err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.MarkShown, Target: a.ID}); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Scope: "for ever"}}); err == nil {
		t.Error("took a scope that is none")
	}
	if err := c.Do(t.Context(), allow); err != nil {
		t.Fatal(err)
	}
	if err := <-out; err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Refuse, Target: a.ID}); err == nil || !strings.Contains(err.Error(), "no call waits") {
		t.Errorf("a second answer: %v", err)
	}
	conf, err := h.App.Config()
	if err != nil || len(conf.Rules) != 1 || conf.Rules[0].Tool != "write_page" || conf.Rules[0].Schema == "" || conf.Rules[0].Client != "lectern call" {
		t.Fatalf("rules %+v, %v", conf.Rules, err)
	}
	if err := <-write("three\n"); err != nil { // nobody is asked
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "three\n" {
		t.Errorf("a.md holds %q", got)
	}

	del := make(chan error, 1)
	go func() {
		_, err := h.hub.PersonAPI().Call(t.Context(), "notes", "delete_page", []byte(`{"path":"a.md"}`))
		del <- err
	}()
	a = apptest.AwaitSnapshot(t, c, "another tool that waits", func(s status.Snapshot) bool { return hasOneApproval(s) && s.Approvals[0].Tool == "delete_page" }).Approvals[0]
	if err := c.Do(t.Context(), status.Action{Verb: status.Refuse, Target: a.ID, Answer: &status.Answer{Reason: strings.Repeat("x", 501)}}); err == nil {
		t.Error("took a reason of any length")
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Refuse, Target: a.ID, Answer: &status.Answer{Reason: "mine"}}); err != nil {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*tools.Error](<-del); !ok || e.Code != tools.Denied || !strings.Contains(e.Hint, "mine") {
		t.Errorf("the agent heard %v", e)
	}
	apptest.AwaitSnapshot(t, c, "that nothing waits", func(s status.Snapshot) bool { return len(s.Approvals) == 0 })
}

// A grant on the panel applies at once.
func TestGrantAction(t *testing.T) {
	h, c, _ := openHubWithNotes(t)
	set := status.Action{Verb: status.SetGrant, Grant: &status.Grant{Source: "notes", Effects: []string{"read"}}}
	if plan, err := c.Preview(t.Context(), set); err != nil || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, `+effects = ["read"]`) {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	_, err := h.hub.PersonAPI().Call(t.Context(), "notes", "delete_page", []byte(`{"path":"a.md"}`))
	if e := tools.AsError(err); e == nil || e.Code != tools.Denied {
		t.Errorf("deleted: %v", err)
	}
	for _, bad := range []*status.Grant{nil, {Source: "notes", Effects: []string{"raed"}}, {Source: "x", Effects: []string{"read"}}, {Effects: []string{"read"}, Reset: true}} {
		if err := c.Do(t.Context(), status.Action{Verb: status.SetGrant, Grant: bad}); err == nil {
			t.Errorf("granted %+v", bad)
		}
	}
}

// Over HTTP a client's own token is its bearer token, and a session belongs to
// the token that opened it.
func TestTokenOverHTTP(t *testing.T) {
	h, c, _ := openHubWithNotes(t)
	all, err := loopnet.LoadOrCreateToken(h.Paths.SharedClientToken())
	if err != nil {
		t.Fatal(err)
	}
	own, err := loopnet.RotateToken(h.Paths.ClientTokens().File("cursor"))
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	server := httptest.NewUnstartedServer(routes)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	var n int
	_ = json.Unmarshal([]byte(port), &n)
	routes.Handle("/", h.routes(n, all))
	server.Start()
	t.Cleanup(server.Close)
	post := func(token, session, body string) *http.Response {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Session-Id": session,
		} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}`
	first := post(own.Reveal(), "", initialize)
	if first.StatusCode != http.StatusOK {
		t.Fatal(first.Status)
	}
	apptest.AwaitSnapshot(t, c, "a client that proved its name", func(s status.Snapshot) bool {
		return len(s.Sessions) == 1 && s.Sessions[0].Proven && s.Sessions[0].Client == "cursor"
	})
	session := first.Header.Get("Mcp-Session-Id")
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	if res := post(own.Reveal(), session, ping); res.StatusCode != http.StatusOK {
		t.Error(res.Status)
	}
	if res := post(all.Reveal(), session, ping); res.StatusCode != http.StatusNotFound {
		t.Errorf("the session of another token: %s", res.Status)
	}
	if res := post("lectern_x", "", initialize); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token that is none: %s", res.Status)
	}
	post(all.Reveal(), "", initialize)
	apptest.AwaitSnapshot(t, c, "a client that only claims its name", func(s status.Snapshot) bool {
		return len(s.Sessions) == 2 && !s.Sessions[1].Proven && s.Sessions[1].Client == "me"
	})
}
