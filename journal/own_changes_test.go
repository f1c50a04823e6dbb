package journal_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

func (d *testJournal) ownQuery() journal.OwnChangesQuery {
	return journal.OwnChangesQuery{Source: "notes", Own: journal.Ownership{Session: "s1", Since: d.now}}
}

// A later session of the same name is another session.
func TestOwnIsSinceTheSessionBegan(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.now = d.now.Add(1)
	later := d.ownQuery()
	d.call("s1", map[string]tools.State{"b.md": text("b")})
	mine, err := d.OwnChanges(t.Context(), later, "", "", 10)
	if err != nil || len(mine.Changes) != 1 || mine.Changes[0].Target != "b.md" {
		t.Errorf("listed %+v (%v)", mine, err)
	}
}

// Closing a journal while an agent lists its Changes is an error, not a crash.
func TestOwnChangesOfAClosedJournal(t *testing.T) {
	for name, ask := range map[string]func(*testJournal, journal.OwnChangesQuery) error{
		"list": func(d *testJournal, p journal.OwnChangesQuery) error {
			_, err := d.OwnChanges(d.Context(), p, "", "", 10)
			return err
		},
		"diff": func(d *testJournal, p journal.OwnChangesQuery) error {
			_, err := d.OwnChanges(d.Context(), p, d.id(1), "", 1)
			return err
		},
		"undo": func(d *testJournal, p journal.OwnChangesQuery) error {
			_, err := d.PlanUndoOwn(d.Context(), journal.OwnUndoRequest{OwnChangesQuery: p, ID: d.id(1), Open: d.lend})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestJournal(t)
			past := d.ownQuery()
			d.call("s1", map[string]tools.State{"a.md": text("a")})
			d.call("s1", map[string]tools.State{"b.md": text("b")})
			past.Visible = func(context.Context, string, []tools.Change, bool) (bool, error) { return true, d.Close() }
			if err := ask(d, past); err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("answered %v", err)
			}
		})
	}
}

// A listing skips what the agent must not know, however much that is, and says
// that there is more only if there is.
func TestOwnChangesPassOverHidden(t *testing.T) {
	d := newTestJournal(t)
	past := d.ownQuery()
	past.Visible = func(_ context.Context, _ string, changes []tools.Change, whole bool) (bool, error) {
		if !whole || len(changes) == 0 {
			t.Error("the contents are kept, and were not shown")
		}
		for _, c := range changes {
			if strings.HasPrefix(c.Target, "hidden") || strings.Contains(string(c.After.Data), "#secret") {
				return false, nil
			}
		}
		return true, nil
	}
	d.call("s1", map[string]tools.State{"first.md": text("1")})
	for range 150 {
		d.call("s1", map[string]tools.State{"hidden.md": text("x"), "with.md": text("y")})
	}
	d.call("s1", map[string]tools.State{"tagged.md": text("#secret")})
	d.call("s1", map[string]tools.State{"last.md": text("2")})
	mine, err := d.OwnChanges(t.Context(), past, "", "", 2)
	if err != nil || len(mine.Changes) != 2 || mine.More || mine.Changes[1].Target != "first.md" {
		t.Errorf("listed %+v (%v)", mine, err)
	}
	mine, err = d.OwnChanges(t.Context(), past, "", "", 1)
	if err != nil || len(mine.Changes) != 1 || !mine.More {
		t.Errorf("listed %+v (%v)", mine, err)
	}
}

// An agent's undo that is refused on its way leaves no intent, and neither does a
// dry run.
func TestRetractionThatIsStopped(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	r := journal.OwnUndoRequest{OwnChangesQuery: d.ownQuery(), ID: d.id(1), Open: d.lend}
	no := tools.Errorf(tools.Denied, "no")
	by := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: "notes", Tool: journal.UndoToolName})
	for _, rec := range []*journal.Recorder{nil, by} {
		if _, err := d.UndoOwn(t.Context(), r, func(string) journal.OwnUndoObserver {
			return journal.OwnUndoObserver{Writes: refusingContext{err: no}, Recorder: rec}
		}); tools.AsError(err).Code != tools.Denied {
			t.Fatalf("refused: %v", err)
		}
	}
	d.reopen()
	found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false)
	if err != nil || found.HasFindings() {
		t.Errorf("found %+v (%v)", found, err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("a")})
	d.checkOutcomes("a.md create written")
}

// A refusingContext is a WriteObserver that lets nothing be changed.
type refusingContext struct{ err error }

func (r refusingContext) BeforeWrite(context.Context, ...tools.Change) error { return r.err }
func (refusingContext) AfterWrite(string, tools.State)                       {}
func (refusingContext) OutcomeUnknown(string)                                {}
