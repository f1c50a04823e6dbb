package hub_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

const initForms = `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"cursor","version":"9"}}`

// readForm reads the form that the hub sends.
func readForm(t testing.TB, c *hubtest.Client) (id, message string) {
	t.Helper()
	f := c.Recv()
	var p struct{ Message string }
	if f.Method != "elicitation/create" || json.Unmarshal(f.Params, &p) != nil {
		t.Fatalf("got %s, want a form", f.Raw)
	}
	b, _ := json.Marshal(f.ID)
	return string(b), p.Message
}

const drop = `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"drop","arguments":{"path":"a"}}}`

// A client that shows its token is asked as well; what its user says counts as
// an answer does, and a closed form counts for nothing.
func TestElicit(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{`"result":{"action":"accept","content":{"answer":"allow once"}}`, `"done":true`},
		{`"result":{"action":"accept","content":{"answer":"refuse","reason":"mine"}}`, "The user says: mine"},
		{`"result":{"action":"decline"}`, "the user refused"},
		{`"result":{"action":"cancel"}`, ""},
		{`"result":{"action":"accept","content":{"answer":"always"}}`, ""},
		{`"result":{"action":"accept"}`, ""},
		{`"result":{}`, ""},
		{`"error":{"code":-1,"message":"no"}`, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			c := h.initialize("cursor", initForms)
			c.Send(drop)
			id, message := readForm(t, c)
			if !strings.Contains(message, "Let cursor call drop in source notes") || !strings.Contains(message, "-one") {
				t.Errorf("asked %q", message)
			}
			c.Send(`{"jsonrpc":"2.0","id":` + id + `,` + tt.answer + `}`)
			synctest.Wait()
			if tt.want == "" {
				h.answer(h.onlyPending().ID, false, status.Answer{Reason: "by hand"})
				tt.want = "by hand"
			}
			if f := c.Recv(); !strings.Contains(f.Raw, tt.want) {
				t.Errorf("%s: %s", tt.answer, f.Raw)
			}
			if wrote := h.notes.Writes > 0; wrote != strings.Contains(tt.answer, "once") {
				t.Errorf("%s: written %v", tt.answer, wrote)
			}
		})
	}
}

// Whoever answers first is heard, and the client is told that its form is void.
func TestElicitIsVoidWhenAnsweredElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := h.initialize("cursor", initForms)
		c.Send(drop)
		id, _ := readForm(t, c)
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "by hand"})
		seen := ""
		for range 2 {
			seen += c.Recv().Raw
		}
		if !strings.Contains(seen, "by hand") || !strings.Contains(seen, `"method":"notifications/cancelled"`) || !strings.Contains(seen, id) {
			t.Errorf("got %s", seen)
		}
		c.Send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"answer":"allow once"}}}`)
		synctest.Wait()
		if h.notes.Writes != 0 {
			t.Error("a late form was heard")
		}
	})
}

// A client that only claims its name is not asked, whatever the configuration
// says; one that proves it is, unless the configuration forbids it.
func TestElicitOnlyWhereTrusted(t *testing.T) {
	for _, tt := range []struct {
		proven string
		elicit *bool
		want   bool
	}{
		{"", nil, false},
		{"", new(true), false},
		{"cursor", new(false), false},
		{"cursor", nil, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, append(askWrites(), policy.Grant{Client: "cursor", Elicit: tt.elicit}), nil)
			c := h.initialize(tt.proven, initForms)
			c.Send(drop)
			synctest.Wait()
			if tt.want {
				readForm(t, c)
			}
			h.answer(h.onlyPending().ID, false, status.Answer{Reason: "by hand"})
			if f := c.Recv(); !tt.want && !strings.Contains(f.Raw, "by hand") {
				t.Errorf("%+v: got %s", tt, f.Raw)
			}
			if tt.want {
				c.Recv()
			}
		})
	}
}

// Over HTTP the form comes down the stream of the call, and the answer in a
// request of its own.
func TestElicitOverHTTP(t *testing.T) {
	h := startNotes(t, askWrites(), func(c *hub.Config) { c.VerifyClient = func(*http.Request) string { return "cursor" } })
	s := serveHTTP(t, h.testHub)
	resp, body := s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+initForms+`}`)
	session := resp.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal(body)
	}
	s.Do("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", session)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(drop))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
		req.Header.Set(k, v)
	}
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	var last string
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		last = data
		var f hubtest.Frame
		if err := json.Unmarshal([]byte(data), &f); err != nil {
			t.Fatal(err)
		}
		if f.Method == "elicitation/create" {
			id, _ := json.Marshal(f.ID)
			s.Do("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":"allow once"}}}`, id), "Mcp-Session-Id", session)
		}
	}
	if !strings.Contains(last, `"done":true`) || h.notes.Writes != 1 {
		t.Errorf("got %s", last)
	}
}
