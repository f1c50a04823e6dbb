package hub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What a person allowed is not yet done: people learn how the call ended, also
// when nothing was written after all.
func TestAllowedCallTellsItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		last := func() status.ApprovalOutcome {
			t.Helper()
			all := h.Approvals().Outcomes()
			return all[len(all)-1]
		}
		a := h.agent(cursor)
		out := a.startCall("put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if o := last(); o.Resolution != status.Allowed || o.Call == nil || o.Call.Code != "" || o.Call.Message != "" {
			t.Errorf("after a write: %+v %+v", o, o.Call)
		}

		h.notes.BeforeWrite = func(p *hubtest.FakeNotes) { p.EditAsPerson("a", "a person's edit\n") }
		out = a.startCall("put", `{"path":"a","text":"three\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		synctest.Wait()
		if o := last(); o.Resolution != status.Allowed || o.Call == nil || !o.Call.AskedAgain || len(o.Call.Changes) > 0 {
			t.Errorf("after a write that was refused: %+v %+v", o, o.Call)
		}
		h.answer(h.onlyPending().ID, false, status.Answer{})
		checkOutcome(t, <-out, tools.Denied, "")

		out = a.startCall("put", `{"path":"a","text":"four\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{})
		<-out
		if o := last(); o.Resolution != status.Refused || o.Call != nil {
			t.Errorf("after a refusal: %+v %+v", o, o.Call)
		}
	})
}

// A question ends with the connection of the client that waits for it.
func TestQuestionEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(cursor)
		a.startCall("put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		h.onlyPending()
		if err := a.c.Conn.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if left := h.Approvals().Pending(); len(left) > 0 {
			t.Errorf("%d still ask", len(left))
		}
		all := h.Approvals().Outcomes()
		if len(all) != 1 || all[0].Resolution != status.ClientLeft {
			t.Errorf("outcomes %+v", all)
		}
	})
}

// Four calls wait that create the same folder. The first yes creates it, and the
// others go on, because all that has gone from their plans is made already.
func TestYesCountsWhenAFolderIsThereAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		var ends []<-chan callOutcome
		for i := range 4 {
			ends = append(ends, h.agent(cursor).startCall("put", fmt.Sprintf(`{"path":"new/%d","text":"x"}`, i)))
		}
		synctest.Wait()
		for _, w := range h.pending() {
			if len(w.Targets) != 2 {
				t.Fatalf("the plan has not the folder: %q", w.Targets)
			}
			h.answer(w.ID, true, status.Answer{})
			synctest.Wait()
		}
		for i, end := range ends {
			checkOutcome(t, <-end, "ok", "")
			if h.notes.Text(fmt.Sprintf("new/%d", i)) != "x" {
				t.Errorf("the %dth page was not written", i)
			}
		}
	})
}

// What another call has made meanwhile leaves the plan of a call that waits, so that a person
// is not asked to make an existing folder. If it is gone again, they are asked again.
func TestStepsThatWereMadeLeaveAPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		first := h.agent(cursor).startCall("put", `{"path":"new/1","text":"x"}`)
		second := h.agent(cursor).startCall("put", `{"path":"new/2","text":"y"}`)
		synctest.Wait()
		waits := h.pending()
		h.answer(waits[0].ID, true, status.Answer{})
		synctest.Wait()
		left := h.onlyPending()
		text, err := h.Approvals().ApprovalText(status.ApprovalRange{ID: left.ID})
		if err != nil || left.ID != waits[1].ID || len(left.Targets) != 1 || strings.Contains(text.Text, "create new/\n") || left.Bytes != len(text.Text) {
			t.Fatalf("%+v\n%s, %v", left, text.Text, err)
		}
		if _, plan, _, _ := h.Approvals().Get(left.ID); len(plan.Steps) != 1 {
			t.Errorf("the plan is %+v", plan.Steps)
		}
		h.notes.EditAsPerson("new/", "") // somebody removes it
		h.answer(left.ID, true, status.Answer{})
		synctest.Wait()
		again := h.onlyPending()
		if again.ID == left.ID || len(again.Targets) != 2 {
			t.Fatalf("the yes made a folder that nobody was shown: %+v", again)
		}
		h.answer(again.ID, true, status.Answer{})
		for _, end := range []<-chan callOutcome{first, second} {
			checkOutcome(t, <-end, "ok", "")
		}
	})
}

// What changed after it was shown is shown again, and only what was shown last is
// written.
func TestChangedPlanIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		out := h.agent(cursor).startCall("put", `{"path":"new/a","text":"x"}`)
		synctest.Wait()
		h.notes.EditAsPerson("new/a", "a person's page\n")
		first := h.onlyPending()
		h.answer(first.ID, true, status.Answer{})
		synctest.Wait()
		second := h.onlyPending()
		if second.ID == first.ID || !strings.Contains(second.AskReason, "look again") || h.notes.Writes != 0 {
			t.Fatalf("asked %+v after %+v, %d writes", second, first, h.notes.Writes)
		}
		if _, plan, _, _ := h.Approvals().Get(second.ID); !strings.Contains(fmt.Sprint(plan.Steps), "-a person's page") {
			t.Errorf("the plan is not new: %v", plan.Steps)
		}
		h.answer(second.ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if h.notes.Text("new/a") != "x" {
			t.Error("not written")
		}
	})
}

// A client that was answered with a form and does not come back leaves an
// approval without effect, and that is told.
func TestApprovalWithoutEffectIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := connectAs(t, h.testHub, mcp.ConnectionInfo{Proven: "cursor"})
		isForm(t, c.Ask("tools/call", dropForm("", "")).Result)
		h.answer(h.onlyPending().ID, true, status.Answer{})
		if o := h.Approvals().Outcomes()[0]; o.Call != nil {
			t.Errorf("ended before the client came back: %+v", o.Call)
		}
		time.Sleep(time.Hour)
		if o := h.Approvals().Outcomes()[0]; o.Resolution != status.Allowed || o.Call == nil || o.Call.Code != string(tools.Timeout) {
			t.Errorf("after the form has expired: %+v %+v", o, o.Call)
		}
	})
}

// What is asked again is planned again: a folder that another call has made meanwhile is no
// step of it any more.
func TestReplannedApprovalHasNoFolderThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		first := h.agent(cursor).startCall("put", `{"path":"new/a","text":"x"}`)
		second := h.agent(cursor).startCall("put", `{"path":"new/b","text":"y"}`)
		synctest.Wait()
		for _, w := range h.pending() {
			if slices.Contains(w.Targets, "new/a") {
				h.answer(w.ID, true, status.Answer{})
			}
		}
		checkOutcome(t, <-first, "ok", "")
		h.notes.EditAsPerson("new/b", "a person's page\n")
		before := h.onlyPending()
		if len(before.Targets) != 1 {
			t.Fatalf("asked first about %q", before.Targets)
		}
		h.answer(before.ID, true, status.Answer{})
		synctest.Wait()
		again := h.onlyPending()
		_, plan, _, _ := h.Approvals().Get(again.ID)
		if !slices.Equal(again.Targets, []string{"new/b"}) || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Description, "new/b") {
			t.Errorf("asked again about %q: %+v", again.Targets, plan.Steps)
		}
		h.answer(again.ID, true, status.Answer{})
		checkOutcome(t, <-second, "ok", "")
	})
}
