package tui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// A client that is installed already is not asked about: nothing would change.
func TestInstallOfAnInstalledClientAsksNothing(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Claude Code has Lectern already, in /home/ada/.claude.json; nothing changes"})
		r.press("@Clients/Claude Code", "i")
		r.shows("Lectern is installed in Claude Code already; nothing changes.")
		r.hides("y yes")
		r.did()
	})
}

// A question is never cut: one that is too long for the edge of its dialog stands in it.
func TestQuestionIsNotCut(t *testing.T) {
	long := "Take back everything that the agents claude-code and codex-mcp-client have changed in work-wiki and notes since 20 Nov"
	for _, size := range [][2]int{{40, 12}, {80, 24}, {140, 45}} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanel(t, crowded(), size[0], size[1])
			r.hub.SetPlan(status.Plan{Title: long})
			r.press("@Sources/notes", "d")
			for word := range strings.FieldsSeq(strings.ReplaceAll(long+"?", "-", " ")) {
				if !strings.Contains(r.screen(), word) {
					t.Errorf("at %d columns the question lacks %q:\n%s", size[0], word, r.screen())
				}
			}
		})
	}
	runPanel(t, crowded(), func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Remove notes"})
		r.press("@Sources/notes", "d")
		r.shows("╭─ Remove notes? ─")
	})
}

// A program that calls itself what a proven client is called is told apart from it in every
// row; a name that nobody has proved is not marked in rows, which would mark them all.
func TestSecondProgramOfAProvenName(t *testing.T) {
	s := crowded()
	s.Sessions = slices.Clone(s.Sessions)
	s.Sessions[0].Proven = true // claude-code
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, s, filledQueries(), 140, 45)
		for i, proven := range []bool{true, false} {
			r.queries.calls <- status.Call{
				Seq: uint64(41 + i), Time: noon, Client: "claude-code", Proven: proven, Source: "notes", Tool: "list_tasks", Effect: "read",
				Targets: []string{map[bool]string{true: "Mine.md", false: "Others.md"}[proven]},
			}
		}
		r.queries.calls <- status.Call{Seq: 43, Time: noon, Client: "zed", Source: "notes", Tool: "list_tasks", Effect: "read", Targets: []string{"Zed.md"}}
		r.wait(time.Second)
		for _, tab := range []string{"@Overview", "@Activity"} {
			r.press(tab)
			r.wait(time.Second)
			if mine := lineOf(t, r, "Mine.md"); strings.Contains(mine, `"`) || !strings.Contains(mine, "claude-code") {
				t.Errorf("the proven one: %s", mine)
			}
			if others := lineOf(t, r, "Others.md"); !strings.Contains(others, `"claude-co`) {
				t.Errorf("the other one: %s", others)
			}
			if zed := lineOf(t, r, "Zed.md"); strings.Contains(zed, `"`) {
				t.Errorf("a name that nobody has proved: %s", zed)
			}
		}
	})
}

// What a tool answers is read as rows, not as JSON.
func TestAnswerOfAToolIsNoJSON(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Tools", "x", "enter")
		r.wait(time.Second)
		if len(r.queries.ran) == 0 {
			r.press("tab", "enter")
			r.wait(time.Second)
		}
		r.shows("path: Projects/会議.md", "line: 11", "total: 1")
		r.hides(`{"matches"`)
		r.hides(`"path"`)
	})
}
