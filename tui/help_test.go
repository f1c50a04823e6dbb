package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The help begins with the keys of the pane that is shown, and enter does what the
// selected one does.
func TestHelpRunsTheKeysOfThePane(t *testing.T) {
	s := crowded()
	s.Approvals = nil
	runPanel(t, s, func(r *testPanel) {
		r.press("@Activity")
		r.wait(time.Second)
		r.press("?")
		screen := r.screen()
		if here, all := strings.Index(screen, "Activity\n"), strings.Index(screen, globalKeysTitle); all >= 0 && all < here || !strings.Contains(screen, "filter by word") {
			t.Errorf("the keys of the pane do not stand first:\n%s", screen)
		}
		r.press("failed calls first", "enter")
		r.shows("failed first · 40 calls")
		r.press("?", "writes of all agents", "enter")
		r.did(status.Action{Verb: status.PauseWrites})
		r.press("?", "undo what the call", "enter")
		r.shows("This row changed nothing that can be undone.")
	})
}

// A colon opens the palette, as in other programs.
func TestColonOpensThePalette(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press(":", "go to tools", "enter")
		r.shows("6 Tools")
	})
}
