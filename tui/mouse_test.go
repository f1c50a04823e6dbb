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
func (r *rig) clickOn(line int, what string) {
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
			r := newRig(t, crowded(), w, 24)
			r.log()
			if r.m.View().MouseMode == tea.MouseModeNone {
				t.Error("the mouse is not asked for")
			}
			r.clickOn(0, r.number(pane.LogsTab)+" ")
			r.shows("following")
			r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
			r.shows("paused")
			r.clickOn(23, "F find")
			r.shows("expression")
			r.press("esc", "?")
			r.clickOn(23, "esc close")
			r.hides("Everywhere")
			r.press("M")
			r.shows("The mouse is the terminal's")
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
		r := newRig(t, crowded(), 80, 24)
		r.hub.SetPlan(status.Plan{Title: "Stop the hub"})
		r.press("Q")
		r.clickOn(23, "y yes")
		r.did()
		r.wait(grace)
		r.clickOn(23, "y yes")
		r.did(status.Action{Verb: status.StopHub})
	})
}
