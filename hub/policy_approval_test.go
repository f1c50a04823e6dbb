package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What explains a policy and what applies it cannot disagree: of any policy and
// call, the hub does what Decide says of the same request.
func TestDecideIsWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		pick := func(from ...string) string { return from[r.IntN(len(from))] }
		h := startNotes(t, nil, nil, Limits{})
		h.discardLog()
		effects := []tools.Effect{tools.Writes, tools.Deletes, tools.Runs, tools.Reads}
		for range 1_000 {
			var grants []policy.Grant
			if r.IntN(3) == 0 {
				grants = append(grants, policy.Grant{Source: "notes", Ask: effects[:r.IntN(4)]})
			}
			if r.IntN(3) == 0 {
				grants = append(grants, policy.Grant{Client: "cursor", Token: r.IntN(2) == 0, Effects: effects[r.IntN(4):], Ask: effects[r.IntN(4):]})
			}
			rules := make([]policy.Rule, r.IntN(4))
			for i := range rules {
				rules[i] = policy.Rule{
					Do: policy.Verdicts()[r.IntN(4)], Client: pick("", "c*", "x"), Source: pick("", "notes"), Tool: pick("", "p*", "drop", "get"), Path: pick("", "", "a", "Journal/**"),
				}
			}
			p := policy.New(grants, rules)
			h.SetPolicy(p)
			a := h.agent(policy.Client{Name: pick("cursor", "codex"), Proven: r.IntN(2) == 0})
			name, path := pick("get", "put", "drop", "run"), pick("a", "Journal/today")
			args := fmt.Sprintf(`{"path":%q}`, path)
			tl := h.allToolsets().widest.tools[name]
			c := &call{caller: caller{client: a.who}, source: h.sources.sources[0], tool: tl, arguments: parseArguments(json.RawMessage(args))}
			q := c.policyRequest(p)
			if name == "put" || name == "drop" {
				q.Targets = []string{path}
			}
			want := p.Decide(q).Verdict

			out := a.startCall(t.Context(), name, args)
			synctest.Wait()
			got := policy.Allow
			if list := h.Approvals().Pending(); len(list) > 0 {
				got = policy.Ask
				h.answer(list[0].ID, false, status.Answer{})
				<-out
			} else if o := <-out; outcomeCode(o) == tools.Denied {
				got = policy.Deny
			}
			if got != want {
				t.Fatalf("%s of %+v under %v %v: %s, Decide says %s", name, a.who, grants, rules, got, want)
			}
		}
	})
}

// hush ends the log, of which a thousand calls would make much.
func (h *notesHub) discardLog() { h.log = nil; h.Hub.log = slog.New(slog.DiscardHandler) }

// What is allowed for a session is for one declaration of the tool and one
// policy.
func TestAllowanceNamesDeclarationAndPolicy(t *testing.T) {
	allowance := func(digest string, p *policy.Policy) string {
		c := &call{source: &source{conf: Source{Name: "notes"}}, tool: &tool{info: tools.ToolInfo{Name: "x"}, digest: digest}}
		return c.allowanceKey(p)
	}
	p, other := policy.New(nil, nil), policy.New(askWrites(), nil)
	if allowance("1", p) == allowance("2", p) || allowance("1", p) == allowance("1", other) {
		t.Error("what is allowed for a session outlives the declaration or the policy")
	}
}

// Of an answer and a cancellation that come at once, the cancellation counts.
func TestCancelledCallIsNotApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(cursor)
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			out := a.startCall(ctx, "drop", `{"path":"a"}`)
			synctest.Wait()
			id := h.onlyPending().ID
			cancel()
			_ = h.Approvals().Answer(id, true, status.Answer{})
			checkOutcome(t, <-out, tools.Timeout, "cancelled")
		}
		if h.notes.Writes != 0 {
			t.Error("a call ran although its client was gone")
		}
	})
}
