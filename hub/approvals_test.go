package hub_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What a person sees before they answer, and what follows from each answer.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(cursor)
		out := a.startCall("put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		w := h.onlyPending()
		if w.Client != "cursor" || w.Proven || w.Tool != "put" || len(w.Targets) != 1 || w.Targets[0] != "a" || w.Until.Sub(w.Since) != 50*time.Second || w.AskReason == "" {
			t.Errorf("shown: %+v", w)
		}
		_, plan, _, _ := h.Approvals().Get(w.ID)
		if len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, "-one\n+two\n") || len(plan.Risks) != 1 {
			t.Errorf("plan: %+v", plan)
		}
		if h.notes.Writes != 0 {
			t.Error("written before anybody said yes")
		}
		h.answer(w.ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if h.notes.Text("a") != "two\n" || h.notes.Writes != 1 {
			t.Errorf("%d writes, a holds %q", h.notes.Writes, h.notes.Text("a"))
		}

		out = a.startCall("drop", `{"path":"a"}`) // the yes was for one call
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "keep it"})
		checkOutcome(t, <-out, tools.Denied, "keep it")

		a = h.agent(proven)
		out = a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.ForSession})
		checkOutcome(t, <-out, "ok", "")
		checkOutcome(t, <-a.startCall("drop", `{"path":"b"}`), "ok", "") // not asked again

		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")             // reads are not asked about
		checkOutcome(t, <-a.startCall("put", `{"path":""}`), tools.Invalid, "path") // nor what fails anyway
		if !strings.Contains(h.logged(), "msg=approval") || strings.Contains(h.logged(), "keep it") {
			t.Error("receipts are missing, or tell too much")
		}
	})
}

// 2. A yes counts once; what it does not cover leaves it as it was.
func TestChecklistSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		h.notes.BeforeWrite = func(p *hubtest.FakeNotes) {
			p.EditAsPerson("a", "a person's edit\n")
		}
		a := h.agent(cursor)
		out := a.startCall("put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		synctest.Wait() // asked again
		if h.notes.Writes != 0 || h.notes.Text("a") != "a person's edit\n" {
			t.Error("an edit was overwritten that the person who approved was not shown")
		}
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")

		out = a.startCall("twice", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, tools.Conflict, "tried to make others")
		if h.notes.Text("n") != "x" || h.notes.Text("n2") != "" {
			t.Error("what was not shown was written, or what was approved was not")
		}
	})
}

// 3. Time-outs, cancellations and lost connections are a no, and an answer that
// comes late has no effect.
func TestChecklistExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(cursor)
		out := a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		late := h.onlyPending().ID
		checkOutcome(t, <-out, tools.Denied, "was not approved")
		if h.Approvals().Answer(late, true, status.Answer{}) == nil {
			t.Error("a late answer was taken")
		}
		a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		cancelled := h.onlyPending().ID
		a.cancelLast()
		synctest.Wait()
		if !strings.Contains(h.logged(), "code=timeout") || len(h.pending()) != 0 {
			t.Error("a cancelled call goes on")
		}
		if h.Approvals().Answer(cancelled, true, status.Answer{}) == nil {
			t.Error("an answer to a cancelled call was taken")
		}
		out = a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		h.notes.ClockOffset.Store(int64(3 * time.Minute)) // the machine slept, and no timer has run yet
		if err := h.Approvals().Answer(h.onlyPending().ID, true, status.Answer{}); err == nil || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("an answer after its time: %v", err)
		}
		checkOutcome(t, <-out, tools.Denied, "was over")
		time.Sleep(time.Hour)
		if h.notes.Writes != 0 || len(h.pending()) != 0 {
			t.Error("a call ran although its client was gone")
		}
	})
}

// 4. Another policy or another declaration of the tool ends what was allowed,
// and asks again for what waits.
func TestChecklistPolicyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(proven)
		out := a.startCall("drop", `{"path":"a"}`)
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
		checkOutcome(t, <-a.startCall("drop", `{"path":"a"}`), "ok", "")

		h.SetPolicy(policy.New(askWrites(), nil))
		out = a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		h.onlyPending() // what was allowed for the session is forgotten
		h.SetPolicy(policy.New(nil, []policy.Rule{{Do: policy.Deny, Tool: "drop"}}))
		checkOutcome(t, <-out, tools.Denied, "forbids")
	})
}

// A yes for good becomes a rule while its own call goes on, and does not stop
// it; under a policy that asks by then the person is asked again, and one that
// denies stops it.
func TestYesForGoodMeetsItsRule(t *testing.T) {
	for want, rule := range map[tools.Code]policy.Verdict{"ok": policy.Always, tools.Timeout: policy.Ask, tools.Denied: policy.Deny} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			h.notes.BeforeWrite = func(*hubtest.FakeNotes) {
				h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: rule, Tool: "drop", Client: "cursor"}}))
			}
			out := h.agent(proven).startCall("drop", `{"path":"a"}`)
			synctest.Wait()
			h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.Always})
			synctest.Wait()
			if again := len(h.pending()) > 0; again != (want == tools.Timeout) || h.notes.Writes > 0 && want != "ok" {
				t.Errorf("after a rule to %s: asked again %v, %d writes", rule, again, h.notes.Writes)
			} else if again {
				return
			}
			if o := <-out; o.code != want {
				t.Errorf("after a rule to %s the call is answered %v, want %s", rule, o.text, want)
			}
		})
	}
}

// 5. Deny over ask over allow; all targets of a call are judged as one; what is
// unknown is denied. TestPrecedence and TestDefaults of hub/policy hold the rest.
func TestChecklistPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := []policy.Rule{
			{Do: policy.Allow, Tool: "*"},
			{Do: policy.Deny, Path: "Journal/**"},
			{Do: policy.Ask, Path: "b"},
			{Do: "what"}, // fits everything; below it is taken out
		}
		h := startNotes(t, nil, func(c *hub.Config) { c.Policy = policy.New(nil, rules) })
		a := h.agent(cursor)
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), tools.Denied, "forbids")
		h.SetPolicy(policy.New(nil, rules[:3]))
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		checkOutcome(t, <-a.startCall("get", `{"path":"x/../Journal/today"}`), tools.Denied, "forbids")
		checkOutcome(t, <-a.startCall("move", `{"from":"a","to":"Journal/new"}`), tools.Denied, "forbids") // one of two targets
		out := a.startCall("move", `{"from":"a","to":"b"}`)
		synctest.Wait()
		if w := h.onlyPending(); !slices.Equal(w.Targets, []string{"a → b"}) {
			t.Errorf("judged as %v", w.Targets)
		}
		h.answer(h.onlyPending().ID, false, status.Answer{})
		<-out
		checkOutcome(t, <-a.startCall("nothing", `{}`), notListed, "not found")
		checkOutcome(t, <-a.startCall("own", `{"path":"a"}`), notListed, "not found")
	})
}

// 6. What the outcome is stays known: a call is carried out after a yes and
// never without, and what it is about to change is compared at that moment.
// That a write which may have happened is told apart is the journal's promise.
func TestChecklistOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(cursor)
		for _, allow := range []bool{true, false} {
			before := h.notes.Writes
			out := a.startCall("put", `{"path":"n","text":"x"}`)
			synctest.Wait()
			h.answer(h.onlyPending().ID, allow, status.Answer{})
			o := <-out
			if wrote := h.notes.Writes > before; wrote != allow || wrote != (o.code == "ok") {
				t.Errorf("said %v, wrote %v, told %v", allow, wrote, o.text)
			}
		}
		checkOutcome(t, <-a.startCall("sly", `{"path":"n","text":"y","dry_run":true}`), tools.Conflict, "to change nothing")
		if len(h.pending()) != 0 || h.notes.Text("n") != "x" {
			t.Error("a dry run waited or wrote")
		}
	})
}

// 7. A yes for a session is for one tool of one source and one session.
func TestChecklistSessionScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a, b := h.agent(proven), h.agent(proven)
		out := a.startCall("put", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.ForSession})
		<-out
		checkOutcome(t, <-a.startCall("put", `{"path":"m","text":"x"}`), "ok", "")
		for _, again := range []struct {
			name, tool, args string
			who              *agent
		}{
			{"another tool", "drop", `{"path":"n"}`, a},
			{"another session", "put", `{"path":"n","text":"y"}`, b},
		} {
			out := again.who.startCall(again.tool, again.args)
			synctest.Wait()
			list := h.pending()
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
		h := startNotes(t, askWrites(), nil)
		list, err := h.PersonAPI().ClientTools(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, listed := range list {
			name := listed.Name
			if strings.Contains(name, "approv") || strings.Contains(name, "grant") || strings.Contains(name, "allow") {
				t.Errorf("agents have a tool %s", name)
			}
		}
		a := h.agent(cursor)
		out := a.startCall("drop", `{"path":"a"}`)
		synctest.Wait()
		id := h.onlyPending().ID
		for _, args := range []string{
			`{"path":"a","approve":"` + id + `"}`, `{"path":"a","approved":true}`, `{"path":"a","_meta":{"approval":"` + id + `"}}`,
		} {
			checkOutcome(t, <-a.startCall("drop", args), tools.Invalid, "unknown argument")
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
		h := startNotes(t, askWrites(), func(c *hub.Config) {
			c.Policy = policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}})
		})
		a := h.agent(cursor)
		checkOutcome(t, <-a.startCall("move", `{"from":"a","to":"canary"}`), tools.Denied, "")
		out := a.startCall("put", `{"path":"a","text":"canary"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{Reason: "canary"})
		<-out
		out = a.startCall("put", `{"path":"a","text":"canary"}`)
		<-out // times out
		log := h.logged()
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
