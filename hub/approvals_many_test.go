package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/tools"
)

// Fifty calls of ten clients wait; the panel is closed and opened again, some
// are answered, and the hub ends. None is lost, none is granted by itself, each
// client hears of each of its calls once, and before its own time is over.
func TestFiftyApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, each = 10, 5
		state := supervisor.NewSnapshotStore(time.Now)
		h := startNotesOn(t, state, askWrites(), nil, Limits{})
		panel := func() status.Snapshot {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.Sleep(time.Second)
			return <-state.Watch(ctx)
		}
		began := time.Now()
		var ends []*hubtest.Client
		for i := range clients {
			c := h.connect(fmt.Sprintf("client-%d", i), "")
			for n := range each {
				c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"put","arguments":{"path":"p%d-%d","text":"x"}}}`, n, i, n))
			}
			ends = append(ends, c)
		}
		if n := len(panel().Approvals); n != clients*each {
			t.Fatalf("the panel shows %d calls", n)
		}
		list := panel().Approvals // another panel, or the same opened again
		if len(list) != clients*each {
			t.Fatalf("the panel that was opened again shows %d calls", len(list))
		}
		allowed := map[string]bool{}
		for i, a := range list {
			switch {
			case i%5 == 0:
				h.answer(a.ID, true, status.Answer{})
				allowed[a.Targets[0]] = true
			case i%5 == 1:
				h.answer(a.ID, false, status.Answer{Reason: "no"})
			}
			if i%5 < 2 && h.Approvals().Answer(a.ID, true, status.Answer{}) == nil {
				t.Error("a second answer was taken")
			}
		}
		synctest.Wait()
		go func() { _ = h.Close() }()
		answers := map[string]int{}
		for i, c := range ends {
			heard := map[any]bool{}
			for range each {
				f := c.Recv()
				if heard[f.ID] {
					t.Errorf("client %d heard of %v twice", i, f.ID)
				}
				heard[f.ID] = true
				var o struct{ Code string }
				_ = json.Unmarshal(c.Result(f).Structured, &o)
				answers[o.Code]++
				target := fmt.Sprintf("p%d-%s", i, strings.TrimPrefix(f.ID.(string), "c"))
				if wrote := h.notes.holds(target) == "x"; wrote != allowed[target] || wrote != (o.Code == "") {
					t.Errorf("%s: allowed %v, written %v, told %q", target, allowed[target], wrote, o.Code)
				}
			}
		}
		if answers[""] != 10 || answers["denied"] != 10 || answers["unavailable"] != 30 || h.notes.writes != 10 {
			t.Errorf("answers %v, %d writes", answers, h.notes.writes)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("it took %s", took)
		}
		next := startNotes(t, askWrites(), nil, Limits{})
		if len(next.Approvals().Pending()) != 0 || next.Approvals().Answer(list[3].ID, true, status.Answer{}) == nil {
			t.Error("an approval outlived its call")
		}
	})
}

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
