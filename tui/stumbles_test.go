package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// lastLine is the row of keys.
func lastLine(r *testPanel) string {
	lines := strings.Split(strings.TrimRight(r.screen(), "\n"), "\n")
	return lines[len(lines)-1]
}

// The footer names the keys that work, and says what they reach.
func TestFootersNameWhatWorks(t *testing.T) {
	paused := nothingWaits(lively())
	paused.Hub.WritesPaused = noon
	for _, c := range []struct {
		snap status.Snapshot
		pane string
		keys []string
	}{
		{nothingWaits(lively()), "Activity", []string{"P pause cursor", "Z undo since "}},
		{nothingWaits(lively()), "Clients", []string{"P pause writes", "r only read", "d disconnect", "D block it", "U undo its session"}},
		{nothingWaits(lively()), "Changes", []string{"u undo", "U undo its session"}},
		{nothingWaits(lively()), "Settings", []string{"r restart the hub"}},
		{paused, "Tools", []string{"H end the pause of all"}},
		{paused, "Overview", []string{"H end the pause of all"}},
	} {
		runPanel(t, c.snap, func(r *testPanel) {
			r.start(150, 45)
			r.press("@" + c.pane)
			r.wait(time.Second)
			for _, want := range c.keys {
				if line := lastLine(r); !strings.Contains(line, want) {
					t.Errorf("%s: the footer has not %q: %s", c.pane, want, line)
				}
			}
		})
	}
}

// A row names the page that was written before the folder that it needed.
func TestRowsNamePagesBeforeFolders(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Activity")
		call := status.Call{
			Seq: 1 << 20, Time: noon, Client: "codex", Source: "notes", Tool: "write_page", Effect: "write",
			Targets: []string{"New/", "New/A.md"}, Changes: []string{"c9", "c8"},
		}
		r.m.tabs = changePanes(r.m.tabs, func(p pane.CallObserver) pane.Pane { return p.ObserveCalls([]status.Call{call}) })
		r.shows("New/A.md +1")
	})
}

// What one client may do in one source is seen with the source, and where that is set.
func TestGrantsOfClientsAreSeenInSources(t *testing.T) {
	s := crowded()
	s.Sources = slices.Clone(s.Sources)
	i := slices.IndexFunc(s.Sources, func(one status.Source) bool { return one.Name == "notes" })
	s.Sources[i].Grants = []status.Grant{
		{Client: "codex", Source: "notes", Effects: []string{"read"}},
		{Client: "zed", Source: "notes", Effects: []string{}},
		{Client: "aider", Source: "notes", Effects: []string{"read", "delete"}, Ask: []string{"delete"}},
	}
	runPanel(t, s, func(r *testPanel) {
		r.press("@Sources/notes")
		r.shows("but codex: only read here", "but zed: nothing here", "but aider: read; asks before delete")
		r.press("p")
		r.shows("but codex: only read here")
		r.press("up", "left")
		r.shows("‹ aider ›")
	})
}

// The Overview names the source of what waits and of what happens, and says at its place that
// the hub has crashed.
func TestOverviewNamesSourcesAndCrashes(t *testing.T) {
	s := asked()
	s.Hub.AfterCrash, s.Hub.Started = true, noon.Add(-time.Hour)
	runPanel(t, s, func(r *testPanel) {
		r.start(140, 45)
		r.wait(time.Second)
		r.shows(" in notes", "the hub crashed and was started again; 7 says why")
		r.hides("search_pages  in")
		r.press("m")
		r.hides("the hub crashed and was started again") // above what came since
	})
}

// What a person left out is said as such, and a key that came too soon does not hide it.
func TestLeftOutHunksAreSaid(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.m.approvals = r.m.approvals.markAnswered("a1").markAllowed(r.m.snap.Approvals[0])
		r.hub.Set(withOutcome(status.ApprovalOutcome{
			Resolution: status.Allowed, By: status.ByPerson, PersonEdit: status.PersonEdit{Edited: true, Hunks: 5, LeftOut: 2},
			Call: &status.CallEnd{Changes: []string{"c1"}, Duration: 14 * time.Millisecond},
		}))
		r.settle()
		r.shows("written, without the 2 of 5 hunks that you left out")
		r.press("y")
		r.shows("written, without the 2 of 5 hunks that you left out")
		r.hides("was not taken")
	})
}

// A move is headed by what it is, and so are its row and its notification.
func TestMovesAreHeadedAsMoves(t *testing.T) {
	s := asked()
	s.Approvals = []status.Approval{{
		ID: "a1", Since: noon, Until: noon.Add(5 * time.Minute), Session: "2", Client: "cursor-vscode", Source: "notes", Tool: "move_page", Effect: "write",
		Targets: []string{"A.md", "Old.md → Projects/New.md", "B.md"}, Added: 5, Removed: 5, Within: []string{"**"},
		Move: &status.TargetMove{From: "Old.md", To: "Projects/New.md", Count: 1, Links: 3},
	}}
	for _, c := range []struct {
		w          int
		row, title string
	}{
		{140, " Old.md → …ojects/New.md in notes ", `"cursor-vscode" (claimed) wants to move Old.md to Projects/New.md, and change 3 links in notes`},
		{110, " move   Old.md +2 in notes ", `"cursor-vscode" (claimed) wants to move Old.md to Projects/New.md, and change 3 links in notes`},
		{80, " Old.md → Projects/New.md in notes ", `"cursor-vscode" (claimed) wants to move 1 target and change 3 links in … +5 −5`},
	} {
		runPanel(t, s, func(r *testPanel) {
			r.start(c.w, 32)
			r.shows(c.row)
			r.press("!")
			r.shows(c.title, "Old.md → Projects/New.md, A.md, B.md")
		})
	}
}

// A setting whose new value waits for a restart says so in its row, until the hub has it.
func TestSettingsThatWaitForARestart(t *testing.T) {
	s := crowded()
	s.Hub.PendingSettings = []string{"hub.port"}
	runPanel(t, s, func(r *testPanel) {
		r.press("@Settings")
		r.wait(time.Second)
		if row := lineOf(t, r, "hub.port"); !strings.Contains(row, "12740  after a restart: r ") {
			t.Errorf("the row says %s", row)
		}
		if row := lineOf(t, r, "policy.default"); strings.Contains(row, "restart") {
			t.Errorf("the row says %s", row)
		}
		r.hub.Set(crowded())
		r.settle()
		r.hides("after a restart")
	})
}
