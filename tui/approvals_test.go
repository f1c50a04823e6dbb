package tui

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// withOutcome is asked with its first approval ended.
func withOutcome(e status.ApprovalOutcome) status.Snapshot {
	s := asked()
	e.ID = s.Approvals[0].ID
	s.Seq, s.Approvals, s.Outcomes = 0, s.Approvals[1:], []status.ApprovalOutcome{{ID: "older", Resolution: status.Refused}, e}
	return s
}

// What waited and was answered elsewhere, or by no one, is said once, in
// whichever pane a person is.
func TestEndingsAreSaid(t *testing.T) {
	for want, e := range map[string]status.ApprovalOutcome{
		"allowed elsewhere":               {Resolution: status.Allowed, By: status.ByPerson},
		"refused elsewhere":               {Resolution: status.Refused, By: status.ByPerson},
		"allowed in the client":           {Resolution: status.Allowed, By: status.ByClient},
		"timed out, nobody answered":      {Resolution: status.TimedOut},
		"the call ended before an answer": {Resolution: status.ClientLeft},
		"re-evaluated, the rules changed": {Resolution: status.AskedAgain},
		"refused, too many calls waited":  {Resolution: status.Displaced},
	} {
		runPanel(t, crowded(), func(r *testPanel) {
			s := asked()
			s.Seq = 0
			r.hub.Set(s)
			r.settle()
			r.shows("wants")
			r.hub.Set(withOutcome(e))
			r.settle()
			r.shows("markdown_delete_page of claude-code: " + want)
			r.press("!")
			r.hides(want)
		})
	}
}

// The question about a call that waits no more goes, and the yes that was meant
// for it does nothing.
func TestQuestionEndsWithItsCall(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("A")
		r.shows("Allow markdown_delete_page?")
		r.wait(keyIgnoreDuration)
		r.hub.Set(withOutcome(status.ApprovalOutcome{Resolution: status.TimedOut}))
		r.settle()
		r.shows("markdown_delete_page of claude-code: timed out, nobody answered")
		r.hides("Allow markdown_delete_page?")
		r.press("y")
		r.did()
	})
}

// A panel that has answered says so once; one that was not the first says what
// the first answer was, whether it learns of that before or after.
func TestOwnAnswerIsSaidOnce(t *testing.T) {
	theirs := status.ApprovalOutcome{Resolution: status.Refused, By: status.ByPerson}
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.hub.Set(withOutcome(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByPerson}))
		r.settle()
		r.shows("deleting Journal/2026-11-20 and 4 more for claude-code …")
		r.hides("elsewhere")
	})
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.hub.SetErr(errors.New("no call waits as a1"))
		r.press("y")
		r.shows("no call waits as a1")
		r.hub.SetErr(nil)
		r.hub.Set(withOutcome(theirs))
		r.settle()
		r.shows("markdown_delete_page of claude-code: refused elsewhere")
		r.hides("no call waits")
	})
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.m.approvals = r.m.approvals.markAnswered("a1")
		r.hub.Set(withOutcome(theirs))
		r.settle()
		r.send(actionsDoneMsg{want: pane.DoActions{Actions: []status.Action{allowed("a1", status.Once)}}, err: errors.New("no call waits as a1")})
		r.shows("Already answered: refused elsewhere")
		r.hides("no call waits")
	})
}

// A yes is not the end of a call: the panel says what became of it, whenever it
// learns that.
func TestEndOfAllowedCallIsSaid(t *testing.T) {
	for want, end := range map[string]status.CallEnd{
		"● deleted: Journal/2026-11-20 and 4 more, for claude-code in 14 ms": {Changes: []string{"c1"}, Duration: 14 * time.Millisecond},
		"allowed and done, and nothing had to change":                        {},
		"✗ allowed, but nothing was changed: what the call would change is not what the user approved. claude-code was told so.": {
			Code: "conflict", Message: "what the call would change is not what the user approved",
		},
		"✗ changed meanwhile: Journal/2026-11-20 and 4 more. Nothing was written. claude-code waits again: look again": {Code: "conflict", AskedAgain: true},
		"it failed after it had written something: no space left":                                                      {Code: "unavailable", Message: "no space left", Changes: []string{"c1"}},
	} {
		for name, late := range map[string]bool{"after": true, "before": false} {
			runPanel(t, asked(), func(r *testPanel) {
				r.press("!")
				r.wait(keyIgnoreDuration)
				if late {
					r.press("y")
					r.shows("deleting")
					r.hides("deleted:")
				} else { // the snapshot is faster than the answer
					r.m.approvals = r.m.approvals.markAnswered("a1").markAllowed(r.m.snap.Approvals[0])
				}
				s := withOutcome(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByPerson, Call: &end})
				r.hub.Set(s)
				r.settle()
				if !late {
					r.send(actionsDoneMsg{want: pane.DoActions{Actions: []status.Action{allowed("a1", status.Once)}}, done: 1})
				}
				r.t.Log(name)
				r.shows(strings.Split(want, " ")...)
				r.hides("elsewhere")
			})
		}
	}
}

// When the hub ends while an allowed call runs, nobody knows whether it was
// carried out, and the panel says that.
func TestUnknownEndIsSaid(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("y")
		s := crowded()
		s.Seq, s.Hub.PID = 0, s.Hub.PID+1
		r.hub.Set(s)
		r.settle()
		r.shows("cannot tell whether", "was carried out")
	})
}

func TestEndingsAreSpoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, asked())
		l.since()
		l.hub.Set(withOutcome(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByClient}))
		l.settle()
		const want = "markdown_delete_page of claude-code: allowed in the client."
		if got := l.since(); !strings.Contains(got, want) {
			t.Errorf("heard:\n%s\nwant %s", got, want)
		}
		l.press("j")
		if got := l.since(); strings.Contains(got, "in the client") {
			t.Errorf("it is said twice:\n%s", got)
		}
	})
}

// That the hub died is said once, and not of one that was restarted.
func TestCrashIsSaid(t *testing.T) {
	for crashed, want := range map[bool]string{true: "The hub crashed and was restarted.", false: ""} {
		runPanel(t, crowded(), func(r *testPanel) {
			s := crowded()
			s.Seq, s.Hub.PID, s.Hub.AfterCrash = 0, s.Hub.PID+1, crashed
			r.hub.Set(s)
			r.settle()
			if want != "" {
				r.shows(want)
			} else {
				r.hides("The hub crashed")
			}
			r.press("2")
			s.Seq++
			r.hub.Set(s)
			r.settle()
			r.hides("The hub crashed")
		})
	}
}

// A plan from which a step has gone is read again, and the yes waits for that.
func TestShorterPlanIsReadAgain(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		folder := status.Step{Description: "create Journal/"}
		page := status.Step{Description: "create Journal/new.md", Diff: "@@ -0,0 +1 @@\n+text\n"}
		r.hub.SetPlan(status.Plan{Steps: []status.Step{folder, page}})
		r.press("!")
		r.shows("create Journal/ ", "create Journal/new.md")
		s := asked()
		s.Seq = 0
		s.Approvals[0].Targets, s.Approvals[0].Bytes = s.Approvals[0].Targets[1:], s.Approvals[0].Bytes+1
		r.hub.SetPlan(status.Plan{Steps: []status.Step{page}})
		r.hub.Set(s)
		r.settle()
		r.hides("create Journal/")
		r.shows("all shown", "1 +text")
		r.press("y")
		r.shows("y was not taken")
	})
}
