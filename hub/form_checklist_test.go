package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// tries makes a call as a client of the modern era does, with what it brings
// back of a form; state is of the form that it is answered with, or empty.
func (a *asker) tries(ctx context.Context, tool, args string, back *approval.FilledForm) (o told, state string) {
	res, err := a.h.call(ctx, caller{a.s, a.who, a.h.viewOf(a.who)}, mcp.Call{Tool: tool, Args: json.RawMessage(args), Context: tools.NopCallContext{}, Forms: true, Form: back})
	if f, ok := errors.AsType[*approval.FormRequest](err); ok {
		return told{}, f.State
	}
	return told{res, tools.AsError(err)}, ""
}

// form is tries for a call that must be answered with one.
func (a *asker) form(tool, args string) (state string) {
	a.h.t.Helper()
	o, state := a.tries(a.h.t.Context(), tool, args, nil)
	if state == "" {
		a.h.t.Fatalf("got %s (%v), want a form", code(o), o.err)
	}
	return state
}

// open counts the calls that wait.
func (h *padHub) open() int { return len(h.approvals.Pending()) }

// filledIn is a form that was filled in.
func filledIn(state string, allow bool) *approval.FilledForm {
	return &approval.FilledForm{State: state, Answer: approval.FormAnswer{Given: true, Allow: allow}}
}

func yes(state string) *approval.FilledForm { return filledIn(state, true) }

var proven = policy.Client{Name: "cursor", Proven: true}

const dropA = `{"path":"a"}`

// 1. What comes back counts for the very call that was asked about, of the same
// client and session, and a wrong try leaves the question as it was.
func TestChecklistFormBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, append(askWrites(), policy.Grant{Client: "codex", Elicit: new(true)}), nil, Limits{})
		a := h.asker(proven)
		state := a.form("drop", dropA)
		other := a.form("put", `{"path":"b","text":"x"}`)
		sameSession := *a
		sameSession.who = policy.Client{Name: "codex"}
		for name, try := range map[string]struct {
			who              *asker
			tool, args, back string
		}{
			"other arguments":           {a, "drop", `{"path":"b"}`, state},
			"another tool":              {a, "put", dropA, state},
			"another session":           {h.asker(proven), "drop", dropA, state},
			"another client":            {h.asker(policy.Client{Name: "codex"}), "drop", dropA, state},
			"another name":              {&sameSession, "drop", dropA, state},
			"the state of another":      {a, "drop", dropA, other},
			"a guess":                   {a, "drop", dropA, "AAAAAAAAAAAAAAAAAAAAAAAAAA"},
			"the approval's id":         {a, "drop", dropA, h.approvals.Pending()[0].ID},
			"the state in another case": {a, "drop", dropA, state[:1] + "_" + state[2:]},
		} {
			o, _ := try.who.tries(t.Context(), try.tool, try.args, yes(try.back))
			if code(o) != tools.Conflict || h.pad.writes != 0 || len(h.approvals.Pending()) != 2 {
				t.Errorf("%s: %s, %d writes, %d wait", name, code(o), h.pad.writes, len(h.approvals.Pending()))
			}
		}
		o, _ := a.tries(t.Context(), "drop", ` { "path" : "a" } `, yes(state)) // the same arguments
		says(t, o, "ok", "")
	})
}

// 2. What comes back counts once, also when it comes back many times at once,
// and not for a page that somebody has edited since: then the user is asked
// anew.
func TestChecklistFormSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(proven)
		state := a.form("drop", dropA)
		outcomes := make(chan told, 20)
		for range cap(outcomes) {
			go func() {
				o, _ := a.tries(t.Context(), "drop", dropA, yes(state))
				outcomes <- o
			}()
		}
		ran := 0
		for range cap(outcomes) {
			if o := <-outcomes; code(o) == "ok" {
				ran++
			} else if code(o) != tools.Conflict {
				t.Errorf("got %s (%v)", code(o), o.err)
			}
		}
		if ran != 1 || h.pad.writes != 1 {
			t.Errorf("%d ran, %d writes", ran, h.pad.writes)
		}

		state = a.form("drop", `{"path":"Journal/today"}`)
		h.pad.edit("Journal/today", "an edit")
		_, next := a.tries(t.Context(), "drop", `{"path":"Journal/today"}`, yes(state))
		if next == "" || next == state || h.pad.writes != 1 || h.pad.holds("Journal/today") != "an edit" {
			t.Fatal("an edit was written over that the user was not shown")
		}
		former := h.waiting().ID
		h.pad.edit("Journal/today", "a further edit")
		_, next = a.tries(t.Context(), "drop", `{"path":"Journal/today"}`, &approval.FilledForm{State: next}) // a form that was closed
		if next == "" || h.waiting().ID == former {
			t.Error("what is no longer the question still waits")
		}
		h.pad.meddle = func(p *pad) { p.edit("Journal/today", "another edit") }
		o, _ := a.tries(t.Context(), "drop", `{"path":"Journal/today"}`, yes(next))
		says(t, o, tools.Conflict, "not what the user approved")
		if h.pad.writes != 1 {
			t.Error("an edit between question and write was written over")
		}
	})
}

// 3. A client that comes back late, or never, gets nothing done; nor does one
// whose session is over, or whose hub ends.
func TestChecklistFormExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(proven)
		state := a.form("drop", dropA)
		id := h.waiting().ID
		time.Sleep(h.limits.Form - time.Second)
		h.waiting()
		time.Sleep(2 * time.Second)
		if h.open() != 0 || h.Answer(id, true, status.Answer{}) == nil {
			t.Error("it still waits")
		}
		o, _ := a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.answers(h.waiting().ID, true, status.Answer{})
		time.Sleep(h.limits.Form + time.Second) // a yes in the panel lives no longer
		o, _ = a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.pad.skew.Store(int64(time.Hour)) // the machine slept, and no timer has run yet
		o, _ = a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")
		h.pad.skew.Store(0)
		time.Sleep(time.Hour)

		state = a.form("drop", dropA)
		h.mu.Lock()
		h.sessions[a.s.Session] = a.s
		h.mu.Unlock()
		h.sessionChanged(a.s.Session, false)
		if h.open() != 0 {
			t.Error("it waits for a session that is over")
		}
		o, _ = a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := make(chan told)
		go func() { o, _ := a.tries(ctx, "drop", dropA, &approval.FilledForm{State: state}); cancelled <- o }()
		synctest.Wait()
		id = h.waiting().ID
		cancel()
		says(t, <-cancelled, tools.Timeout, "cancelled")
		if h.Answer(id, true, status.Answer{}) == nil {
			t.Error("an answer to a cancelled call was taken")
		}
		o, _ = a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.approvals.Close()
		o, _ = a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Conflict, "has expired")
		if h.pad.writes != 0 {
			t.Error("a call ran that nobody said yes to in time")
		}
	})
}

// 4. Under another policy what was asked is no longer the question: it is
// judged anew. But a no stays a no, even where nobody need be asked any more.
func TestChecklistFormPolicyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(proven)
		former := a.form("drop", dropA)
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}))
		_, state := a.tries(t.Context(), "drop", dropA, yes(former))
		if state == "" || h.pad.writes != 0 {
			t.Fatal("a yes under another policy counts")
		}
		h.waiting()
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "drop"}}))
		o, _ := a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Denied, "forbids")

		h.SetPolicy(policy.New(askWrites(), nil))
		one, two := a.form("drop", dropA), a.form("drop", dropA)
		h.answers(h.approvals.Pending()[0].ID, true, status.Answer{Scope: status.ForSession})
		h.answers(h.approvals.Pending()[0].ID, false, status.Answer{Reason: "by hand"})
		first, _ := a.tries(t.Context(), "drop", dropA, yes(one))
		second, _ := a.tries(t.Context(), "drop", dropA, yes(two))
		if code(first) == code(second) || h.pad.writes != 1 {
			t.Errorf("one was allowed for the session, one refused: %s and %s", code(first), code(second))
		}
		if h.open() != 0 {
			t.Error("something still waits")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(proven)
		state := a.form("drop", dropA)
		h.answers(h.waiting().ID, false, status.Answer{Reason: "by hand"})
		h.SetPolicy(policy.New(nil, nil)) // nobody is asked any more
		o, _ := a.tries(t.Context(), "drop", dropA, yes(state))
		says(t, o, tools.Denied, "by hand")
		o, _ = a.tries(t.Context(), "drop", dropA, nil)
		says(t, o, "ok", "")
	})
}

// Of any order of calls, answers here and there, edits, time and policies, a
// call runs only when the first to answer its very question said yes, in time,
// of the page as it is.
func TestFormsInAnyOrder(t *testing.T) {
	type out struct {
		who          *asker
		path, before string
		policy       string
		until        time.Time
		id           string
		answer       *bool // of who was first
		back         bool
	}
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, seed))
			policies := []*policy.Policy{policy.New(askWrites(), nil), policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}})}
			h := startPad(t, nil, nil, Limits{Approval: time.Millisecond})
			h.hush()
			h.SetPolicy(policies[0])
			askers := []*asker{h.asker(proven), h.asker(proven)}
			outs := map[string]*out{}
			known := map[string]bool{} // ids of approvals
			paths := []string{"a", "b"}
			ran := 0
			asks := func(a *asker, path, state string) {
				id := ""
				for _, p := range h.approvals.Pending() {
					if !known[p.ID] {
						id, known[p.ID] = p.ID, true
					}
				}
				outs[state] = &out{who: a, path: path, before: h.pad.holds(path), policy: h.policy.Load().Digest(), until: time.Now().Add(h.limits.Form), id: id}
			}
			for step := range 200 {
				a, path := askers[r.IntN(2)], paths[r.IntN(2)]
				switch r.IntN(7) {
				case 0:
					if _, state := a.tries(t.Context(), "drop", fmt.Sprintf(`{"path":%q}`, path), nil); state != "" {
						asks(a, path, state)
					}
				case 1, 2, 3:
					if len(outs) == 0 {
						continue
					}
					states := slices.Sorted(maps.Keys(outs))
					state := states[r.IntN(len(states))]
					o := outs[state]
					if r.IntN(4) > 0 { // mostly who was asked
						a, path = o.who, o.path
					}
					said, allow := r.IntN(4) > 0, r.IntN(3) > 0
					back := filledIn(state, allow)
					back.Answer.Given = said
					right := !o.back && a == o.who && path == o.path && !time.Now().After(o.until)
					if right {
						o.back = true
						if o.answer == nil && said && o.policy == h.policy.Load().Digest() {
							o.answer = &allow
						}
					}
					want := right && o.answer != nil && *o.answer && o.before == h.pad.holds(path) && o.policy == h.policy.Load().Digest()
					got, next := a.tries(t.Context(), "drop", fmt.Sprintf(`{"path":%q}`, path), back)
					if want {
						ran++
					}
					if (code(got) == "ok" && next == "") != want || h.pad.writes != ran {
						t.Fatalf("seed %d, step %d: %s (%v), %d writes, want it to run: %v; %+v", seed, step, code(got), got.err, h.pad.writes, want, o)
					}
					if next != "" {
						asks(a, path, next)
					}
				case 4:
					for _, state := range slices.Sorted(maps.Keys(outs)) {
						o, allow := outs[state], r.IntN(2) == 0
						if r.IntN(3) == 0 && h.Answer(o.id, allow, status.Answer{}) == nil {
							o.answer = &allow
						}
					}
				case 5:
					h.pad.edit(path, []string{"x", "y"}[r.IntN(2)])
				case 6:
					if next := policies[r.IntN(2)]; r.IntN(3) == 0 && next != h.policy.Load() {
						h.SetPolicy(next)
						for _, o := range outs {
							if o.answer == nil { // the question is withdrawn
								o.policy = ""
							}
						}
					}
					time.Sleep(time.Duration(r.IntN(60)) * time.Second)
				}
			}
			if ran == 0 && seed == 0 {
				t.Error("nothing ever ran")
			}
		})
	}
}
