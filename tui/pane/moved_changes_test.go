package pane

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A move is one row that says from where to where, in the list, in its details, in the text of the day and in
// Activity, whichever half of it is asked about; an undo takes both halves.
func TestMovedTargetsAreOneRow(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	snap := status.Snapshot{Time: now, Hub: status.Hub{Component: status.Component{State: status.Ready}}}
	one := func(id, target, action string) status.Change {
		return status.Change{ID: id, Time: now, Client: "codex", Session: "s1", Call: "k1", Source: "notes", Tool: "move_page", Target: target, Action: action}
	}
	gone, made, link := one("c3", "Old.md", "delete"), one("c2", "Projects/New.md", "create"), one("c1", "A.md", "update")
	gone.MovedTo, made.MovedFrom, made.MovedLinks = "Projects/New.md", "Old.md", 3
	later := one("c4", "Projects/New.md", "update")
	later.Call = "k2"
	changes := []status.Change{later, gone, made, link}
	p, _ := answerQueries(NewChanges(DefaultKeys(), time.UTC).SetSnapshot(snap), changes)
	shown := func(p Pane, w int) string { return ansi.Strip(p.View(theme.New(theme.Mode{}), w, 30)) }
	p, _ = p.HandleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: 'j', Text: "j"}, W: 160, H: 30})
	p, _ = answerQueries(p, changes)
	for _, want := range []string{"move    Old.md → Projects/New.md and 3 links notes", "update  Projects/New.md", "update  A.md", "target   Old.md → Projects/New.md", "move by move_page"} {
		if !strings.Contains(shown(p, 160), want) {
			t.Errorf("%q is not in\n%s", want, shown(p, 160))
		}
	}
	if want := fmt.Sprintf("─ Changes %d ─", len(changes)-1); !strings.Contains(shown(p, 160), want) {
		t.Errorf("a move is counted twice: %q is not in\n%s", want, shown(p, 160))
	}
	for _, wrong := range []string{"delete", "create"} {
		if strings.Contains(shown(p, 160), wrong) {
			t.Errorf("%q is in\n%s", wrong, shown(p, 160))
		}
	}
	if row := shown(p, 60); !strings.Contains(row, "Old.md → ") {
		t.Errorf("in a narrow pane:\n%s", row)
	}
	_, undo := p.HandleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: 'u', Text: "u"}, W: 160, H: 30})
	if d := cmp.Diff(IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{IDs: []string{"c2", "c3"}}}), undo); d != "" {
		t.Errorf("the undo (-want +got):\n%s", d)
	}
	if at := p.(Changes).cache.rowIndex("c3"); at != 1 {
		t.Errorf("the deleted half is in row %d", at)
	}
	day, _ := p.HandleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: 't', Text: "t"}, W: 160, H: 30})
	day = day.(Querier).TakeResult(Result{Query: day.(Querier).WantedQuery(), Changes: status.Changes{Changes: changes, Diffs: map[string]string{"c2": "moved from Old.md to Projects/New.md\n"}}})
	if text := shown(day, 160); !strings.Contains(text, "move Old.md → Projects/New.md and 3 links") || strings.Contains(text, "Old.md in notes") {
		t.Errorf("the day:\n%s", text)
	}
	call := status.Call{Seq: 1, ID: 1, Time: now, Client: "codex", Source: "notes", Tool: "move_page", Changes: []string{"c3", "c2"}}
	activity, _ := answerQueries(NewActivity(DefaultKeys(), time.UTC).SetSnapshot(snap).(Activity).ObserveCalls([]status.Call{call}), changes)
	if text := shown(activity, 160); !strings.Contains(text, "move Old.md → Projects/New.md and 3 links") || strings.Contains(text, "delete Old.md") {
		t.Errorf("Activity:\n%s", text)
	}
}

// What moves stands above what links to it, in the question and in its diff, and is selected once it is written.
func TestMovesComeFirst(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a := status.Approval{
		ID: "a1", Since: now, Until: now.Add(time.Minute), Client: "codex", Proven: true, Source: "notes", Tool: "move_page", Effect: "write",
		Targets: []string{"A.md", "Old.md → New.md"}, Move: &status.TargetMove{From: "Old.md", To: "New.md", Count: 1, Links: 1}, Bytes: 60,
	}
	snap := status.Snapshot{Time: now, Hub: status.Hub{Component: status.Component{State: status.Ready}}, Approvals: []status.Approval{a}}
	p := NewChanges(DefaultKeys(), time.UTC).SetSnapshot(snap).(Changes).ShowItem("a1")
	link := "change A.md (+1 −1)\n@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
	move := "move Old.md → New.md\nits text stays the same\n"
	content := ApprovalContent{Total: 2, Added: 1, Removed: 1, Head: link + move, Targets: []status.ApprovalTarget{
		{Name: "A.md", Action: "change", Added: 1, Removed: 1, Bytes: len(link)}, {Name: "New.md", From: "Old.md", Action: "move", Offset: len(link), Bytes: len(move)},
	}}
	for q := p.(Querier).WantedQuery(); q != nil; q = p.(Querier).WantedQuery() {
		p = p.(Querier).TakeResult(Result{Query: q, Approval: content})
	}
	text := p.(Changes).detailText().String()
	for _, parts := range [][2]string{{"move   Old.md → New.md", "change A.md"}, {"its text stays the same", "+[[New]]"}} {
		if first, second := strings.Index(text, parts[0]), strings.Index(text, parts[1]); first < 0 || second < first {
			t.Errorf("%q does not stand above %q in\n%s", parts[0], parts[1], text)
		}
	}
	p, _ = p.HandleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: 'y', Text: "y"}, W: 100, H: 30})
	snap.Approvals, snap.Outcomes = nil, []status.ApprovalOutcome{{ID: "a1", Resolution: status.Allowed, Call: &status.CallEnd{Changes: []string{"c1", "c2", "c3"}}}}
	p = p.SetSnapshot(snap)
	made := status.Change{ID: "c3", Time: now, Client: "codex", Call: "k", Source: "notes", Target: "New.md", MovedFrom: "Old.md", Action: "create"}
	gone := status.Change{ID: "c2", Time: now, Client: "codex", Call: "k", Source: "notes", Target: "Old.md", MovedTo: "New.md", Action: "delete"}
	p = p.(CallObserver).ObserveCalls([]status.Call{{Changes: []string{"c1"}}})
	p, _ = answerQueries(p, []status.Change{made, gone, {ID: "c1", Time: now, Client: "codex", Call: "k", Source: "notes", Target: "A.md", Action: "update"}})
	if id := p.(Changes).selection.id; id != "c3" {
		t.Errorf("%q is selected", id)
	}
}
