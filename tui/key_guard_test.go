package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// While a question is new only the keys that decide something are not taken, and the
// row of keys shows that until they are.
func TestGuardIsForDecidingKeysOnly(t *testing.T) {
	footerOf := func(r *testPanel) string {
		_, _, footer := parts(r.screen())
		return footer
	}
	runPanel(t, asked(), func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		for _, k := range []string{"y", "Y", "A", "n", "u", "U", "Z"} {
			if !strings.HasPrefix(footerOf(r), " …") {
				t.Errorf("the row of keys does not show the guard: %s", footerOf(r))
			}
			r.press(k)
			r.shows(k + " was not taken: something new has just come up.")
		}
		r.press("j")
		r.shows("▲ 2 of 2") // arrows move
		r.press("k", "?")
		r.shows("allow the selected call once")
		r.press("esc", "tab")
		r.hides("▲ 1 of 2")
		r.press("shift+tab", "1")
		if at := r.m.tabs.visibleTab().Name; at != "Overview" {
			t.Errorf("1 leads to %s", at)
		}
		r.did()
		r.press("!")
		r.wait(keyIgnoreDuration)
		if strings.Contains(footerOf(r), "…") { // drawn again, without a key
			t.Errorf("the guard is still shown: %s", footerOf(r))
		}
		r.press("y")
		r.did(allowed("a1", status.Once))
	})
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!", "q")
		if !r.ended {
			t.Error("q does not leave")
		}
	})
}

// When nothing waits any more, what the call has written that was allowed last is
// selected, with undo at hand; the keys that are on their way do not undo it.
func TestTheChangeJustMadeIsSelected(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		s := asked()
		s.Seq, s.Approvals = 0, s.Approvals[:1]
		r.hub.SetPlan(deletion())
		r.hub.Set(s)
		r.settle()
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("y")
		done := withOutcome(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByPerson, Call: &status.CallEnd{Changes: []string{"c10", "c11"}}})
		done.Approvals = nil
		r.hub.Set(done)
		r.settle()
		r.shows("Nothing is selected now.") // never what another one wrote
		r.wait(time.Second)
		r.queries.changes = append([]status.Change{
			{ID: "c11", Target: "New/Fresh", Session: "3", Client: "claude-code", Time: noon},
			{ID: "c10", Target: "New/", Session: "3", Client: "claude-code", Time: noon},
		}, r.queries.changes...)
		r.queries.calls <- status.Call{Seq: 1, Tool: "markdown_delete_page", Changes: []string{"c10", "c11"}}
		r.wait(2 * batchWindow)
		r.shows("change c11", "New/Fresh") // the page, not the folder that was made for it
		r.press("u")
		r.shows("u was not taken")
		r.wait(keyIgnoreDuration)
		r.hub.SetPlan(status.Plan{Title: "Undo c11"})
		r.press("u")
		r.shows("Undo c11?")
	})
}

// A person who looks elsewhere is told what waits by the title of the terminal and by
// a notification of it; one who looks is not.
func TestTerminalIsTold(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		var notes []string
		r.m.cfg.Notify = func(text string) string {
			notes = append(notes, text)
			return "\x1b]9;" + text + "\x07"
		}
		show := func(all ...status.Approval) {
			s := asked()
			s.Seq, s.Approvals = 0, all
			r.hub.Set(s)
			r.settle()
		}
		two := asked().Approvals
		show(two[0])
		if title := r.m.View().WindowTitle; title != "(1) Lectern" || len(notes) != 0 {
			t.Errorf("the title is %q, and the terminal is told %q while it has the focus", title, notes)
		}
		r.send(tea.BlurMsg{})
		show(two...)
		if title := r.m.View().WindowTitle; title != "(2) Lectern" || len(notes) != 1 || !strings.HasPrefix(notes[0], `"codex-mcp-client" (claimed) wants to write `) {
			t.Errorf("the title is %q, and the terminal is told %q", title, notes)
		}
		show(two...) // nothing new
		show()
		show(two...)
		if len(notes) != 2 || notes[1] != "2 calls wait for you" {
			t.Errorf("the terminal is told %q", notes)
		}
		r.send(tea.FocusMsg{})
		show()
		show(two...)
		if title := r.m.View().WindowTitle; len(notes) != 2 || title != "(2) Lectern" || !r.m.View().ReportFocus {
			t.Errorf("the title is %q, and the terminal is told %q", title, notes)
		}
		show()
		if title := r.m.View().WindowTitle; title != "Lectern" {
			t.Errorf("the title is %q when nothing waits", title)
		}
	})
}
