package tui

import (
	"errors"
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
		r.shows("following · 40 calls", "21 Nov 11:59 ● get_card", "11:59:36 ● edit_page", "157 ms", "not_found")
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

// busyNow is crowded with two calls under way, one of which waits for a person.
func busyNow() status.Snapshot {
	s := crowded()
	s.Running = []status.RunningCall{
		{Name: "s3.12", ID: 912, Began: s.Time.Add(-64 * time.Second), Session: "s3", Client: "codex", Source: "notes", Tool: "run_script", Effect: "run"},
		{Name: "s3.13", Began: s.Time.Add(-2 * time.Second), Session: "s3", Client: "codex", Source: "notes", Tool: "write_page", Effect: "write", Waiting: true},
	}
	return s
}

// A call under way stands on top with how long by now, can be cancelled there, and
// stays selected when it ends.
func TestActivityShowsCallsUnderWay(t *testing.T) {
	s := busyNow()
	runPanel(t, s, func(r *testPanel) {
		r.wait(time.Second)
		r.press("@Activity")
		r.shows("following · 40 calls · 2 under way", "◌ run_script", "under way", "1m 5s", "? write_page", "waits for you")
		r.press("d")
		r.shows("This call has ended.")
		r.press("k", "k")
		r.shows("d cancel the call")
		r.press("enter")
		r.shows("Call under way", "◌ under way for 1m 5s", "codex, not proven, session s3")
		r.press("esc", "d")
		r.did(status.Action{Verb: status.CancelCall, Target: "s3.12"})
		r.press("c")
		r.shows("This call has not ended.")
		r.queries.calls <- status.Call{Seq: 41, ID: 912, Time: noon, Tool: "run_script", Client: "codex", Source: "notes", Code: "timeout"}
		s.Seq, s.Running = 0, s.Running[1:]
		r.hub.Set(s)
		r.wait(time.Second)
		r.press("enter")
		r.shows("Call 41", "✗ timeout")
		r.press("esc", "/", "is:ok", "enter")
		r.hides("under way")
		r.press("esc", "/", "tool:write_page", "enter")
		r.shows("1 under way", "? write_page")
		r.hides("run_script")
	})
}

// A call that was answered with a question is no error.
func TestActivityAsked(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.wait(time.Second)
		r.press("@Activity")
		r.queries.calls <- status.Call{Seq: 41, Time: noon, Tool: "asked_one", Code: status.Asked}
		r.wait(time.Second)
		r.shows("? asked_one", " asked ", "41 calls")
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
		r.press("@Activity", "/", "nothing")
		r.shows("The filter hides every call. esc clears “nothing”.")
		r.press("esc", "/", "is:red")
		r.shows("is:red is not one of ok, error, refused, asked")
		r.press("esc", "/", "EDIT", "enter")
		r.shows("“EDIT” · 10 calls", "edit_page")
		r.hides("read_page")
		r.press("esc", "p")
		r.shows("in notes · 30 calls")
		r.press("p")
		r.shows("in work-wiki · 10 calls", "get_card")
		r.press("p", "e")
		r.shows("failed first", "40 calls")
		rows := strings.Split(r.screen(), "\n")
		if !strings.Contains(rows[3], "not_found") || !strings.Contains(rows[6], "not_found") || strings.Contains(rows[7], "not_found") {
			t.Errorf("those that failed do not stand first:\n%s", r.screen())
		}
		r.press("/", "not_f", "enter", "E")
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
		r.shows("following · 10,000+ calls")
		r.press("G")
		r.wait(time.Second)
		r.shows("paused · 10,000+ calls")
		r.press("enter")
		r.shows("Call 2,041")
		r.press("esc", "T")
		r.shows("By tool", "tool_0", "1,429", "By client")
	})
}

// What a hub has forgotten is read from the audit, as far back as a person goes,
// and also where no hub is running.
func TestActivityGoesBack(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		began := noon.AddDate(0, 0, -1)
		for i := range 500 {
			c := status.Call{ID: int64(5000 - 10*i), Time: began.Add(-time.Duration(i) * time.Minute), Tool: "read_page", Client: "codex", Targets: []string{fmt.Sprintf("Daily/%d.md", i)}}
			if i == 321 {
				c.Tool, c.Targets, c.Code, c.Message, c.Refused = "write_page", []string{"Private/x.md"}, "denied", "writes are not granted", true
			}
			r.queries.recorded = append(r.queries.recorded, c)
		}
		r.wait(time.Second)
		r.press("@Activity")
		r.wait(time.Second)
		r.shows("following · 240+ calls")
		r.press("G")
		r.wait(time.Second)
		r.shows("440+ calls", "Daily/199.md")
		r.press("G")
		r.wait(time.Second)
		r.press("G")
		r.wait(time.Second)
		r.press("G")
		r.shows("540 calls · Fri 20 Nov", "Daily/499.md")
		r.press("/", "is:refused target:private", "enter")
		r.wait(time.Second)
		r.shows("1 call", "denied: Private/x.md")
		r.hides("Daily/")
		r.press("enter")
		r.shows("error     writes are not granted", "targets   Private/x.md", "began     20 Nov 06:39:00.000")
		r.press("esc", "esc")
		r.wait(time.Second)
		r.shows("540 calls")
		// A call that ends now stands first, and one that the panel read already comes
		// once.
		r.queries.calls <- status.Call{Seq: 41, ID: 5000, Time: began, Tool: "read_page", Client: "codex"}
		r.queries.calls <- status.Call{Seq: 42, ID: 6000, Time: noon, Tool: "fresh_one"}
		r.wait(time.Second)
		r.wait(time.Second)
		r.press("g")
		r.shows("fresh_one")
		r.press("G")
		r.wait(time.Second)
		r.press("G")
		r.wait(time.Second)
		r.press("G")
		r.wait(time.Second)
		r.press("G")
		r.shows("541 calls")
	})
}

// Why there is nothing to see is said.
func TestActivityCannotGoBack(t *testing.T) {
	runPanel(t, status.Snapshot{}, func(r *testPanel) {
		r.queries.fail(errors.New("the file is damaged"))
		r.wait(time.Second)
		r.press("@Activity")
		r.wait(time.Second)
		r.shows("40 calls · older ones cannot be read")
		r.press("/", "nothing", "enter")
		r.wait(time.Second)
		r.shows("cannot be read: the file is damaged")
	})
}
