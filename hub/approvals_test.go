package hub

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What a person sees before they answer, and what follows from each answer.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(cursor)
		out := a.startCall(t.Context(), "put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		w := h.onlyPending()
		if w.Client != "cursor" || w.Proven || w.Tool != "put" || len(w.Targets) != 1 || w.Targets[0] != "a" || w.Until.Sub(w.Since) != 50*time.Second || w.AskReason == "" {
			t.Errorf("shown: %+v", w)
		}
		_, plan, _, _ := h.Approvals().Get(w.ID)
		if len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, "-one\n+two\n") || len(plan.Risks) != 1 {
			t.Errorf("plan: %+v", plan)
		}
		if h.notes.writes != 0 {
			t.Error("written before anybody said yes")
		}
		h.answer(w.ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if h.notes.holds("a") != "two\n" || h.notes.writes != 1 {
			t.Errorf("%d writes, a holds %q", h.notes.writes, h.notes.holds("a"))
		}

		out = a.startCall(t.Context(), "drop", `{"path":"a"}`) // the yes was for one call
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "keep it"})
		checkOutcome(t, <-out, tools.Denied, "keep it")

		out = a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.ForSession})
		checkOutcome(t, <-out, "ok", "")
		checkOutcome(t, <-a.startCall(t.Context(), "drop", `{"path":"b"}`), "ok", "") // not asked again

		checkOutcome(t, <-a.startCall(t.Context(), "get", `{"path":"a"}`), "ok", "")             // reads are not asked about
		checkOutcome(t, <-a.startCall(t.Context(), "put", `{"path":""}`), tools.Invalid, "path") // nor what fails anyway
		if !strings.Contains(h.log.String(), "msg=approval") || strings.Contains(h.log.String(), "keep it") {
			t.Error("receipts are missing, or tell too much")
		}
	})
}

// 2. A yes counts once; what it does not cover leaves it as it was.
func TestChecklistSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		h.notes.beforeWrite = func(p *fakeNotes) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.pages["a"] = "a person's edit\n"
		}
		a := h.agent(cursor)
		out := a.startCall(t.Context(), "put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, tools.Conflict, "not what the user approved")
		if h.notes.writes != 0 || h.notes.holds("a") != "a person's edit\n" {
			t.Error("an edit was overwritten that the person who approved was not shown")
		}
		out = a.startCall(t.Context(), "put", `{"path":"a","text":"two\n"}`) // asks again
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")

		out = a.startCall(t.Context(), "twice", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, tools.Conflict, "tried to make others")
		if h.notes.holds("n") != "x" || h.notes.holds("n2") != "" {
			t.Error("what was not shown was written, or what was approved was not")
		}
	})
}

// 3. Time-outs, cancellations and lost connections are a no, and an answer that
// comes late has no effect.
func TestChecklistExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(cursor)
		out := a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		late := h.onlyPending().ID
		checkOutcome(t, <-out, tools.Denied, "was not approved")
		if h.Approvals().Answer(late, true, status.Answer{}) == nil {
			t.Error("a late answer was taken")
		}
		ctx, cancel := context.WithCancel(t.Context())
		out = a.startCall(ctx, "drop", `{"path":"a"}`)
		synctest.Wait()
		cancelled := h.onlyPending().ID
		cancel()
		checkOutcome(t, <-out, tools.Timeout, "cancelled")
		if h.Approvals().Answer(cancelled, true, status.Answer{}) == nil {
			t.Error("an answer to a cancelled call was taken")
		}
		out = a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.notes.clockSkew.Store(int64(3 * time.Minute)) // the machine slept, and no timer has run yet
		if err := h.Approvals().Answer(h.onlyPending().ID, true, status.Answer{}); err == nil || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("an answer after its time: %v", err)
		}
		checkOutcome(t, <-out, tools.Denied, "was over")
		for range 100 { // both at once: whoever is heard, nothing is written
			ctx, cancel := context.WithCancel(t.Context())
			out = a.startCall(ctx, "drop", `{"path":"a"}`)
			synctest.Wait()
			id := h.onlyPending().ID
			cancel()
			_ = h.Approvals().Answer(id, true, status.Answer{})
			checkOutcome(t, <-out, tools.Timeout, "cancelled")
		}
		time.Sleep(time.Hour)
		if h.notes.writes != 0 || len(h.Approvals().Pending()) != 0 {
			t.Error("a call ran although its client was gone")
		}
	})
}

// 4. Another policy or another declaration of the tool ends what was allowed,
// and asks again for what waits.
func TestChecklistPolicyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(cursor)
		out := a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		former := h.onlyPending().ID
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}))
		synctest.Wait()
		w := h.onlyPending()
		if w.ID == former || h.Approvals().Answer(former, true, status.Answer{}) == nil {
			t.Error("an answer given under another policy counts")
		}
		h.answer(w.ID, true, status.Answer{Scope: status.ForSession})
		checkOutcome(t, <-out, "ok", "")
		checkOutcome(t, <-a.startCall(t.Context(), "drop", `{"path":"a"}`), "ok", "")

		h.SetPolicy(policy.New(askWrites(), nil))
		out = a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.onlyPending() // what was allowed for the session is forgotten
		h.SetPolicy(policy.New(nil, []policy.Rule{{Do: policy.Deny, Tool: "drop"}}))
		checkOutcome(t, <-out, tools.Denied, "forbids")

		allowance := func(digest string) string {
			c := &call{source: h.sources.sources[0], tool: &tool{info: tools.ToolInfo{Name: "x"}, digest: digest}}
			return c.allowance(h.policy.Load())
		}
		if allowance("1") == allowance("2") {
			t.Error("what is allowed for a session outlives the tool's declaration")
		}
	})
}

// A yes for good becomes a rule while its own call goes on, and does not stop
// it; a policy that asks or denies by then does.
func TestYesForGoodMeetsItsRule(t *testing.T) {
	for want, rule := range map[tools.Code]policy.Verdict{"ok": policy.Always, tools.Conflict: policy.Ask} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil, Limits{})
			h.notes.beforeWrite = func(*fakeNotes) {
				h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: rule, Tool: "drop", Client: "cursor"}}))
			}
			out := h.agent(cursor).startCall(t.Context(), "drop", `{"path":"a"}`)
			synctest.Wait()
			h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.Always})
			if o := <-out; outcomeCode(o) != want {
				t.Errorf("after a rule to %s the call is answered %v, want %s", rule, o.err, want)
			}
		})
	}
}

// 5. Deny over ask over allow; all targets of a call are judged as one; what is
// unknown is denied. TestPrecedence and TestDefaults of hub/policy hold the rest.
func TestChecklistPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, []policy.Rule{
			{Do: policy.Allow, Tool: "*"},
			{Do: policy.Deny, Path: "Journal/**"},
			{Do: policy.Ask, Path: "b"},
			{Do: "what"}, // fits everything; below it is taken out
		}, Limits{})
		a := h.agent(cursor)
		checkOutcome(t, <-a.startCall(t.Context(), "get", `{"path":"a"}`), tools.Denied, "forbids")
		h.SetPolicy(policy.New(nil, h.policy.Load().Rules()[:3]))
		checkOutcome(t, <-a.startCall(t.Context(), "get", `{"path":"a"}`), "ok", "")
		checkOutcome(t, <-a.startCall(t.Context(), "get", `{"path":"x/../Journal/today"}`), tools.Denied, "forbids")
		checkOutcome(t, <-a.startCall(t.Context(), "move", `{"from":"a","to":"Journal/new"}`), tools.Denied, "forbids") // one of two targets
		out := a.startCall(t.Context(), "move", `{"from":"a","to":"b"}`)
		synctest.Wait()
		if w := h.onlyPending(); len(w.Targets) != 2 {
			t.Errorf("judged as %v", w.Targets)
		}
		h.answer(h.onlyPending().ID, false, status.Answer{})
		<-out
		checkOutcome(t, <-a.startCall(t.Context(), "nothing", `{}`), tools.NotFound, "")
		checkOutcome(t, <-a.startCall(t.Context(), "own", `{"path":"a"}`), tools.Denied, "admin")
	})
}

// 6. What the outcome is stays known: a call is carried out after a yes and
// never without, and what it is about to change is compared at that moment.
// That a write which may have happened is told apart is the journal's promise.
func TestChecklistOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a := h.agent(cursor)
		for _, allow := range []bool{true, false} {
			before := h.notes.writes
			out := a.startCall(t.Context(), "put", `{"path":"n","text":"x"}`)
			synctest.Wait()
			h.answer(h.onlyPending().ID, allow, status.Answer{})
			o := <-out
			if wrote := h.notes.writes > before; wrote != allow || wrote != (o.err == nil) {
				t.Errorf("said %v, wrote %v, told %v", allow, wrote, o.err)
			}
		}
		checkOutcome(t, <-a.startCall(t.Context(), "sly", `{"path":"n","text":"y","dry_run":true}`), tools.Conflict, "to change nothing")
		if len(h.Approvals().Pending()) != 0 || h.notes.holds("n") != "x" {
			t.Error("a dry run waited or wrote")
		}
	})
}

// 7. A yes for a session is for one tool of one source and one session.
func TestChecklistSessionScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		a, b := h.agent(cursor), h.agent(cursor)
		out := a.startCall(t.Context(), "put", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.ForSession})
		<-out
		checkOutcome(t, <-a.startCall(t.Context(), "put", `{"path":"m","text":"x"}`), "ok", "")
		for _, again := range []struct {
			name, tool, args string
			who              *testAgent
		}{
			{"another tool", "drop", `{"path":"n"}`, a},
			{"another session", "put", `{"path":"n","text":"y"}`, b},
		} {
			out := again.who.startCall(t.Context(), again.tool, again.args)
			synctest.Wait()
			list := h.Approvals().Pending()
			if len(list) != 1 {
				t.Fatalf("%s was not asked about", again.name)
			}
			h.answer(list[0].ID, false, status.Answer{})
			<-out
		}
	})
}

// 8. Nothing that an agent can send answers a question: no tool, and no field
// of a call.
func TestChecklistApproverChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		for name := range h.allToolsets().widest.tools {
			if strings.Contains(name, "approv") || strings.Contains(name, "grant") || strings.Contains(name, "allow") {
				t.Errorf("agents have a tool %s", name)
			}
		}
		a := h.agent(cursor)
		out := a.startCall(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		id := h.onlyPending().ID
		for _, args := range []string{
			`{"path":"a","approve":"` + id + `"}`, `{"path":"a","approved":true}`, `{"path":"a","_meta":{"approval":"` + id + `"}}`,
		} {
			checkOutcome(t, <-a.startCall(t.Context(), "drop", args), tools.Invalid, "unknown argument")
		}
		if h.onlyPending().ID != id {
			t.Error("the agent's own call changed what waits")
		}
		h.answer(id, false, status.Answer{})
		<-out
	})
}

// 9. Refusals leave receipts too, with digests and no content.
func TestChecklistReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}, Limits{})
		a := h.agent(cursor)
		checkOutcome(t, <-a.startCall(t.Context(), "move", `{"from":"a","to":"canary"}`), tools.Denied, "")
		out := a.startCall(t.Context(), "put", `{"path":"a","text":"canary"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "canary"})
		<-out
		out = a.startCall(t.Context(), "put", `{"path":"a","text":"canary"}`)
		<-out // times out
		log := h.log.String()
		for want, n := range map[string]int{"msg=call": 3, "code=denied": 3, "msg=approval": 2, "outcome=denied": 2, "by=person": 1} {
			if strings.Count(log, want) != n {
				t.Errorf("%d of %s, want %d", strings.Count(log, want), want, n)
			}
		}
		if strings.Contains(log, "canary") {
			t.Error("the log holds content")
		}
	})
}
