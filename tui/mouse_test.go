package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// clickOn clicks where the screen says what, in its first or its last line.
func (r *testPanel) clickOn(line int, what string) {
	r.t.Helper()
	rows := strings.Split(r.screen(), "\n")
	before, _, found := strings.Cut(rows[line], what)
	if !found {
		r.t.Fatalf("%q is not in %q", what, rows[line])
	}
	r.send(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: line, Button: tea.MouseLeft})
}

func TestMouse(t *testing.T) {
	for _, w := range []int{40, 80, 140} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanel(t, crowded(), w, 24)
			r.log()
			if r.m.View().MouseMode == tea.MouseModeNone {
				t.Error("the mouse is not asked for")
			}
			r.clickOn(0, r.number(pane.LogsPane)+" ")
			r.shows("following")
			r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
			r.shows("paused")
			r.clickOn(23, "/ filter")
			r.shows("text to filter by")
			r.press("esc", "?")
			r.clickOn(23, "esc close")
			r.hides("Everywhere")
			r.press("M")
			r.shows("Mouse off")
			if r.m.View().MouseMode != tea.MouseModeNone {
				t.Error("the mouse is not given back")
			}
			r.clickOn(23, "q quit")
			if !r.ended {
				t.Error("a click on quit does not quit")
			}
		})
	}
}

// A click that was meant for what was there before agrees to nothing.
func TestMouseIsDeafAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		r.hub.SetPlan(status.Plan{Title: "Stop the hub"})
		r.press("Q")
		r.clickOn(23, "y yes")
		r.did()
		r.wait(keyIgnoreDuration)
		r.clickOn(23, "y yes")
		r.did(status.Action{Verb: status.StopHub})
	})
}

// where is the cell of the screen at which text begins.
func (r *testPanel) where(text string) (x, y int) {
	r.t.Helper()
	for y, row := range strings.Split(r.screen(), "\n") {
		if before, _, found := strings.Cut(row, text); found {
			return ansi.StringWidth(before), y
		}
	}
	r.t.Fatalf("%q is not on the screen:\n%s", text, r.screen())
	return 0, 0
}

func (r *testPanel) clickText(text string) {
	r.t.Helper()
	x, y := r.where(text)
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (r *testPanel) wheelOver(text string, button tea.MouseButton) {
	r.t.Helper()
	x, y := r.where(text)
	r.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
}

// A click selects a row, in one column and in two, and a second one opens it; a
// second one after a key only selects.
func TestMouseOnRows(t *testing.T) {
	for _, c := range []struct{ tab, row, selected, opened string }{
		{"Overview", "port 12740 is taken", "2 of 2", "This needs a manual fix."},
		{pane.SourcesPane, "● work-wiki", "wiki.example.org", "Pages of work-wiki"},
		{pane.ActivityPane, "11:59:14", "paused", "Call "},
		{pane.ChangesPane, "delete  Old", "delete by", "delete by"},
		{pane.ToolsPane, "delete_page", "▸ delete_page", "path * · string"},
		{"Doctor", "fail    notes can be read", "source.notes", "done: reopen notes"},
		{"Settings", "● policy.default", "one of", "‹ ask ›"},
	} {
		for _, w := range []int{80, 140} {
			t.Run(c.tab, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newTestPanelWith(t, crowded(), filledQueries(), w, 40)
					r.log()
					r.press("@" + c.tab)
					r.clickText(c.row)
					r.shows(c.selected)
					r.press("ctrl+l")
					tabs := r.m.tabs.current
					r.clickText(c.row)
					if r.m.tabs.current != tabs || r.m.notice.text != "" {
						t.Errorf("a click after a key opens:\n%s", r.screen())
					}
					r.clickText(c.row)
					r.shows(c.opened)
				})
			})
		}
	}
}

// Pages and what was found in them are rows like others.
func TestMouseInTheBrowser(t *testing.T) {
	for _, w := range []int{80, 140} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanelWith(t, crowded(), filledQueries(), w, 24)
			r.press("@Sources/welcome", "enter", "o")
			const page, hit = "34.3 KB  15 Nov", "図 diagram"
			r.clickText(page)
			r.shows("Pages of welcome")
			r.clickText(page)
			r.hides("Pages of welcome")
			r.shows("Sub/Page 06.md ─")
			r.press("esc", "S", "plumber", "enter")
			r.clickText(hit)
			r.shows("Search welcome")
			r.clickText(hit)
			r.hides("Search welcome")
			r.shows("╭─ 会議/日本語.md")
		})
	}
}

// What lies over the panes is clicked on as well, once it is not deaf.
func TestMouseOnOverlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		r.hub.SetPlan(status.Plan{Title: "Stop the hub"})
		r.press("Q")
		r.clickText("y yes  n")
		r.did()
		r.wait(keyIgnoreDuration)
		r.clickText("notes") // beneath the question
		r.shows("Stop the hub?")
		r.clickText("y yes  n")
		r.did(status.Action{Verb: status.StopHub})

		r.press("ctrl+p", "go to")
		r.clickText("Go to Clients")
		r.shows("Commands")
		r.clickText("Go to Clients")
		r.shows("Connected agents")
		r.press("ctrl+p")
		r.clickText("esc close ─")
		r.hides("Commands")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.wait(keyIgnoreDuration)
		r.clickText("[x] work")
		r.shows("[ ] work")
		r.clickText("enter next ")
		r.shows("Which clients can use them?")
	})
}

// The wheel scrolls the part beneath it: the list, or the text beside it.
func TestWheelScrollsWhatIsBeneath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 140, 20)
		r.press("@Tools")
		r.wheelOver("arguments (* required)", tea.MouseWheelDown)
		r.shows("▸ search_pages")
		r.hides("tokens in every request")
		r.wheelOver("▸ search_pages", tea.MouseWheelDown)
		r.hides("▸ search_pages")
	})
}

// TestNoMarkIsShown: what tells where things are is not in what is drawn.
func TestNoMarkIsShown(t *testing.T) {
	for _, c := range screens {
		synctest.Test(t, func(t *testing.T) {
			r := at(t, c)
			x, y := 20, 8
			_, _ = r.m.hitRegionAt(x, y)
			if rest := sgr.ReplaceAllString(r.m.View().Content, ""); strings.ContainsRune(rest, '\x1b') {
				t.Errorf("%s: a mark is shown", c.name)
			}
		})
	}
}
