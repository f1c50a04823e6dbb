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
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(cursor)
		out := a.begin(t.Context(), "put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		w := h.waiting()
		if w.Client != "cursor" || w.Proven || w.Tool != "put" || len(w.Targets) != 1 || w.Targets[0] != "a" || w.Until.Sub(w.Since) != 50*time.Second || w.Why == "" {
			t.Errorf("shown: %+v", w)
		}
		_, plan, _, _ := h.Approval(w.ID)
		if len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Diff, "-one\n+two\n") || len(plan.Risks) != 1 {
			t.Errorf("plan: %+v", plan)
		}
		if h.pad.writes != 0 {
			t.Error("written before anybody said yes")
		}
		h.answers(w.ID, true, status.Answer{})
		says(t, <-out, "ok", "")
		if h.pad.holds("a") != "two\n" || h.pad.writes != 1 {
			t.Errorf("%d writes, a holds %q", h.pad.writes, h.pad.holds("a"))
		}

		out = a.begin(t.Context(), "drop", `{"path":"a"}`) // the yes was for one call
		synctest.Wait()
		h.answers(h.waiting().ID, false, status.Answer{Reason: "keep it"})
		says(t, <-out, tools.Denied, "keep it")

		out = a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{Scope: status.ForSession})
		says(t, <-out, "ok", "")
		says(t, <-a.begin(t.Context(), "drop", `{"path":"b"}`), "ok", "") // not asked again

		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), "ok", "")             // reads are not asked about
		says(t, <-a.begin(t.Context(), "put", `{"path":""}`), tools.Invalid, "path") // nor what fails anyway
		if !strings.Contains(h.log.String(), "msg=approval") || strings.Contains(h.log.String(), "keep it") {
			t.Error("receipts are missing, or tell too much")
		}
	})
}

// 2. A yes counts once; what it does not cover leaves it as it was.
func TestChecklistSingleUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		h.pad.meddle = func(p *pad) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.pages["a"] = "a person's edit\n"
		}
		a := h.asker(cursor)
		out := a.begin(t.Context(), "put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{})
		says(t, <-out, tools.Conflict, "not what the user approved")
		if h.pad.writes != 0 || h.pad.holds("a") != "a person's edit\n" {
			t.Error("an edit was written over that nobody showed the person who said yes")
		}
		out = a.begin(t.Context(), "put", `{"path":"a","text":"two\n"}`) // asks anew
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{})
		says(t, <-out, "ok", "")

		out = a.begin(t.Context(), "twice", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{})
		says(t, <-out, tools.Conflict, "tried to make others")
		if h.pad.holds("n") != "x" || h.pad.holds("n2") != "" {
			t.Error("what was not shown was written, or what was approved was not")
		}
	})
}

// 3. Time-outs, cancellations and lost connections are a no, and an answer that
// comes late has no effect.
func TestChecklistExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(cursor)
		out := a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		late := h.waiting().ID
		says(t, <-out, tools.Denied, "was not approved")
		if h.Answer(late, true, status.Answer{}) == nil {
			t.Error("a late answer was taken")
		}
		ctx, cancel := context.WithCancel(t.Context())
		out = a.begin(ctx, "drop", `{"path":"a"}`)
		synctest.Wait()
		cancelled := h.waiting().ID
		cancel()
		says(t, <-out, tools.Timeout, "cancelled")
		if h.Answer(cancelled, true, status.Answer{}) == nil {
			t.Error("an answer to a cancelled call was taken")
		}
		out = a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.pad.skew.Store(int64(3 * time.Minute)) // the machine slept, and no timer has run yet
		if err := h.Answer(h.waiting().ID, true, status.Answer{}); err == nil || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("an answer after its time: %v", err)
		}
		says(t, <-out, tools.Denied, "was over")
		for range 100 { // both at once: whoever is heard, nothing is written
			ctx, cancel := context.WithCancel(t.Context())
			out = a.begin(ctx, "drop", `{"path":"a"}`)
			synctest.Wait()
			id := h.waiting().ID
			cancel()
			_ = h.Answer(id, true, status.Answer{})
			says(t, <-out, tools.Timeout, "cancelled")
		}
		time.Sleep(time.Hour)
		if h.pad.writes != 0 || len(h.approvals.Pending()) != 0 {
			t.Error("a call ran that nobody waits for")
		}
	})
}

// 4. Another policy or another declaration of the tool ends what was allowed,
// and asks again for what waits.
func TestChecklistPolicyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(cursor)
		out := a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		former := h.waiting().ID
		h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}))
		synctest.Wait()
		w := h.waiting()
		if w.ID == former || h.Answer(former, true, status.Answer{}) == nil {
			t.Error("an answer given under another policy counts")
		}
		h.answers(w.ID, true, status.Answer{Scope: status.ForSession})
		says(t, <-out, "ok", "")
		says(t, <-a.begin(t.Context(), "drop", `{"path":"a"}`), "ok", "")

		h.SetPolicy(policy.New(askWrites(), nil))
		out = a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		h.waiting() // what was allowed for the session is forgotten
		h.SetPolicy(policy.New(nil, []policy.Rule{{Do: policy.Deny, Tool: "drop"}}))
		says(t, <-out, tools.Denied, "forbids")

		allowance := func(digest string) string {
			c := &call{source: h.sources[0], tool: &tool{info: tools.ToolInfo{Name: "x"}, digest: digest}}
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
			h := startPad(t, askWrites(), nil, Limits{})
			h.pad.meddle = func(*pad) {
				h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: rule, Tool: "drop", Client: "cursor"}}))
			}
			out := h.asker(cursor).begin(t.Context(), "drop", `{"path":"a"}`)
			synctest.Wait()
			h.answers(h.waiting().ID, true, status.Answer{Scope: status.Always})
			if o := <-out; code(o) != want {
				t.Errorf("after a rule to %s the call is answered %v, want %s", rule, o.err, want)
			}
		})
	}
}

// 5. Deny over ask over allow; all targets of a call are judged as one; what is
// unknown is denied. TestPrecedence and TestDefaults of hub/policy hold the rest.
func TestChecklistPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, nil, []policy.Rule{
			{Do: policy.Allow, Tool: "*"},
			{Do: policy.Deny, Path: "Journal/**"},
			{Do: policy.Ask, Path: "b"},
			{Do: "what"}, // fits everything; below it is taken out
		}, Limits{})
		a := h.asker(cursor)
		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), tools.Denied, "forbids")
		h.SetPolicy(policy.New(nil, h.policy.Load().Rules()[:3]))
		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), "ok", "")
		says(t, <-a.begin(t.Context(), "get", `{"path":"x/../Journal/today"}`), tools.Denied, "forbids")
		says(t, <-a.begin(t.Context(), "move", `{"from":"a","to":"Journal/new"}`), tools.Denied, "forbids") // one of two targets
		out := a.begin(t.Context(), "move", `{"from":"a","to":"b"}`)
		synctest.Wait()
		if w := h.waiting(); len(w.Targets) != 2 {
			t.Errorf("judged as %v", w.Targets)
		}
		h.answers(h.waiting().ID, false, status.Answer{})
		<-out
		says(t, <-a.begin(t.Context(), "nothing", `{}`), tools.NotFound, "")
		says(t, <-a.begin(t.Context(), "own", `{"path":"a"}`), tools.Denied, "admin")
	})
}

// 6. What the outcome is stays known: a call is carried out after a yes and
// never without, and what it is about to change is compared at that moment.
// That a write which may have happened is told apart is the journal's promise.
func TestChecklistOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(cursor)
		for _, allow := range []bool{true, false} {
			before := h.pad.writes
			out := a.begin(t.Context(), "put", `{"path":"n","text":"x"}`)
			synctest.Wait()
			h.answers(h.waiting().ID, allow, status.Answer{})
			o := <-out
			if wrote := h.pad.writes > before; wrote != allow || wrote != (o.err == nil) {
				t.Errorf("said %v, wrote %v, told %v", allow, wrote, o.err)
			}
		}
		says(t, <-a.begin(t.Context(), "sly", `{"path":"n","text":"y","dry_run":true}`), tools.Conflict, "to change nothing")
		if len(h.approvals.Pending()) != 0 || h.pad.holds("n") != "x" {
			t.Error("a dry run waited or wrote")
		}
	})
}

// 7. A yes for a session is for one tool of one source and one session.
func TestChecklistSessionScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a, b := h.asker(cursor), h.asker(cursor)
		out := a.begin(t.Context(), "put", `{"path":"n","text":"x"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{Scope: status.ForSession})
		<-out
		says(t, <-a.begin(t.Context(), "put", `{"path":"m","text":"x"}`), "ok", "")
		for _, again := range []struct {
			name, tool, args string
			who              *asker
		}{
			{"another tool", "drop", `{"path":"n"}`, a},
			{"another session", "put", `{"path":"n","text":"y"}`, b},
		} {
			out := again.who.begin(t.Context(), again.tool, again.args)
			synctest.Wait()
			list := h.approvals.Pending()
			if len(list) != 1 {
				t.Fatalf("%s was not asked about", again.name)
			}
			h.answers(list[0].ID, false, status.Answer{})
			<-out
		}
	})
}

// 8. Nothing that an agent can send answers a question: no tool, and no field
// of a call.
func TestChecklistApproverChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		for name := range h.allToolsets().widest.tools {
			if strings.Contains(name, "approv") || strings.Contains(name, "grant") || strings.Contains(name, "allow") {
				t.Errorf("agents have a tool %s", name)
			}
		}
		a := h.asker(cursor)
		out := a.begin(t.Context(), "drop", `{"path":"a"}`)
		synctest.Wait()
		id := h.waiting().ID
		for _, args := range []string{
			`{"path":"a","approve":"` + id + `"}`, `{"path":"a","approved":true}`, `{"path":"a","_meta":{"approval":"` + id + `"}}`,
		} {
			says(t, <-a.begin(t.Context(), "drop", args), tools.Invalid, "unknown argument")
		}
		if h.waiting().ID != id {
			t.Error("the agent's own call changed what waits")
		}
		h.answers(id, false, status.Answer{})
		<-out
	})
}

// 9. Refusals leave receipts too, with digests and no content.
func TestChecklistReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), []policy.Rule{{Do: policy.Deny, Tool: "move"}}, Limits{})
		a := h.asker(cursor)
		says(t, <-a.begin(t.Context(), "move", `{"from":"a","to":"canary"}`), tools.Denied, "")
		out := a.begin(t.Context(), "put", `{"path":"a","text":"canary"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, false, status.Answer{Reason: "canary"})
		<-out
		out = a.begin(t.Context(), "put", `{"path":"a","text":"canary"}`)
		<-out // nobody answers
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
