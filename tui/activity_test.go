package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

func TestActivityFollowsAndPauses(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.wait(time.Second)
		r.press("@Activity")
		r.shows("following · 40 calls", "11:59:48 ● get_card", "157 ms", "not_found")
		r.queries.calls <- status.Call{Seq: 41, Time: noon, Tool: "fresh_one", Client: "late"}
		r.wait(time.Second)
		r.shows("fresh_one", "41 calls")
		r.press("j", "j")
		r.shows("paused")
		selected := lineOf(t, r, "11:59:36")
		r.queries.calls <- status.Call{Seq: 42, Time: noon, Tool: "fresher_one"}
		r.wait(time.Second)
		if got := lineOf(t, r, "11:59:36"); got != selected {
			t.Errorf("the selected row changed from %q to %q", selected, got)
		}
		r.press("enter")
		r.shows("Call 39", "edit_page write") // the one that was selected
	})
}

// A call that was answered with a question is no error.
func TestActivityAsked(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.wait(time.Second)
		r.press("@Activity")
		r.queries.calls <- status.Call{Seq: 41, Time: noon, Tool: "asked_one", Code: status.Asked}
		r.wait(time.Second)
		r.shows("? asked_one", "  asked", "41 calls")
		r.press("enter")
		r.shows("? asked the user; the client will retry")
		r.press("esc", "e")
		r.shows("failed first")
		if row := strings.Split(r.screen(), "\n")[3]; !strings.Contains(row, "not_found") {
			t.Errorf("first among errors: %s", row)
		}
	})
}

// lineOf is the line of the screen that has text in it.
func lineOf(t *testing.T, r *testPanel, text string) string {
	t.Helper()
	for line := range strings.SplitSeq(r.screen(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	t.Errorf("no line has %q:\n%s", text, r.screen())
	return ""
}

func TestActivityFilters(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.wait(time.Second)
		r.press("@Activity", "/", "EDIT")
		r.shows("No calls match the filter.")
		r.press("esc", "/", "edit", "enter")
		r.shows("10 of 40 calls", "edit_page")
		r.hides("read_page")
		r.press("esc", "p")
		r.shows("in notes · 30 of 40 calls")
		r.press("p")
		r.shows("in work-wiki · 10 of 40 calls", "get_card")
		r.press("p", "e")
		r.shows("failed first", "40 calls")
		rows := strings.Split(r.screen(), "\n")
		if !strings.Contains(rows[3], "not_found") || !strings.Contains(rows[6], "not_found") || strings.Contains(rows[7], "not_found") {
			t.Errorf("those that failed do not stand first:\n%s", r.screen())
		}
		r.press("/", "not_f", "enter", "s")
		if n := strings.Count(r.saved["lectern-calls.log"], "\n"); n != 4 {
			t.Errorf("%d calls saved, want 4", n)
		}
	})
}

func TestActivityKeepsTenThousand(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		for i := range 12_000 {
			r.queries.calls <- status.Call{Seq: uint64(i + 41), Time: noon, Tool: fmt.Sprintf("tool_%d", i%7)}
		}
		r.wait(time.Second)
		r.wait(time.Second) // for the batch that is not full
		r.press("@Activity")
		r.shows("following · 10,000 calls")
		r.press("G")
		r.press("enter")
		r.shows("Call 2,041")
		r.press("esc", "T")
		r.shows("By tool", "tool_0", "1,715", "By client")
	})
}
