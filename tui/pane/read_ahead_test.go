package pane

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// answerQueries answers what p would like to know until that is nothing more, and returns the Changes
// whose diffs were asked for.
func answerQueries(p Pane, changes []status.Change) (Pane, []string) {
	var asked []string
	for {
		q := p.(Querier).WantedQuery()
		r := Result{Query: q, Changes: status.Changes{Changes: changes}}
		switch q := q.(type) {
		case nil:
			return p, asked
		case DiffQuery:
			asked = append(asked, q.Change)
			r.Changes.Diffs = map[string]string{q.Change: "@@ -1 +1 @@\n-old\n+text of " + q.Change + "\n"}
		}
		p = p.(Querier).TakeResult(r)
	}
}

// A key that goes to the next row shows its diff at once, in Changes and in Activity. The diff of a
// large change is read when it is selected.
func TestDiffsAreReadAhead(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	snap := status.Snapshot{Time: now, Hub: status.Hub{Component: status.Component{State: status.Ready}}}
	var changes []status.Change
	var calls []status.Call
	for i := range 9 {
		id := fmt.Sprintf("c%d", i)
		changes = append(changes, status.Change{ID: id, Time: now, Client: "codex", Session: "s1", Source: "notes", Target: id + ".md", Action: "update", After: 9})
		calls = append(calls, status.Call{Seq: uint64(9 - i), ID: int64(9 - i), Time: now, Client: "codex", Source: "notes", Tool: "write_page", Changes: []string{fmt.Sprintf("c%d", 8-i)}})
	}
	changes[4].After = maxReadAheadBytes + 1
	down := Press{KeyPressMsg: tea.KeyPressMsg{Code: 'j', Text: "j"}, W: 160, H: 40}
	for name, p := range map[string]Pane{
		ChangesPane:  NewChanges(DefaultKeys(), time.UTC).SetSnapshot(snap),
		ActivityPane: NewActivity(DefaultKeys(), time.UTC).SetSnapshot(snap).(Activity).ObserveCalls(calls),
	} {
		p, asked := answerQueries(p, changes)
		if got := strings.Join(asked, " "); got != "c0 c1 c2" {
			t.Errorf("%s asks for the diffs of %s at first", name, got)
		}
		for i := 1; i < len(changes); i++ {
			p, _ = p.HandleKey(down)
			atOnce := strings.Contains(ansi.Strip(p.View(theme.New(theme.Mode{}), 160, 40)), fmt.Sprintf("text of c%d", i))
			if want := name != ChangesPane || i != 4; atOnce != want {
				t.Errorf("%s, row %d: its diff is there at once: %v", name, i, atOnce)
			}
			p, asked = answerQueries(p, changes)
			if len(asked) > 2 {
				t.Errorf("%s, row %d: reads %v", name, i, asked)
			}
		}
	}
}

// What was put last stays, and copies are as they were.
func TestRecentValues(t *testing.T) {
	var r recentValues[int]
	for i := range 10 {
		r = r.put(fmt.Sprint(i), i, 3)
	}
	before := r
	r = r.put("8", 80, 3).put("x", 1, 3)
	for key, want := range map[string]int{"x": 1, "8": 80, "9": 9, "7": 0} {
		if v, _ := r.get(key); v != want {
			t.Errorf("%s is %d, want %d", key, v, want)
		}
	}
	if v, ok := before.get("7"); !ok || v != 7 {
		t.Error("a copy has changed")
	}
}
