package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// All that agents changed on a day is one text with the diffs, page by page, and other days
// are one key away.
func TestDayReview(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.changes = append(r.queries.changes[:3:3], status.Change{
			ID: "c5", Time: noon.Add(-time.Hour), Client: "cursor-vscode", Session: "2", Source: "notes", Tool: "edit_page",
			Target: "Journal/2026-11-21", Action: "update", Before: 700, After: 812,
		}, r.queries.changes[3])
		r.queries.diffs["c5"] = "@@ -1 +1 @@\n-before eleven\n+after eleven"
		r.press("@Changes")
		r.wait(time.Second)
		r.press("t")
		r.wait(time.Second)
		r.shows("Changes of Sat 21 Nov", "4 changes by 3 agents", "Journal/2026-11-21 in notes: 2 changes",
			"11:00 cursor-vscode: update, 700 B → 812 B, change c5", "+after eleven", "11:59 claude-code: update, 812 B")
		if s := r.screen(); strings.Index(s, "change c5") > strings.Index(s, "change c9") {
			t.Errorf("the later change of the page stands first:\n%s", s)
		}
		r.press("G")
		r.shows("会議/日本語 in notes: 1 change", "undone since")
		r.press("c")
		if len(r.copied) != 1 || !strings.Contains(r.copied[0], "after eleven") {
			t.Errorf("copied %q", r.copied)
		}
		r.press("]")
		r.wait(time.Second)
		r.shows("Changes of Fri 20 Nov", "1 change by 1 agent", "Old in notes: 1 change")
		if line := lastLine(r); !strings.HasPrefix(line, " ] Thu 19 Nov  [ Sat 21 Nov ") { // the keys say where they lead
			t.Error(line)
		}
		r.press("]")
		r.wait(time.Second)
		r.shows("Changes of Thu 19 Nov", "Agents changed nothing on this day.")
		r.press("[", "[")
		r.wait(time.Second)
		r.shows("Changes of Sat 21 Nov")
		r.press("[")
		r.shows("This is today. ] goes to the day before.")
		r.press("y", "u")
		r.did() // what stands below the text is not acted on
		r.press("esc", "/", "cursor", "enter", "t")
		r.wait(time.Second)
		r.shows("/cursor · 1 change by 1 agent", "+after eleven")
		r.hides("change c9")
	})
}

// A change that comes while its day is read is there, and the text stays where it is.
func TestDayReviewGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 14)
		r.press("@Changes")
		r.wait(time.Second)
		r.press("t")
		r.wait(time.Second)
		r.press("down", "down")
		r.hides("Journal/2026-11-21 in notes: 1")
		r.queries.changes = append([]status.Change{{ID: "c10", Target: "Fresh", Session: "3", Source: "notes", Time: noon.Add(-time.Second)}}, r.queries.changes...)
		r.queries.calls <- status.Call{Seq: 41, Tool: "write_page", Changes: []string{"c10"}}
		r.wait(2 * batchWindow)
		r.wait(time.Second)
		r.shows("4 changes by")
		r.hides("Reading the changes")
		r.hides("Fresh in notes") // it stands above
		r.press("g")
		r.shows("Fresh in notes: 1 change")
	})
}

func TestDayReviewThatCannotBeRead(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Changes")
		r.wait(time.Second)
		r.queries.fail(errJournalLocked)
		r.press("t")
		r.wait(time.Second)
		r.shows("Cannot read the changes: read journal: it is locked")
	})
}
