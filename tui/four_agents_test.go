package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// fourAgents is a hub where four calls wait, each for a page in a folder that is to be made, and what
// the first of them would do. made: the folder is there by now.
func fourAgents(first int, made bool) (status.Snapshot, status.Plan) {
	s := crowded()
	page := func(i int) string { return fmt.Sprintf("Agents/q%d.md", i) }
	for i := first; i < 4; i++ {
		a := status.Approval{
			ID: fmt.Sprintf("q%d", i), Since: noon.Add(-time.Duration(10-i) * time.Second), Until: noon.Add(time.Duration(35+5*i) * time.Second),
			Session: fmt.Sprintf("s%d", i+1), Client: fmt.Sprintf("agent-%d", i), Source: "notes", Tool: "write_page", Effect: "write",
			Targets: []string{page(i)}, Added: 2, Within: []string{"Agents/**", "**"}, AskReason: "writing asks first in notes", Bytes: 100 + i,
		}
		if !made {
			a.Targets, a.Bytes = append([]string{"Agents/"}, a.Targets...), 200+i
		}
		s.Approvals = append(s.Approvals, a)
	}
	plan := status.Plan{Steps: []status.Step{{
		Description: "create " + page(first), Diff: fmt.Sprintf("--- /dev/null\n+++ %s\n@@ -0,0 +1,2 @@\n+# Queue %d\n+by agent-%d\n", page(first), first, first),
	}}}
	if !made {
		plan.Steps = append([]status.Step{{Description: "create Agents/"}}, plan.Steps...)
	}
	return s, plan
}

// TestFourAgents pins what a person sees of four agents that ask at once: the queue; the next one
// after the first yes, whose plan has become shorter by that; and one that comes back into the
// queue because its page has changed.
func TestFourAgents(t *testing.T) {
	var bodies strings.Builder
	for _, size := range sizes[1:] {
		synctest.Test(t, func(t *testing.T) {
			show := func(r *testPanel, stage string) {
				_, body, footer := parts(r.screen())
				fmt.Fprintf(&bodies, "-- %dx%d, %s --\n%s\n%s\n", size[0], size[1], stage, body, footer)
			}
			s, plan := fourAgents(0, false)
			r := newTestPanelWith(t, s, filledQueries(), size[0], size[1])
			r.hub.SetPlan(plan)
			r.press("!")
			r.wait(keyIgnoreDuration)
			show(r, "four wait")
			r.press("y")
			s, plan = fourAgents(1, true)
			s.Seq, s.Outcomes = 0, []status.ApprovalOutcome{{
				ID: "q0", Resolution: status.Allowed, By: status.ByPerson, Call: &status.CallEnd{Changes: []string{"c1"}, Duration: 14 * time.Millisecond},
			}}
			r.hub.SetPlan(plan)
			r.hub.Set(s)
			r.settle()
			r.wait(2 * keyIgnoreDuration)
			r.did(allowed("q0", status.Once))
			r.shows("agent-1", "by agent-1")
			r.hides("create Agents/ ")
			show(r, "the folder is there")

			r.press("y") // the page was written by somebody else meanwhile
			again, _ := fourAgents(1, true)
			changed := again.Approvals[0]
			changed.ID, changed.Since, changed.AskReason = "q1b", noon, "it changed after you had allowed it, so look again; writing asks first in notes"
			again.Approvals = append(again.Approvals[1:], changed)
			again.Seq, again.Outcomes = 0, []status.ApprovalOutcome{{
				ID: "q1", Resolution: status.Allowed, By: status.ByPerson, Call: &status.CallEnd{AskedAgain: true},
			}}
			_, next := fourAgents(2, true)
			r.hub.SetPlan(next)
			r.hub.Set(again)
			r.wait(keyIgnoreDuration)
			r.shows("agent-2", "by agent-2")
			show(r, "one waits again")
		})
	}
	golden(t, "approval-four-agents.txt", bodies.String())
}
