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
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// tries makes a call as a client of the modern era does, with what it brings
// back of a form; state is of the form that it is answered with, or empty.
func (a *testAgent) callWithForm(ctx context.Context, tool, args string, back *approval.FilledForm) (o callOutcome, state string) {
	res, err := a.h.call(ctx, caller{session: a.s, client: a.who, toolset: a.h.toolsetOf(a.who), via: tools.ViaStdio}, mcp.Call{Tool: tool, Args: json.RawMessage(args), Forms: true, Form: back})
	if f, ok := errors.AsType[*approval.FormRequiredError](err); ok {
		return callOutcome{}, f.State
	}
	return callOutcome{res, tools.AsError(err)}, ""
}

// form is tries for a call that must be answered with one.
func (a *testAgent) form(tool, args string) (state string) {
	a.h.t.Helper()
	o, state := a.callWithForm(a.h.t.Context(), tool, args, nil)
	if state == "" {
		a.h.t.Fatalf("got %s (%v), want a form", outcomeCode(o), o.err)
	}
	return state
}

// open counts the calls that wait.
func (h *notesHub) open() int { return len(h.Approvals().Pending()) }

// filledIn is a form that was filled in.
func filledIn(state string, allow bool) *approval.FilledForm {
	return &approval.FilledForm{State: state, Answer: approval.FormAnswer{Valid: true, Allow: allow}}
}

func yes(state string) *approval.FilledForm { return filledIn(state, true) }

var proven = policy.Client{Name: "cursor", Proven: true}

const dropA = `{"path":"a"}`

// 1. What comes back counts for the very call that was asked about, of the same
// client and session, and a wrong try leaves the question as it was.
func TestChecklistFormBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, append(askWrites(), policy.Grant{Client: "codex", Elicit: new(true)}), nil, Limits{})
		a := h.agent(proven)
		state := a.form("drop", dropA)
		other := a.form("put", `{"path":"b","text":"x"}`)
		sameSession := *a
		sameSession.who = policy.Client{Name: "codex"}
		for name, try := range map[string]struct {
			who              *testAgent
			tool, args, back string
		}{
			"other arguments":           {a, "drop", `{"path":"b"}`, state},
			"another tool":              {a, "put", dropA, state},
			"another session":           {h.agent(proven), "drop", dropA, state},
			"another client":            {h.agent(policy.Client{Name: "codex"}), "drop", dropA, state},
			"another name":              {&sameSession, "drop", dropA, state},
			"the state of another":      {a, "drop", dropA, other},
			"a guess":                   {a, "drop", dropA, "AAAAAAAAAAAAAAAAAAAAAAAAAA"},
			"the approval's id":         {a, "drop", dropA, h.Approvals().Pending()[0].ID},
			"the state in another case": {a, "drop", dropA, state[:1] + "_" + state[2:]},
		} {
			o, _ := try.who.callWithForm(t.Context(), try.tool, try.args, yes(try.back))
			if outcomeCode(o) != tools.Conflict || h.notes.Writes != 0 || len(h.Approvals().Pending()) != 2 {
				t.Errorf("%s: %s, %d writes, %d wait", name, outcomeCode(o), h.notes.Writes, len(h.Approvals().Pending()))
			}
		}
		o, _ := a.callWithForm(t.Context(), "drop", ` { "path" : "a" } `, yes(state)) // the same arguments
		checkOutcome(t, o, "ok", "")
	})
}

// 2. What comes back counts once, also when it comes back many times at once,
// and not for a page that was edited since: then the user is asked again.
func TestChecklistFormSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(proven)
		state := a.form("drop", dropA)
		outcomes := make(chan callOutcome, 20)
		for range cap(outcomes) {
			go func() {
				o, _ := a.callWithForm(t.Context(), "drop", dropA, yes(state))
				outcomes <- o
			}()
		}
		ran := 0
		for range cap(outcomes) {
			if o := <-outcomes; outcomeCode(o) == "ok" {
				ran++
			} else if outcomeCode(o) != tools.Conflict {
				t.Errorf("got %s (%v)", outcomeCode(o), o.err)
			}
		}
		if ran != 1 || h.notes.Writes != 1 {
			t.Errorf("%d ran, %d writes", ran, h.notes.Writes)
		}

		state = a.form("drop", `{"path":"Journal/today"}`)
		h.notes.EditAsPerson("Journal/today", "an edit")
		_, next := a.callWithForm(t.Context(), "drop", `{"path":"Journal/today"}`, yes(state))
		if next == "" || next == state || h.notes.Writes != 1 || h.notes.Text("Journal/today") != "an edit" {
			t.Fatal("an edit was written over that the user was not shown")
		}
		former := h.onlyPending().ID
		h.notes.EditAsPerson("Journal/today", "a further edit")
		_, next = a.callWithForm(t.Context(), "drop", `{"path":"Journal/today"}`, &approval.FilledForm{State: next}) // a form that was closed
		if next == "" || h.onlyPending().ID == former {
			t.Error("what is no longer the question still waits")
		}
		h.notes.BeforeWrite = func(p *hubtest.FakeNotes) { p.EditAsPerson("Journal/today", "another edit") }
		o, _ := a.callWithForm(t.Context(), "drop", `{"path":"Journal/today"}`, yes(next))
		checkOutcome(t, o, tools.Conflict, "not what the user approved")
		if h.notes.Writes != 1 {
			t.Error("an edit between question and write was written over")
		}
	})
}

// 3. A client that comes back late, or never, gets nothing done; nor does one
// whose session is over, or whose hub ends.
func TestChecklistFormExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(proven)
		state := a.form("drop", dropA)
		id := h.onlyPending().ID
		time.Sleep(h.limits.Form - time.Second)
		h.onlyPending()
		time.Sleep(2 * time.Second)
		if h.open() != 0 || h.Approvals().Answer(id, true, status.Answer{}) == nil {
			t.Error("it still waits")
		}
		o, _ := a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.answer(h.onlyPending().ID, true, status.Answer{})
		time.Sleep(h.limits.Form + time.Second) // a yes in the panel lives no longer
		o, _ = a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.notes.ClockOffset.Store(int64(time.Hour)) // the machine slept, and no timer has run yet
		o, _ = a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")
		h.notes.ClockOffset.Store(0)
		time.Sleep(time.Hour)

		state = a.form("drop", dropA)
		h.sessions.mu.Lock()
		h.sessions.open[a.s.Session] = a.s
		h.sessions.mu.Unlock()
		h.handleSessionChange(a.s.Session, false)
		if h.open() != 0 {
			t.Error("it waits for a session that is over")
		}
		o, _ = a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := make(chan callOutcome)
		go func() { o, _ := a.callWithForm(ctx, "drop", dropA, &approval.FilledForm{State: state}); cancelled <- o }()
		synctest.Wait()
		id = h.onlyPending().ID
		cancel()
		checkOutcome(t, <-cancelled, tools.Timeout, "cancelled")
		if h.Approvals().Answer(id, true, status.Answer{}) == nil {
			t.Error("an answer to a cancelled call was taken")
		}
		o, _ = a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")

		state = a.form("drop", dropA)
		h.approvals.Close()
		o, _ = a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Conflict, "has expired")
		if h.notes.Writes != 0 {
			t.Error("a call ran that was not approved in time")
		}
	})
}

// 4. Under another policy what was asked is no longer the question: it is
// judged again. But a refusal stands, even where no one is asked any more.
func TestChecklistFormPolicyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(proven)
		former := a.form("drop", dropA)
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}))
		_, state := a.callWithForm(t.Context(), "drop", dropA, yes(former))
		if state == "" || h.notes.Writes != 0 {
			t.Fatal("a yes under another policy counts")
		}
		h.onlyPending()
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "drop"}}))
		o, _ := a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Denied, "forbids")

		h.SetPolicy(policy.New(askWrites(), nil))
		one, two := a.form("drop", dropA), a.form("drop", dropA)
		h.answer(h.Approvals().Pending()[0].ID, true, status.Answer{Scope: status.ForSession})
		h.answer(h.Approvals().Pending()[0].ID, false, status.Answer{Reason: "by hand"})
		first, _ := a.callWithForm(t.Context(), "drop", dropA, yes(one))
		second, _ := a.callWithForm(t.Context(), "drop", dropA, yes(two))
		if outcomeCode(first) == outcomeCode(second) || h.notes.Writes != 1 {
			t.Errorf("one was allowed for the session, one refused: %s and %s", outcomeCode(first), outcomeCode(second))
		}
		if h.open() != 0 {
			t.Error("something still waits")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(proven)
		state := a.form("drop", dropA)
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "by hand"})
		h.SetPolicy(policy.New(nil, nil)) // no one is asked any more
		o, _ := a.callWithForm(t.Context(), "drop", dropA, yes(state))
		checkOutcome(t, o, tools.Denied, "by hand")
		o, _ = a.callWithForm(t.Context(), "drop", dropA, nil)
		checkOutcome(t, o, "ok", "")
	})
}

// Of any order of calls, answers here and there, edits, time and policies, a
// call runs only when the first to answer its very question said yes, in time,
// of the page as it is.
func TestFormsInAnyOrder(t *testing.T) {
	type out struct {
		who          *testAgent
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
			h := startNotes(t, nil, nil, Limits{Approval: time.Millisecond})
			h.discardLog()
			h.SetPolicy(policies[0])
			askers := []*testAgent{h.agent(proven), h.agent(proven)}
			outs := map[string]*out{}
			known := map[string]bool{} // ids of approvals
			paths := []string{"a", "b"}
			ran := 0
			asks := func(a *testAgent, path, state string) {
				id := ""
				for _, p := range h.Approvals().Pending() {
					if !known[p.ID] {
						id, known[p.ID] = p.ID, true
					}
				}
				outs[state] = &out{who: a, path: path, before: h.notes.Text(path), policy: h.policy.Load().Digest(), until: time.Now().Add(h.limits.Form), id: id}
			}
			for step := range 200 {
				a, path := askers[r.IntN(2)], paths[r.IntN(2)]
				switch r.IntN(7) {
				case 0:
					if _, state := a.callWithForm(t.Context(), "drop", fmt.Sprintf(`{"path":%q}`, path), nil); state != "" {
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
					if time.Now().Equal(o.until) { // the form is just expiring: let it
						time.Sleep(time.Nanosecond)
					}
					said, allow := r.IntN(4) > 0, r.IntN(3) > 0
					back := filledIn(state, allow)
					back.Answer.Valid = said
					right := !o.back && a == o.who && path == o.path && !time.Now().After(o.until)
					if right {
						o.back = true
						if o.answer == nil && said && o.policy == h.policy.Load().Digest() {
							o.answer = &allow
						}
					}
					want := right && o.answer != nil && *o.answer && o.before == h.notes.Text(path) && o.policy == h.policy.Load().Digest()
					got, next := a.callWithForm(t.Context(), "drop", fmt.Sprintf(`{"path":%q}`, path), back)
					if want {
						ran++
					}
					if (outcomeCode(got) == "ok" && next == "") != want || h.notes.Writes != ran {
						t.Fatalf("seed %d, step %d: %s (%v), %d writes, want it to run: %v; %+v", seed, step, outcomeCode(got), got.err, h.notes.Writes, want, o)
					}
					if next != "" {
						asks(a, path, next)
					}
				case 4:
					for _, state := range slices.Sorted(maps.Keys(outs)) {
						o, allow := outs[state], r.IntN(2) == 0
						if r.IntN(3) == 0 && h.Approvals().Answer(o.id, allow, status.Answer{}) == nil {
							o.answer = &allow
						}
					}
				case 5:
					h.notes.EditAsPerson(path, []string{"x", "y"}[r.IntN(2)])
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
