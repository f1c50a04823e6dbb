package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// runPanel runs a test on an 80 by 24 panel over a hub that shows snap and answers
// with something for every pane.
func runPanel(t *testing.T, snap status.Snapshot, test func(r *testPanel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newTestPanelWith(t, snap, filledQueries(), 80, 24)) })
}

func allowed(id string, scope status.Scope) status.Action {
	return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Scope: scope, Shown: true}}
}

func TestWaitingIsAnnouncedEverywhere(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.hides("waiting")
		for _, tab := range []string{"@Overview", "@Sources", "@Logs", "@Clients"} {
			r.hub.Set(nextCrowded())
			r.settle()
			r.wait(keyIgnoreDuration)
			r.press(tab)
			s := asked()
			s.Seq = 0
			r.hub.Set(s)
			r.settle()
			r.shows("!2 ▲ degraded", `"codex-mcp-client" (claimed) wants update_card in work-wiki: press !`)
			r.press("!")
			r.shows("▲ 1 of 2 [claude-code markdown_delete_page]", "claude-code (proven) wants to delete 5 targets in notes")
		}
	})
}

// nextCrowded is crowded with nothing that waits, as the next snapshot.
func nextCrowded() status.Snapshot {
	s := crowded()
	s.Seq = 0
	return s
}

func TestAllow(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.shows("claude-code (proven) wants to delete 5 targets in notes", "deleting asks first in notes", "-# Yesterday")
		r.press("y") // meant for what was there before
		r.shows("y was not taken: something new has just come up.")
		r.did()
		r.wait(keyIgnoreDuration)
		r.press("y", "Y")
		r.shows("Allow for 10 minutes: claude-code may delete in Journal/** of notes", "claude-code may delete in Journal/** of notes  → all of notes", "a rule in the configuration")
		r.press("right", "left", "esc", "Y", "down", "y")
		r.did(allowed("a1", status.Once), allowed("a1", status.ForSession))
		r.press("A")
		r.shows("Allow markdown_delete_page?")
		r.confirm()
		r.press("j")
		r.shows(`"codex-mcp-client" (claimed) wants to write 1 target`)
		r.wait(keyIgnoreDuration)
		r.press("A")
		r.shows("has not proved its name")
		r.wait(keyIgnoreDuration)
		r.press("Y")
		r.shows("Ten minutes are for session 3 only: the client has not proved its name.")
		r.press("right", "y")
		forTen := allowed("a2", status.Timed)
		forTen.Answer.Within = "**"
		r.did(allowed("a1", status.Once), allowed("a1", status.ForSession), allowed("a1", status.Always), forTen)
	})
}

// TestAnswersAreNotForAnother: when what waits changes under the eyes of a
// person, the keys that are on their way answer nothing.
func TestAnswersAreNotForAnother(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		next := asked()
		next.Seq, next.Approvals = 0, next.Approvals[1:]
		r.hub.Set(next)
		r.settle()
		r.press("y", "A")
		r.did()
		r.wait(keyIgnoreDuration)
		r.shows("Nothing is selected now.")
		r.press("y", "n", "u", "enter", "y")
		r.did()
		r.press("j")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.did(allowed("a2", status.Once))
	})
}

// After an answer comes the next call that waits, and behind the last one nothing
// is selected: no key acts on what a person did not choose.
func TestNothingSlipsUnderTheKeys(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("y")
		next := withOutcome(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByPerson})
		r.hub.Set(next)
		r.settle()
		r.shows("▲ 1 of 1", `"codex-mcp-client" (claimed)`)
		r.press("y") // meant for the first
		r.did(allowed("a1", status.Once))
		r.wait(keyIgnoreDuration)
		r.press("n", "enter")
		next.Seq, next.Approvals = 0, nil
		next.Outcomes = append(next.Outcomes, status.ApprovalOutcome{ID: "a2", Resolution: status.Refused, By: status.ByPerson})
		r.hub.Set(next)
		r.settle()
		r.wait(keyIgnoreDuration)
		before := len(r.hub.Actions())
		r.shows("was denied. Nothing is selected now.", "↓ selects the newest change.")
		for _, k := range []string{"y", "u", "U", "Z", "A", "Y"} {
			r.press(k)
		}
		if n := len(r.hub.Actions()); n != before {
			t.Errorf("did %+v", r.hub.Actions()[before:])
		}
		r.press("j")
		r.shows("change c9")
	})
}

// longChange is a plan with one change of n lines, where the last is not like the
// others.
func longChange(n int) status.Plan {
	return status.Plan{Steps: []status.Step{{
		Description: "change Home",
		Diff:        "--- before\n+++ after\n@@ -1,4 +1,4 @@\n # Home\n \n A wiki.\n Begun in May.\n-old\n" + strings.Repeat("+harmless\n", n) + "+evil\n",
	}}}
}

// What was not on the screen is not allowed by the first yes.
func TestYesToWhatWasNotShown(t *testing.T) {
	open := func(r *testPanel, lines int) {
		r.hub.SetPlan(longChange(lines))
		r.press("!", "j")
		r.wait(keyIgnoreDuration)
		r.shows("-old", "+harmless")
	}
	runPanel(t, asked(), func(r *testPanel) { // reading on
		open(r, 30)
		r.hides("evil")
		r.press("y")
		r.shows("of 32 changed rows not seen: pgdn reads on, y again allows it unseen.")
		r.press("pgdown", "pgdown")
		r.shows("+evil")
		r.press("y")
		r.did(allowed("a2", status.Once))
	})
	runPanel(t, asked(), func(r *testPanel) { // jumping to the end leaves out what is between
		open(r, 200)
		r.press("enter", "G", "y", "k")
		r.wait(keyIgnoreDuration)
		r.press("y", "y", "y") // held down
		r.did()
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.did(allowed("a2", status.Once))
	})
	runPanel(t, asked(), func(r *testPanel) { // what is cut is to be asked for
		open(r, 20_000)
		r.shows("not shown")
		r.press("enter", "G", "y")
		r.shows("KB not shown: z shows all, y again allows it unseen.")
		r.did()
		r.press("z")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.shows("of 20,0", "changed rows not seen")
		r.did()
	})
}

func TestNothingIsAllowedUnseen(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!") // the plan is known from here on
		r.wait(keyIgnoreDuration)
		r.press("2", "ctrl+p", "allow the selected call once", "enter")
		r.shows("▲ 1 of 2")
		r.did()
	})
}

func TestRefuseWithAReason(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.press("n", "not yA")
		r.send(tea.PasteMsg{Content: "et\n"})
		r.did()
		r.press("enter")
		r.did(status.Action{Verb: status.Refuse, Target: "a1", Answer: &status.Answer{Reason: "not yAet"}})

		// What is typed stays text when the approval is over meanwhile.
		r.press("n")
		next := asked()
		next.Seq, next.Approvals = 0, next.Approvals[1:]
		r.hub.Set(next)
		r.settle()
		r.press("yA", "enter")
		r.shows("This call is no longer pending.")
		if n := len(r.hub.Actions()); n != 1 {
			t.Errorf("%d actions, want 1", n)
		}
	})
}

func TestChangesAreReadShownAndUndone(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Changes")
		r.shows("Changes 4", "claude-code session 1", "codex-mcp-client session 3", "+- call the plumber before noon", "the person asked for a summary")
		r.press("enter")
		r.shows("come back until the week after", "+- water the plants") // what is too long is not cut
		r.press("esc")
		r.hub.SetPlan(status.Plan{Title: "Undo c9", Steps: []status.Step{{Description: "change Journal/2026-11-21", Diff: "-- water the plants\n"}}})
		r.press("u")
		r.shows("Undo c9?")
		r.confirm()
		undo := status.Action{Verb: status.UndoChanges, Filter: &status.Filter{IDs: []string{"c9"}}}
		r.did(undo)
		r.press("j", "u")
		r.shows("This change is already undone.")
		r.press("j", "u")
		r.shows("Cannot undo: its pre-image was too large to keep")
		r.press("U")
		r.confirm()
		r.press("Z")
		r.confirm()
		selected := r.queries.changes[slices.IndexFunc(r.queries.changes, func(c status.Change) bool { return c.CannotUndo != "" })]
		r.did(undo, status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: "1"}},
			status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Client: selected.Client, Since: selected.Time}})
		r.press("g", "c")
		if d := cmp.Diff([]string{strings.ReplaceAll(r.queries.diffs["c9"], "\t", "    ")}, r.copied); d != "" {
			t.Error(d)
		}
	})
}

// TestChangesAreReadAgain: after a call that wrote and after an undo, not else.
func TestChangesAreReadAgain(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Changes")
		r.wait(time.Second) // the calls of before
		r.queries.changes = append([]status.Change{{ID: "c10", Target: "Fresh", Session: "3", Time: noon}}, r.queries.changes...)
		r.queries.calls <- status.Call{Seq: 1, Tool: "read_page"}
		r.wait(2 * batchWindow)
		r.hides("Fresh")
		r.queries.calls <- status.Call{Seq: 2, Tool: "write_page", Changes: []string{"c10"}}
		r.wait(2 * batchWindow)
		r.shows("Fresh", "Changes 5")
		r.shows("-- call the plumber") // the selection stays
	})
}

func TestOlderChangesAreReadAtTheEnd(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.changes = nil
		for i := range 250 {
			r.queries.changes = append(r.queries.changes, status.Change{ID: fmt.Sprintf("n%d", i), Target: fmt.Sprintf("page %d", i), Time: noon})
		}
		r.press("@Changes")
		r.shows("Changes 100+")
		r.press("G")
		r.shows("Changes 200+")
		r.press("G", "G")
		r.shows("Changes 250 ", "page 249")
	})
}

func TestJournalThatCannotBeRead(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.fail(errors.New("read journal: it is locked"))
		r.seen = 0
		r.press("@Changes")
		r.shows("annot read the journal: read journal: it is locked")
		if r.seen > 10 {
			t.Errorf("%d messages: it is asked for without end", r.seen)
		}
		r.queries.fail(nil)
		r.press("R")
		r.shows("Changes 4")
	})
}

// A key ends what an agent may do for ten minutes, and the header says how long that
// lasts.
func TestEndPermit(t *testing.T) {
	runPanel(t, permitted(), func(r *testPanel) {
		r.press("@Clients")
		r.shows("2 allowed", "may write in Journal/** of notes for 9 min, without asking, 12 calls so far.", "may write for 42 s")
		r.press("Y")
		r.did(status.Action{Verb: status.EndPermit, Target: "p1"})
	})
}

// The header says for how long something is allowed without asking, at 80 columns too, and
// the Overview who may do what.
func TestPermitIsSaidInWords(t *testing.T) {
	s := permitted()
	s.Permits, s.Approvals = s.Permits[:1], nil
	for w, want := range map[int]string{
		80: "allowed 9m  ▲", 110: "allowed 9 min  ▲", 140: "allowed 9 min  ▲ degraded", 170: "claude-code may write unasked for 9 min  ▲",
		190: "claude-code may write in Journal/** of notes unasked for 9 min  ▲ degraded",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanel(t, s, w, 24)
			r.settle()
			r.shows(want, "Allowed without asking 1", " may write in Journal/** of notes", " 9 min left")
		})
	}
}

// rewritten are the changes of two agents that write in turn: one rewrites a page
// again and again.
func rewritten(n int) []status.Change {
	var all []status.Change
	for i := range n {
		c := status.Change{ID: fmt.Sprint("r", n-i), Time: noon.Add(-time.Duration(i) * time.Minute), Client: "codex", Session: "3", Source: "notes", Tool: "edit_page", Target: "Draft.md", Action: "update", Outcome: status.Written}
		if i%2 == 1 {
			c.Client, c.Session, c.Target = "zed", "4", fmt.Sprintf("Daily/%02d.md", n-i)
		}
		all = append(all, c)
	}
	return all
}

// The changes of one agent to one page are a row, which unfolds; the groups of
// agents keep their order when another agent writes; and / finds changes.
func TestChangesFoldAndFilter(t *testing.T) {
	runPanel(t, nextCrowded(), func(r *testPanel) {
		r.queries.changes = rewritten(24)
		r.press("@Changes")
		r.shows("Draft.md ×12", "Changes 24", "11 earlier changes", "▐")
		first := strings.Index(r.screen(), "codex session 3")
		r.queries.changes = append([]status.Change{{ID: "new", Time: noon, Client: "zed", Session: "4", Source: "notes", Target: "Daily/new.md", Action: "create", Outcome: status.Written}}, r.queries.changes...)
		r.press("R")
		if again := strings.Index(r.screen(), "codex session 3"); first < 0 || again != first {
			t.Errorf("the groups have changed places:\n%s", r.screen())
		}
		r.press("right", "j")
		r.shows("Draft.md ×12", "2 of ")
		r.press("u")
		if got := r.hub.Previewed(); len(got) == 0 || len(got[len(got)-1].Filter.IDs) != 1 {
			t.Errorf("an unfolded change is undone with others: %+v", got)
		}
		r.press("esc", "left", "u")
		if got := r.hub.Previewed(); len(got[len(got)-1].Filter.IDs) != 12 {
			t.Errorf("a row that stands for 12 changes undoes %+v", got[len(got)-1].Filter)
		}
		r.press("esc", "/", "xyz")
		r.shows("No change matches")
		r.press("esc", "/", "daily 07", "enter")
		r.shows("/daily 07 · 1 row", "Daily/07.md")
		r.hides("Draft.md")
		r.press("esc")
		r.shows(" of 14 rows")
	})
}

// While calls wait, the journal is one key away, and so is what waits from there.
func TestJournalBesideWhatWaits(t *testing.T) {
	s := lively()
	if len(s.Approvals) == 0 {
		t.Fatal("nothing waits")
	}
	runPanel(t, s, func(r *testPanel) {
		r.press("4")
		r.shows("J journal", "allow")
		r.press("J")
		r.shows("J what waits", "undo")
		r.press("J")
		r.shows("J journal", "allow")
	})
}
