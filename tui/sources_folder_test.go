package tui

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

// The path of a source is corrected where it is seen to be wrong: the field holds the
// present one, and the plan is shown as for every change of the configuration.
func TestSourcePathIsCorrected(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Sources/notes", "e")
		r.shows("Path of notes", "/home/ada/notes", "Grants and the history for")
		for range len("/home/ada/notes") {
			r.press("backspace")
		}
		r.press("enter")
		r.shows("Enter the folder to open.")
		r.press("Dow", "enter")
		r.shows("Enter an absolute path")
		r.press("backspace", "backspace", "backspace", "~/Downloads", "enter")
		r.hides("Path of notes")
		r.confirm()
		r.did(status.Action{Verb: status.SetSource, Target: "notes", Change: &status.SourceChange{Keys: map[string]string{"path": "~/Downloads"}}})
		r.press("e", "esc")
		r.hides("Path of notes")
		r.press("@Sources/work-wiki", "e")
		r.shows("This source has no folder of its own")
	})
}

// The form of the permissions begins with what is granted now, so that enter alone
// takes nothing away.
func TestPermissionsBeginWithWhatIs(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Sources/welcome", "p")
		r.shows("‹ write and delete ›", "now")
	})
}
