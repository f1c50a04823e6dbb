package tui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// withTimeline is a panel on which an agent came, read, wrote, was refused and left
// on the day before, and wrote today.
func withTimeline(t *testing.T, do func(r *testPanel)) {
	t.Helper()
	runPanel(t, crowded(), func(r *testPanel) {
		night := noon.AddDate(0, 0, -1)
		call := func(minutes int, c status.Call) {
			c.ID, c.Time = int64(5000-minutes), night.Add(-time.Duration(minutes)*time.Minute)
			r.queries.recorded = append(r.queries.recorded, c)
		}
		call(1, status.Call{Event: status.AgentLeft, Client: "aider", Session: "s9", Message: "left after 3 calls"})
		call(2, status.Call{Event: string(status.Refuse), Client: "aider", Session: "s9", Source: "notes", Message: "refused delete_page", Targets: []string{"Inbox.md"}})
		call(3, status.Call{Client: "aider", Session: "s9", Source: "notes", Tool: "delete_page", Effect: "delete", Code: "denied", Message: "the user refused", Refused: true, Targets: []string{"Inbox.md"}})
		call(4, status.Call{Client: "aider", Session: "s9", Source: "notes", Tool: "write_page", Effect: "write", Targets: []string{"Plan.md"}, Changes: []string{"c1"}})
		call(5, status.Call{Client: "aider", Session: "s9", Source: "notes", Tool: "read_page", Effect: "read", Targets: []string{"Private/diary.md"}})
		call(6, status.Call{Event: status.AgentConnected, Client: "aider", Session: "s9", Message: "connected over stdio"})
		call(7, status.Call{Event: status.HubStarted, Message: "the hub started"})
		r.queries.changes = []status.Change{{ID: "c1", Client: "aider", Session: "s9", Source: "notes", Tool: "write_page", Target: "Plan.md", Action: "update", Before: 10, After: 20}}
		r.queries.diffs = map[string]string{"c1": "@@ -1 +1 @@\n-old words\n+new words"}
		r.queries.agents = []status.Agent{{Client: "aider", Session: "s9", LastSeen: night, LastTool: "delete_page", Source: "notes"}, {Client: "claude-code"}}
		r.wait(time.Second)
		r.press("@Activity")
		r.wait(time.Second)
		do(r)
	})
}

// Calls, changes, refusals, what a person decided and who came and went are one list.
func TestTimeline(t *testing.T) {
	withTimeline(t, func(r *testPanel) {
		r.press("]")
		r.shows("20 Nov 11:59 ◆ left", "left after 3 calls", "◆ you", "refused delete_page Inbox.md", "denied: Inbox.md", "● write_page", "Private/diary.md",
			"◆ connected", "connected over stdio", "◆ hub", "the hub started")
		r.press("/", "is:event target:inbox", "enter")
		r.wait(time.Second)
		r.shows("· 1 event ·", "◆ you")
		r.hides("0 calls")
		r.hides("connected over stdio")
		r.press("enter")
		r.shows("Event", "refused delete_page", "by        you", "aider, not proven", "s9")
		r.press("esc", "esc", "/", "is:changed", "enter")
		r.wait(time.Second)
		r.shows("write_page")
		r.hides("delete_page")
		r.queries.calls <- status.Call{Seq: 41, ID: 9000, Time: noon, Event: string(status.PauseWrites), Client: "aider", Message: "pause the writes of aider"}
		r.wait(time.Second)
		r.press("esc", "g")
		r.wait(time.Second)
		r.shows("◆ you", "pause the writes of aider")
		r.press("T")
		r.hides("  you ") // an event is no call of a tool
	})
}

// Enter shows what the call changed as a diff; u takes it back from the row, U all
// that its agent changed since.
func TestTimelineUndoes(t *testing.T) {
	withTimeline(t, func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Take back 1 change"})
		r.press("/", "client:aider is:changed", "enter")
		r.wait(time.Second)
		r.press("enter")
		r.wait(time.Second)
		r.shows("Changed", "update Plan.md, 10 B → 20 B, change c1", "It has not been undone. u undoes it.", "1 -old words", "1 +new words")
		r.press("u")
		r.confirm()
		r.press("Z")
		r.confirm()
		r.press("U")
		r.confirm()
		since := noon.AddDate(0, 0, -1).Add(-4 * time.Minute)
		r.did(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{IDs: []string{"c1"}}},
			status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Client: "aider", Since: since}},
			status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: "s9"}})
		r.queries.changes[0].Outcome = status.Undone
		r.queries.calls <- status.Call{Seq: 41, ID: 9000, Time: noon, Event: string(status.UndoChanges), Message: "undo change c1"}
		r.wait(time.Second)
		r.wait(time.Second)
		r.shows("It has been undone.")
		r.press("u")
		r.shows("What this call changed is already undone.")
		r.press("esc", "esc", "/", "tool:read_page", "enter")
		r.wait(time.Second)
		r.press("u")
		r.shows("This row changed nothing that can be undone.")
	})
}

// The agent of a row can be stopped there.
func TestTimelineStopsTheAgent(t *testing.T) {
	withTimeline(t, func(r *testPanel) {
		r.press("/", "target:Private client:aider", "enter")
		r.wait(time.Second)
		r.press("P", "r")
		r.confirm()
		r.press("D")
		r.confirm()
		r.did(status.Action{Verb: status.PauseWrites, Target: "aider"},
			status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: "aider", Effects: []string{"read"}}},
			status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: "aider", Effects: []string{}}})
		r.press("esc", "/", "is:event hub", "enter")
		r.wait(time.Second)
		r.press("P")
		r.shows("This row does not name an agent.")
	})
}

// What came since the person last looked is marked and counted, and a day is one
// key.
func TestTimelineSinceYouLooked(t *testing.T) {
	looked := noon.AddDate(0, 0, -1).Add(-210 * time.Second)
	memory := fmt.Sprintf(`{"tab":"Activity","looked":%q}`, looked.Format(time.RFC3339))
	synctest.Test(t, func(t *testing.T) {
		r, conf := newStoppedPanel(t, crowded(), filledQueries())
		conf.Memory = []byte(memory)
		r.m = New(conf)
		for i, tool := range []string{"newest", "middle", "oldest"} {
			r.queries.recorded = append(r.queries.recorded, status.Call{ID: int64(50 - i), Time: looked.Add(time.Duration(1-i) * time.Minute), Tool: tool, Client: "aider"})
		}
		r.start(80, 24)
		r.wait(time.Second)
		r.shows("41 new since ")
		r.press("]")
		r.shows(" of 43 ─╮", "f follow")
		if line := lineOf(t, r, "newest"); line == "" {
			t.Fatal(r.screen())
		}
		r.press("]")
		r.press("enter")
		r.shows("middle") // the first that is not new
		r.press("esc", "[", "[")
		r.shows("following")
		r.press("m")
		r.hides("new since")
	})
}

// An agent that left keeps its row, and what can be decided about it there.
func TestAgentsThatLeft(t *testing.T) {
	withTimeline(t, func(r *testPanel) {
		r.press("@Clients")
		r.wait(time.Second)
		r.shows("○ aider", "left, last seen")
		r.press("/", "aider", "enter")
		r.shows("session s9, not proven", "did last", "delete_page in notes")
		r.press("d")
		r.shows("aider is not connected.")
		r.press("P", "U")
		r.confirm()
		r.press("r")
		r.confirm()
		r.did(status.Action{Verb: status.PauseWrites, Target: "aider"},
			status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: "s9"}},
			status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: "aider", Effects: []string{"read"}}})
		r.press("enter")
		r.wait(time.Second)
		r.shows("“client:aider”", "left after 3 calls")
	})
}

// An agent that may only read says so, and the same key ends that.
func TestReadOnlyAgents(t *testing.T) {
	s := crowded()
	s.Sessions[0].Scope = "notes,work-wiki"
	s.Sessions[0].Grants, s.Sessions[0].LastCall, s.Sessions[0].WritesPaused = "notes: read; work-wiki: nothing", noon, time.Time{}
	name := s.Sessions[0].Name
	client := s.Sessions[0].Client
	s.Approvals = nil
	runPanel(t, s, func(r *testPanel) {
		r.press("@Clients/" + name)
		r.wait(time.Second)
		r.shows("only reads", "r as before")
		r.press("r")
		r.confirm()
		r.did(status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Effects: []string{}, Reset: true}})
	})
}

// A word that looks like a filter and is none is searched for, and that is said.
func TestTimelineUnknownFilter(t *testing.T) {
	withTimeline(t, func(r *testPanel) {
		r.press("/", "bogus:1", "enter")
		r.wait(time.Second)
		r.shows("there is no filter bogus: ·", "No calls match: there is no filter bogus:, so bogus:1")
		r.press("esc")
		r.wait(time.Second)
		r.hides("bogus")
	})
}

// A row says in which sources an agent may only read, and "read only" alone only where it
// may do nothing else anywhere.
func TestReadOnlyNamesItsSources(t *testing.T) {
	s := crowded()
	s.Sessions, s.Approvals = slices.Clone(s.Sessions[:1]), nil
	for grants, want := range map[string]string{
		"notes: read": "only reads notes", "notes: read; work-wiki: nothing": "only reads notes",
		"work-wiki: nothing": "nothing in work-wiki", "notes: read; work-wiki: read": "only reads",
		"notes: read as guest; work-wiki: as owner": "only reads notes",
	} {
		s.Sessions[0].Grants, s.Sessions[0].Scope, s.Sessions[0].WritesPaused = grants, "notes,work-wiki", time.Time{}
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanel(t, s, 170, 24)
			r.press("@Clients/" + s.Sessions[0].Name)
			r.wait(time.Second)
			r.shows(want + "  ")
		})
	}
}

// What a paused agent asked for before is not said to wait for an answer that cannot be
// given.
func TestPausedAgentDoesNotWaitForYou(t *testing.T) {
	s := asked()
	i := slices.IndexFunc(s.Sessions, func(one status.Session) bool { return one.Name == s.Approvals[0].Session })
	s.Sessions = slices.Clone(s.Sessions)
	s.Sessions[i].WritesPaused = noon
	runPanel(t, s, func(r *testPanel) {
		r.press("@Clients/" + s.Sessions[i].Name)
		r.wait(time.Second)
		r.shows("paused, 1 held back", "what waits is refused even if you allow", "‖ held   "+s.Approvals[0].Tool)
		r.press("!")
		r.shows("its writes are paused: if you allow this, it is refused")
	})
}
