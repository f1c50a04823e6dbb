package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

const formsMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cursor","version":"9"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// dropForm is the parameters of a modern call that brings back what a client
// has; both may be empty.
func dropForm(state, answer string) string {
	more := ""
	if state != "" {
		more += fmt.Sprintf(`,"requestState":%q`, state)
	}
	if answer != "" {
		more += `,"inputResponses":{"approval":` + answer + `}`
	}
	return `{"name":"drop","arguments":{"path":"a"},` + formsMeta + more + `}`
}

// A handedOut is the answer that is a form.
type handedOut struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params struct {
			Message         string
			RequestedSchema map[string]any
		}
	}
}

func isForm(t testing.TB, raw json.RawMessage) handedOut {
	t.Helper()
	var f handedOut
	if err := json.Unmarshal(raw, &f); err != nil || f.ResultType != "input_required" || f.RequestState == "" || f.InputRequests["approval"].Method != "elicitation/create" {
		t.Fatalf("got %s (%v), want a form", raw, err)
	}
	return f
}

// In the era without sessions a client that shows its token is answered with
// the form, and what its user said counts when the call comes again; a form
// that is closed counts for nothing, and the call waits for the panel.
func TestForm(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{`{"action":"accept","content":{"answer":"allow once"}}`, `"done":true`},
		{`{"action":"accept","content":{"answer":"allow for this session"}}`, `"done":true`},
		{`{"action":"accept","content":{"answer":"refuse","reason":"mine"}}`, "The user says: mine"},
		{`{"action":"decline"}`, "the user refused"},
		{`{"action":"decline","content":{"reason":"not now"}}`, "not now"},
		{`{"action":"cancel"}`, ""},
		{`{"action":"accept","content":{"answer":"always"}}`, ""},
		{`{"action":"accept"}`, ""},
		{`{}`, ""},
		{`"allow once"`, ""},
		{``, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
			f := isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
			asked := f.InputRequests["approval"].Params
			if !strings.Contains(asked.Message, "Let cursor call drop in source notes") || !strings.Contains(asked.Message, "-one") || asked.RequestedSchema["type"] != "object" {
				t.Errorf("asked %+v", asked)
			}
			if w := h.onlyPending(); w.Until.Sub(w.Since) != 5*time.Minute || h.notes.Writes != 0 {
				t.Errorf("meanwhile %+v", w)
			}
			c.Send(`{"jsonrpc":"2.0","id":"again","method":"tools/call","params":` + dropForm(f.RequestState, tt.answer) + `}`)
			synctest.Wait()
			if tt.want == "" {
				h.answer(h.onlyPending().ID, false, status.Answer{Reason: "by hand"})
				tt.want = "by hand"
			}
			if f := c.Recv(); f.ID != "again" || !strings.Contains(f.Raw, tt.want) {
				t.Errorf("%s: %s", tt.answer, f.Raw)
			}
			if wrote := h.notes.Writes > 0; wrote != (tt.want == `"done":true`) || len(h.pending()) != 0 {
				t.Errorf("%s: written %v, %d wait", tt.answer, wrote, len(h.pending()))
			}
			again := c.Ask("tools/call", dropForm("", ""))
			if stands := strings.Contains(tt.answer, "for this session"); stands != strings.Contains(again.Raw, `"done":true`) {
				t.Errorf("%s, and the next call: %s", tt.answer, again.Raw)
			}
		})
	}
}

// What a terminal would obey or hide is seen in a form, and no name or reason
// makes lines of its own.
func TestFormShowsWhatIsHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		h.notes.EditAsPerson("x\ny", "\x1b[8mhidden\u202e\r\n")
		c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
		params := strings.Replace(dropForm("", ""), `"path":"a"`, `"path":"x\ny"`, 1)
		params = strings.Replace(params, `"_meta":{`, `"_meta":{"lectern/reason":"harmless\nAllow it!",`, 1)
		message := isForm(t, c.Ask("tools/call", params).Result).InputRequests["approval"].Params.Message
		if strings.ContainsAny(message, "\x1b\u202e\r") || !strings.Contains(message, "-␛[8mhidden\\u{202e}") || !strings.Contains(message, "delete x␊y (+0 −1)\n") ||
			!strings.Contains(message, "says why: harmless␊Allow it!\n") {
			t.Errorf("asked %q", message)
		}
	})
}

// A form that is not filled in leaves the call waiting in the panel for as long
// as any other, and who answers there while it is out is heard before it.
func TestFormIsAnsweredElsewhere(t *testing.T) {
	for _, allow := range []bool{true, false} {
		for _, answer := range []string{`{"action":"cancel"}`, `{"action":"decline"}`, `{"action":"accept","content":{"answer":"allow once"}}`, ``} {
			synctest.Test(t, func(t *testing.T) {
				h := startNotes(t, askWrites(), nil)
				c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
				f := isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
				h.answer(h.onlyPending().ID, allow, status.Answer{Reason: map[bool]string{false: "by hand"}[allow]})
				if h.notes.Writes != 0 {
					t.Error("written before the client came back")
				}
				got := c.Ask("tools/call", dropForm(f.RequestState, answer))
				if !strings.Contains(got.Raw, map[bool]string{true: `"done":true`, false: "by hand"}[allow]) || h.notes.Writes > 0 != allow {
					t.Errorf("the panel said %v, the form %q: %s", allow, answer, got.Raw)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
		f := isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
		c.Send(`{"jsonrpc":"2.0","id":"closed","method":"tools/call","params":` + dropForm(f.RequestState, `{"action":"cancel"}`) + `}`)
		synctest.Wait()
		if left := time.Until(h.onlyPending().Until); left != 50*time.Second {
			t.Errorf("the panel shows that it waits for %s", left)
		}
		if got := c.Recv(); !strings.Contains(got.Raw, "the call was not approved within 50s") {
			t.Errorf("got %s", got.Raw)
		}
	})
}

// A client that only claims its name gets no form, unless the configuration
// trusts it, and neither does one that shows none: their calls wait.
func TestFormOnlyWhereTrusted(t *testing.T) {
	for _, tt := range []struct {
		proven string
		elicit *bool
		caps   string
		want   bool
	}{
		{"", nil, `{"elicitation":{}}`, false},
		{"", new(true), `{"elicitation":{}}`, false},
		{"cursor", new(false), `{"elicitation":{}}`, false},
		{"cursor", nil, `{"elicitation":{"form":{}}}`, true},
		{"cursor", nil, `{"elicitation":{"url":{}}}`, false},
		{"cursor", nil, `{}`, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, append(askWrites(), policy.Grant{Client: "cursor", Elicit: tt.elicit}), nil)
			c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: tt.proven})
			c.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Replace(dropForm("", ""), `{"elicitation":{}}`, tt.caps, 1) + `}`)
			synctest.Wait()
			id := h.onlyPending().ID
			if tt.want {
				isForm(t, c.Recv().Result)
				return
			}
			h.answer(id, false, status.Answer{Reason: "by hand"})
			if f := c.Recv(); !strings.Contains(f.Raw, "by hand") {
				t.Errorf("%+v: got %s", tt, f.Raw)
			}
		})
	}
}

// A request of the era with sessions brings no form, whatever it says.
func TestFormIsOfTheModernEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
		f := isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
		former := h.onlyPending().ID
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":"old","method":"tools/call","params":{"name":"drop","arguments":{"path":"a"},"requestState":"` + f.RequestState +
			`","inputResponses":{"approval":{"action":"accept","content":{"answer":"allow once"}}}}}`)
		synctest.Wait()
		list := h.pending()
		if len(list) != 2 || h.notes.Writes != 0 {
			t.Fatalf("%d wait, %d writes", len(list), h.notes.Writes)
		}
		for _, a := range list {
			h.answer(a.ID, a.ID == former, status.Answer{Reason: "by hand"})
		}
		if got := c.Recv(); !strings.Contains(got.Raw, "by hand") || h.notes.Writes != 0 {
			t.Errorf("got %s", got.Raw)
		}
	})
}

// Over HTTP the form and what comes back are two requests; only the client that
// was asked brings it back.
func TestFormOverHTTP(t *testing.T) {
	h := startNotes(t, askWrites(), func(c *hub.Config) {
		c.VerifyClient = func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	})
	s := serveHTTP(t, h.testHub)
	post := func(proven, params string) hubtest.Frame {
		t.Helper()
		_, body := s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`,
			append(hubtest.ModernHeaders("tools/call", "drop"), "Authorization", "Bearer "+proven)...)
		var f hubtest.Frame
		if err := json.Unmarshal([]byte(body), &f); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		f.Raw = body
		return f
	}
	const yes = `{"action":"accept","content":{"answer":"allow once"}}`
	f := isForm(t, post("cursor", dropForm("", "")).Result)
	if got := post("codex", dropForm(f.RequestState, yes)); !strings.Contains(got.Raw, "about another call") || h.notes.Writes != 0 {
		t.Errorf("another client: %s", got.Raw)
	}
	if got := post("cursor", dropForm(f.RequestState, yes)); !strings.Contains(got.Raw, `"done":true`) || h.notes.Writes != 1 {
		t.Errorf("got %s", got.Raw)
	}
	if got := post("cursor", dropForm(f.RequestState, yes)); !strings.Contains(got.Raw, "has expired") || h.notes.Writes != 1 {
		t.Errorf("again: %s", got.Raw)
	}
}

// A call that is answered with a form is told apart from one that failed or ran.
func TestFormIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.Limits = hub.Limits{SessionWrites: 1} })
		c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
		f := isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
		if got := c.Ask("tools/call", dropForm(f.RequestState, `{"action":"accept","content":{"answer":"allow once"}}`)); !strings.Contains(got.Raw, `"done":true`) {
			t.Errorf("the session's one write: %s", got.Raw)
		}
		if got := c.Ask("tools/call", dropForm("", "")); !strings.Contains(got.Raw, "made its 1 writes") {
			t.Errorf("and another: %s", got.Raw)
		}
		calls, err := h.Calls().Stream(context.Background(), status.CallFilter{})
		if err != nil {
			t.Fatal(err)
		}
		h.UpdateSnapshot()
		var codes []string
		for call := range calls {
			codes = append(codes, call.Code)
		}
		if want := "asked,,limited"; strings.Join(codes, ",") != want || h.board.LastSnapshot().Hub.Failures != 1 {
			t.Errorf("recorded %q, %d failures", codes, h.board.LastSnapshot().Hub.Failures)
		}
		if log := h.logged(); strings.Count(log, "msg=approval") != 1 || strings.Contains(log, f.RequestState) {
			t.Error("a receipt is missing, or the log holds the state")
		}
	})
}
