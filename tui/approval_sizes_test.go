package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/status"
)

// sizedApproval is a hub where one call waits that changes so many targets, with
// about so many bytes in each.
func sizedApproval(targets, size int) (status.Snapshot, status.Plan) {
	plan := status.Plan{Steps: []status.Step{}}
	a := approvals()[1]
	a.Targets = nil
	for i := range targets {
		name := fmt.Sprintf("Projects/Page %d.md", i+1)
		if i < 10 {
			a.Targets = append(a.Targets, name)
		}
		line := fmt.Sprintf("+%d of %d\n", i+1, targets)
		lines := max(1, size/len(line))
		diff := fmt.Sprintf("--- before\n+++ after\n@@ -1,1 +1,%d @@\n # Page\n-old\n", lines+1) + strings.Repeat(line, lines)
		plan.Steps = append(plan.Steps, status.Step{Description: "change " + name, Diff: diff})
		a.Added, a.Removed = a.Added+lines, a.Removed+1
	}
	a.More = targets - len(a.Targets)
	s := crowded()
	s.Approvals = []status.Approval{a}
	return s, plan
}

// TestApprovalSizes pins a call that waits with one target and with a thousand, of
// ten bytes and of four megabytes: at each size something that it changes is on the
// screen.
func TestApprovalSizes(t *testing.T) {
	for _, c := range []struct {
		name          string
		targets, size int
	}{
		{"1-10B", 1, 10}, {"10-10B", 10, 10}, {"1000-10B", 1000, 10}, {"1-1KB", 1, 1 << 10}, {"1-4MB", 1, 4 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, plan := sizedApproval(c.targets, c.size)
			var bodies strings.Builder
			for _, size := range sizes[1:] {
				synctest.Test(t, func(t *testing.T) {
					r := newTestPanelWith(t, s, filledQueries(), size[0], size[1])
					r.hub.SetPlan(plan)
					r.press("!")
					r.wait(keyIgnoreDuration)
					r.shows("+1 of", "-old")
					_, body, footer := parts(r.screen())
					fmt.Fprintf(&bodies, "-- %dx%d --\n%s\n%s\n", size[0], size[1], body, footer)
				})
			}
			golden(t, "approval-"+c.name+".txt", bodies.String())
			synctest.Test(t, func(t *testing.T) {
				l := newHeardPanel(t, s)
				l.hub.SetPlan(plan)
				l.since()
				l.press("!")
				l.wait(keyIgnoreDuration)
				said := l.since()
				lines := strings.SplitAfter(said, "\n")
				if n := len(lines); n > 1100 {
					t.Errorf("%d lines are read aloud", n)
				}
				golden(t, "spoken-approval-"+c.name+".txt", strings.Join(lines[:min(len(lines), 80)], "")+"\n")
			})
		})
	}
}

// On the terminal that most people use, ten lines of a change can be read before a
// key is pressed: wherever in the page it is, whatever is said about the call.
func TestTenChangedLinesAreVisible(t *testing.T) {
	changed := regexp.MustCompile(`(?m)^│▸? *\d+ [+-]`)
	around := strings.Repeat(" a line that stays\n", 3)
	for name, diff := range map[string]string{
		"added":    "@@ -400,6 +400,16 @@\n" + around + strings.Repeat("+a line\n", 10) + around,
		"removed":  "@@ -400,16 +400,6 @@\n" + around + strings.Repeat("-a line\n", 10) + around,
		"replaced": "@@ -400,12 +400,12 @@\n" + around + strings.Repeat("-was\n", 6) + strings.Repeat("+is\n", 6) + around,
		"of many": "@@ -40,16 +40,6 @@\n" + around + strings.Repeat("-a line\n", 10) + around +
			"@@ -400,16 +400,6 @@\n" + around + strings.Repeat("-a line\n", 10) + around,
	} {
		for _, more := range []bool{false, true} { // that is said about the call
			synctest.Test(t, func(t *testing.T) {
				s, _ := sizedApproval(1, 10)
				if more {
					s = asked()
					a := s.Approvals[0]
					a.Targets, a.More = []string{"Home.md"}, 0
					a.Reason = strings.Repeat("a reason that is long ", 20)
					s.Approvals[0] = a
				}
				r := newTestPanelWith(t, s, filledQueries(), 80, 24)
				r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "change Home.md", Diff: "--- before\n+++ after\n" + diff}}})
				r.press("!")
				r.wait(keyIgnoreDuration)
				if _, body, _ := parts(r.screen()); len(changed.FindAllString(body, -1)) < 10 {
					t.Errorf("%s, with more said %v: %d changed lines are visible:\n%s", name, more, len(changed.FindAllString(body, -1)), body)
				}
			})
		}
	}
}

// A page is named before the folder that comes with it.
func TestShortTargets(t *testing.T) {
	for _, c := range []struct {
		targets []string
		more    int
		want    string
	}{
		{nil, 0, ""},
		{[]string{"a.md"}, 0, "a.md"},
		{[]string{"Team/", "Team/a.md"}, 0, "Team/a.md and 1 more"},
		{[]string{"Team/"}, 0, "Team/"},
		{[]string{"a.md", "b.md"}, 998, "a.md and 999 more"},
	} {
		if got := summarizeTargets(status.Approval{Targets: c.targets, More: c.more}); got != c.want {
			t.Errorf("%q: %q, want %q", c.targets, got, c.want)
		}
	}
}
