package hub_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

// A yes that lasts needs a proven name: a claim, or no name at all, is allowed
// once, and the person is told how to change that.
func TestLastingApprovalNeedsProof(t *testing.T) {
	for _, name := range []string{"good", "", "claude-code (proven)"} {
		for _, scope := range []status.Scope{status.ForSession, status.Always} {
			synctest.Test(t, func(t *testing.T) {
				h := startNotes(t, askWrites(), nil)
				a := h.agent(policy.Client{Name: name})
				out := a.startCall("put", `{"path":"n","text":"x"}`)
				synctest.Wait()
				w := h.onlyPending()
				if !w.OnlyOnce {
					t.Errorf("%q is offered more than once", name)
				}
				err := h.Approvals().Answer(w.ID, true, status.Answer{Scope: scope})
				if err == nil || !strings.Contains(err.Error(), "has not proved its name") {
					t.Errorf("%q is allowed for %s: %v", name, scope, err)
				}
				if _, plan, _, _ := h.Approvals().Get(w.ID); !strings.Contains(plan.Title, status.ClientLabel(name, false)) {
					t.Errorf("shown as %q", plan.Title)
				}
				h.answer(w.ID, true, status.Answer{})
				checkOutcome(t, <-out, "ok", "")
				a.startCall("put", `{"path":"n","text":"y"}`)
				synctest.Wait()
				h.onlyPending() // it is asked again
			})
		}
	}
}

// Over HTTP without sessions, what a person allows to a claimed name is not for
// another process that claims the same one.
func TestSharedSessionGetsNoLastingApproval(t *testing.T) {
	h := startNotes(t, askWrites(), func(c *hub.Config) {
		c.VerifyClient = func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	})
	s := serveHTTP(t, h.testHub)
	post := func(proven string) <-chan string {
		got := make(chan string, 1)
		params := strings.Replace(dropForm("", ""), `{"elicitation":{}}`, "{}", 1)
		header := hubtest.ModernHeaders("tools/call", "drop")
		if proven != "" {
			header = append(header, "Authorization", "Bearer "+proven)
		}
		go func() {
			_, body := s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, header...)
			got <- body
		}()
		return got
	}
	for _, tt := range []struct{ proven, want string }{{"", "has not proved"}, {"cursor", ""}} {
		first := post(tt.proven)
		h.board.WaitFor(t, func(s status.Snapshot) bool {
			return len(s.Approvals) == 1 && s.Approvals[0].Proven == (tt.proven != "")
		})
		id := h.onlyPending().ID
		err := h.Approvals().Answer(id, true, status.Answer{Scope: status.ForSession})
		if tt.want == "" {
			if err != nil || !strings.Contains(<-first, `"done":true`) || !strings.Contains(<-post(tt.proven), `"done":true`) {
				t.Errorf("a proven client is not allowed for the session: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("allowed for all who claim the name: %v", err)
		}
		h.answer(id, false, status.Answer{})
		<-first
	}
}

// A rule that names a client lets in only the one that has the name's token; one
// that asks or denies holds for everybody who uses the name.
func TestRuleForAClaimedName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		always := []policy.Rule{{Do: policy.Always, Client: "cursor", Source: "notes", Tool: "put"}}
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.Policy = policy.New(askWrites(), always) })
		checkOutcome(t, <-h.agent(proven).startCall("put", `{"path":"n","text":"x"}`), "ok", "")
		h.agent(cursor).startCall("put", `{"path":"n","text":"y"}`)
		synctest.Wait()
		h.onlyPending()
	})
}

// The form of a claimed name offers no more than the person's own answers do.
func TestFormOffersWhatMayBeAnswered(t *testing.T) {
	long := strings.Repeat("harmless\n", 2000) + "evil\n"
	for _, tt := range []struct{ text, want string }{
		{"two\n", "[allow once allow for this session refuse]"},
		{long, "[refuse]"}, // not everything fits
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
			text, _ := json.Marshal(tt.text)
			params := fmt.Sprintf(`{"name":"put","arguments":{"path":"a","text":%s},%s`, text, formsMeta)
			f := isForm(t, c.Ask("tools/call", params+"}").Result)
			asked := f.InputRequests["approval"].Params
			answers := asked.RequestedSchema["properties"].(map[string]any)["answer"].(map[string]any)["enum"]
			if got := fmt.Sprint(answers); got != tt.want {
				t.Errorf("the form offers %s, want %s", got, tt.want)
			}
			id := h.onlyPending().ID
			cut := tt.want == "[refuse]"
			if cut != strings.Contains(asked.Message, "lectern approve show "+id) || cut && !strings.Contains(asked.Message, "+evil\n") {
				t.Errorf("asked %.300q … %.300q", asked.Message, asked.Message[max(0, len(asked.Message)-300):])
			}
			// A client that answers what it was not offered is not heard.
			yes := `,"requestState":"` + f.RequestState + `","inputResponses":{"approval":{"action":"accept","content":{"answer":"allow for this session"}}}}`
			c.Send(`{"jsonrpc":"2.0","id":"again","method":"tools/call","params":` + params + yes + `}`)
			synctest.Wait()
			if wrote := h.notes.Writes > 0; wrote == cut || cut && len(h.pending()) != 1 {
				t.Errorf("written %v, %d wait", wrote, len(h.pending()))
			}
		})
	}
}
