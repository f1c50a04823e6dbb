package main

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

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// trusted is a host on a folder of notes that asks before writes.
func trusted(t *testing.T) (*host, status.Client, string) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, c := openHost(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = '"+notes+"'\nask = [\"write\", \"delete\"]\n")
	seen(t, c, "notes", ready("notes"))
	return h, c, filepath.Join(notes, "a.md")
}

func waits(s status.Snapshot) bool { return len(s.Approvals) == 1 }

// The panel answers by verbs: it sees the diff first, yes for good writes a
// rule that holds for the next call, and a second answer is refused.
func TestAnswersByVerb(t *testing.T) {
	h, c, file := trusted(t)
	write := func(text string) <-chan error {
		out := make(chan error, 1)
		args, _ := json.Marshal(map[string]string{"path": "a.md", "content": text})
		go func() { _, err := h.hub.Call(t.Context(), "notes", "write_page", args); out <- err }()
		return out
	}
	out := write("two\n")
	a := seen(t, c, "a call that waits", waits).Approvals[0]
	allow := status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Scope: status.Always}}
	plan, err := c.Preview(t.Context(), allow)
	if err != nil || len(plan.Steps) != 2 || !strings.Contains(plan.Steps[0].Diff, "-one\n+two\n") || !strings.Contains(plan.Steps[1].Diff, "+do = \"always\"\n") {
		t.Fatalf("plan %+v, %v", plan, err)
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
	conf, err := h.config()
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
		_, err := h.hub.Call(t.Context(), "notes", "delete_page", []byte(`{"path":"a.md"}`))
		del <- err
	}()
	a = seen(t, c, "another tool that waits", func(s status.Snapshot) bool { return waits(s) && s.Approvals[0].Tool == "delete_page" }).Approvals[0]
	if err := c.Do(t.Context(), status.Action{Verb: status.Refuse, Target: a.ID, Answer: &status.Answer{Reason: strings.Repeat("x", 501)}}); err == nil {
		t.Error("took a reason of any length")
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Refuse, Target: a.ID, Answer: &status.Answer{Reason: "mine"}}); err != nil {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*tools.Error](<-del); !ok || e.Code != tools.Denied || !strings.Contains(e.Hint, "mine") {
		t.Errorf("the agent heard %v", e)
	}
	seen(t, c, "that nothing waits", func(s status.Snapshot) bool { return len(s.Approvals) == 0 })
}

// What a person grants on the panel holds at once.
func TestGrantByVerb(t *testing.T) {
	h, c, _ := trusted(t)
	set := status.Action{Verb: status.SetGrant, Grant: &status.Grant{Source: "notes", Effects: []string{"read"}}}
	if plan, err := c.Preview(t.Context(), set); err != nil || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, `+effects = ["read"]`) {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	_, err := h.hub.Call(t.Context(), "notes", "delete_page", []byte(`{"path":"a.md"}`))
	if e := tools.AsError(err); e == nil || e.Code != tools.Denied {
		t.Errorf("deleted: %v", err)
	}
	for _, bad := range []*status.Grant{nil, {Source: "notes", Effects: []string{"raed"}}, {Source: "x", Effects: []string{"read"}}, {Effects: []string{"read"}, Reset: true}} {
		if err := c.Do(t.Context(), status.Action{Verb: status.SetGrant, Grant: bad}); err == nil {
			t.Errorf("granted %+v", bad)
		}
	}
}

// A token proves one name and no other, counts at once when it is rotated, and
// is in no other process's environment.
func TestClientTokens(t *testing.T) {
	w := testWorld(t)
	token := func(name string) string {
		made, err := loopnet.RotateToken(filepath.Join(w.tokenDir(), name+tokenSuffix))
		if err != nil {
			t.Fatal(err)
		}
		return made.Reveal()
	}
	cursor, codex := token("cursor"), token("codex")
	for bearer, want := range map[string]string{cursor: "cursor", codex: "codex", "": "", "cursor": "", cursor + " ": ""} {
		if got := w.proven(bearer); got != want {
			t.Errorf("%.12s proves %q, want %q", bearer, got, want)
		}
	}
	if next := token("cursor"); w.proven(cursor) != "" || w.proven(next) != "cursor" {
		t.Error("the old token still counts, or the new one does not")
	}
	if err := os.Chmod(filepath.Join(w.tokenDir(), "codex"+tokenSuffix), 0o644); err != nil {
		t.Fatal(err)
	}
	if w.proven(codex) != "" {
		t.Error("a token that others can read still counts")
	}
	w.environ = append(w.environ, clientTokenEnv+"=secret", "OTHER=1")
	for _, v := range w.connecting(w.stderrLog()).Env {
		if strings.Contains(v, "secret") {
			t.Error("the hub is started with a client's token in its environment")
		}
	}
}

// Over HTTP one's own token is the bearer token, and a session belongs to the
// token that opened it.
func TestTokenOverHTTP(t *testing.T) {
	h, c, _ := trusted(t)
	all, err := loopnet.LoadOrCreateToken(h.tokenFile())
	if err != nil {
		t.Fatal(err)
	}
	own, err := loopnet.RotateToken(filepath.Join(h.tokenDir(), "cursor"+tokenSuffix))
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
	seen(t, c, "a client that proved its name", func(s status.Snapshot) bool {
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
	seen(t, c, "a client that only claims its name", func(s status.Snapshot) bool {
		return len(s.Sessions) == 2 && !s.Sessions[1].Proven && s.Sessions[1].Client == "me"
	})
}

// Who waits for what is told to the desktop, and nothing of what is in it.
func TestNotification(t *testing.T) {
	a := status.Approval{Client: "cur\x1b[2J", Source: "notes", Effect: "delete", Targets: []string{"canary"}, Args: "canary", Why: "canary"}
	title, body := notification(a)
	if strings.Contains(title+body, "canary") || strings.Contains(body, "\x1b") || !strings.Contains(body, "wants to delete in source notes") {
		t.Errorf("%q %q", title, body)
	}
	for name, want := range map[string]string{
		"":                                       "A client without a name wants",
		`<b>Bank</b> & <img src="/etc/passwd"/>`: "A client that calls itself “·b·Bank··b· · ·img src···etc·passwd···” wants",
		"see https://evil.example":               "“see https···evil·example”",
		"www.evil.example mailto:a@b":            "“www·evil·example mailto·a·b”",
		"\u202egnp\u3164":                        "“·u·202e·gnp·u·3164·”",
		strings.Repeat("long ", 100):             "“long long long long long long long long…”",
		"写作 (beta)":                              "“写作 (beta)”",
	} {
		if _, body := notification(status.Approval{Client: name, Source: "notes", Effect: "write"}); !strings.Contains(body, want) || strings.ContainsAny(body, "<>&") {
			t.Errorf("%q: %s", name, body)
		}
	}
	if _, body := notification(status.Approval{Client: "cursor", Proven: true, Effect: "write"}); !strings.HasPrefix(body, "cursor wants") {
		t.Errorf("proven: %s", body)
	}
	env := func(set string) func(string) string {
		return func(name string) string {
			if name == set {
				return ":0"
			}
			return ""
		}
	}
	if notifier("linux", env(""), title, body) != nil || notifier("windows", env("DISPLAY"), title, body) != nil {
		t.Error("notified where there is no desktop")
	}
	if got := notifier("linux", env("WAYLAND_DISPLAY"), title, body); got[0] != "notify-send" || got[2] != "--" {
		t.Errorf("got %q", got)
	}
	if got := notifier("darwin", env(""), `a"b`, `c\d`); got[2] != `display notification "c\\d" with title "a\"b"` {
		t.Errorf("got %s", got[2])
	}
}

func TestAnswerOf(t *testing.T) {
	for text, want := range map[string]status.Answer{
		"y": {Scope: status.Once}, " YES ": {Scope: status.Once}, "s": {Scope: status.ForSession}, "a": {Scope: status.Always},
		"n": {}, "no  not this one ": {Reason: "not this one"},
	} {
		if a, ok := answerOf("x", text); !ok || *a.Answer != want {
			t.Errorf("%q: %+v %v", text, a.Answer, ok)
		}
	}
	for _, text := range []string{"", "x", "yes please", "q", "ny"} {
		if a, ok := answerOf("x", text); ok {
			t.Errorf("%q is %+v", text, a)
		}
	}
}
