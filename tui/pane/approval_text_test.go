package pane

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// contentOf is what a call would do that changes these targets as these diffs say.
func contentOf(targets [][2]string) ApprovalContent {
	c := ApprovalContent{Total: len(targets), Added: len(targets), Removed: len(targets)}
	for _, t := range targets {
		text := "change " + t[0] + " (+1 −1)\n" + t[1]
		c.Targets = append(c.Targets, status.ApprovalTarget{Name: t[0], Action: "change", Added: 1, Removed: 1, Offset: len(c.Head), Bytes: len(text)})
		c.Head += text
	}
	return c
}

// A thousand pages that change alike are one diff with all their names; what is
// odd stands before it, also a second change of a page of the group.
func TestTargetsThatChangeAlikeAreOne(t *testing.T) {
	const alike, odd, second = "@@ -1 +1 @@\n-see A\n+see B\n", "@@ -3 +3 @@\n-A is odd\n+B is odd\n", "@@ -9 +9 @@\n-more\n+another\n"
	var targets [][2]string
	for i := range 1000 {
		targets = append(targets, [2]string{fmt.Sprintf("p%d.md", i), alike})
	}
	targets = append(targets, [2]string{"odd.md", odd}, [2]string{"p7.md", second})
	x := newApprovalText(status.Approval{ID: "a", Effect: "write"}, ApprovalQuery{Approval: "a"}, Result{Approval: contentOf(targets)}, hunkChoice{})
	text := x.view.String()
	for _, want := range []string{"1,002 targets, +1,002 −1,002", "change 1,000 targets, all alike (+1 −1 in each)", "p0.md, p1.md", "p999.md"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%.2000s", want, text)
		}
	}
	for _, once := range []string{"+see B", "+B is odd", "+another"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times", once, n)
		}
	}
	if strings.Index(text, "+B is odd") > strings.Index(text, "+see B") {
		t.Error("what is odd stands behind what is alike")
	}
	if x.hidden != "" {
		t.Errorf("%s hidden", x.hidden)
	}
}

// Nothing is taken for alike as long as not all of it is known.
func TestUnknownTargetsAreNotAlike(t *testing.T) {
	const diff = "@@ -1 +1 @@\n-see A\n+see B\n"
	c := contentOf([][2]string{{"a", diff}, {"b", diff}, {"c", diff}})
	c.Head, c.Hidden = c.Head[:len(c.Head)-10], 10
	x := newApprovalText(status.Approval{ID: "a", Effect: "write"}, ApprovalQuery{Approval: "a"}, Result{Approval: c}, hunkChoice{})
	if text := x.view.String(); strings.Contains(text, "alike") {
		t.Errorf("taken for alike:\n%s", text)
	}
}

// Lines have their numbers and the words that changed are marked; what is copied
// is the diff as it came.
func TestDiffIsNumbered(t *testing.T) {
	const diff = "@@ -12,3 +12,3 @@\n # Release\n-The release is on 5 December.\n+The release is on 12 December.\n"
	x := newApprovalText(status.Approval{ID: "a", Effect: "write"}, ApprovalQuery{Approval: "a"}, Result{Approval: contentOf([][2]string{{"a", diff}})}, hunkChoice{})
	if got := x.view.String(); got != diff {
		t.Errorf("copied:\n%s\nwant:\n%s", got, diff)
	}
	if kind, text := x.view.Row(0, 80); kind != widget.DiffLine || text != "⋯ 11 lines are the same" {
		t.Errorf("the first row is %q", text)
	}
}

// The list of the targets is not scrolled away where the first change fits under it, and
// where rows above the screen were not seen the key that shows them is named.
func TestFirstRowsAreSeen(t *testing.T) {
	const diff = "@@ -1,9 +0,0 @@\n-1\n-2\n-3\n-4\n-5\n-6\n-7\n-8\n-9\n"
	a := status.Approval{ID: "a", Effect: "write"}
	x := newApprovalText(a, ApprovalQuery{Approval: "a"}, Result{Approval: contentOf([][2]string{{"a", diff}, {"b", diff}})}, hunkChoice{})
	rows := x.view.Height(80)
	if top := x.initialTopRow(80, rows-2); top != 0 {
		t.Errorf("%d rows of %d are shown from row %d on", rows-2, rows, top)
	}
	if top := x.initialTopRow(80, 6); top == 0 {
		t.Error("a low screen shows no change")
	}
	r := approvalReadState{texts: map[string]approvalText{"a": x}}
	r = r.markRowsSeen("a", 80, 2, rows)
	for top, want := range map[int]string{2: "pgup shows them", 0: "pgdn reads on"} {
		r.seen["a"] = seenRows{w: 80, rows: map[int]bool{}}
		for row := range rows {
			r.seen["a"].rows[row] = top == 2 && row >= 2 || top == 0 && row < rows-2
		}
		if got := r.unseenRowsNote("a", 80, top); !strings.HasSuffix(got, want) {
			t.Errorf("from row %d on: %q, want %q", top, got, want)
		}
	}
}
