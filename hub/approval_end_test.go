package hub_test

import (
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

		h.notes.BeforeWrite = func(p *hubtest.FakeNotes) { p.Edit("a", "a person's edit\n") }
		out = a.startCall("put", `{"path":"a","text":"three\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, tools.Conflict, "not what the user approved")
		if o := last(); o.Resolution != status.Allowed || o.Call == nil || o.Call.Code != string(tools.Conflict) || !strings.Contains(o.Call.Message, "not what the user approved") {
			t.Errorf("after a write that was refused: %+v %+v", o, o.Call)
		}

		out = a.startCall("put", `{"path":"a","text":"four\n"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, false, status.Answer{})
		<-out
		if o := last(); o.Resolution != status.Refused || o.Call != nil {
			t.Errorf("after a refusal: %+v %+v", o, o.Call)
		}
	})
}

// A client that was answered with a form and does not come back leaves an
// approval without effect, and that is told.
func TestApprovalWithoutEffectIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := connectAs(t, h.testHub, mcp.Attach{Proven: "cursor"})
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
