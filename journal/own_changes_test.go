package journal_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

func (d *desk) past() journal.OwnChangesQuery {
	return journal.OwnChangesQuery{Source: "notes", Own: journal.Ownership{Session: "s1", Since: d.now}}
}

// The name of a session that a hub gave again is not the session.
func TestOwnIsSinceTheSessionBegan(t *testing.T) {
	d := newDesk(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.now = d.now.Add(1)
	later := d.past()
	d.call("s1", map[string]tools.State{"b.md": text("b")})
	mine, err := d.OwnChanges(t.Context(), later, "", "", 10)
	if err != nil || len(mine.Changes) != 1 || mine.Changes[0].Target != "b.md" {
		t.Errorf("listed %+v (%v)", mine, err)
	}
}

// A journal that is closed while an agent's past is looked at says so.
func TestOwnChangesOfAClosedJournal(t *testing.T) {
	for name, ask := range map[string]func(*desk, journal.OwnChangesQuery) error{
		"list": func(d *desk, p journal.OwnChangesQuery) error {
			_, err := d.OwnChanges(d.Context(), p, "", "", 10)
			return err
		},
		"diff": func(d *desk, p journal.OwnChangesQuery) error {
			_, err := d.OwnChanges(d.Context(), p, "c1", "", 1)
			return err
		},
		"undo": func(d *desk, p journal.OwnChangesQuery) error {
			_, err := d.PlanUndoOwn(d.Context(), journal.OwnUndo{OwnChangesQuery: p, ID: "c1", Restorer: d.shelf})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			past := d.past()
			d.call("s1", map[string]tools.State{"a.md": text("a")})
			d.call("s1", map[string]tools.State{"b.md": text("b")})
			past.Visible = func(context.Context, []tools.Change, bool) (bool, error) { return true, d.Close() }
			if err := ask(d, past); err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("answered %v", err)
			}
		})
	}
}

// A listing goes past what must not be known, however much it is, and says
// there is more only if there is.
func TestOwnChangesPassOverHidden(t *testing.T) {
	d := newDesk(t)
	past := d.past()
	past.Visible = func(_ context.Context, changes []tools.Change, whole bool) (bool, error) {
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

// An undo by an agent that is refused on its way leaves nothing to go on with,
// and one that is only rehearsed never was.
func TestRetractionThatIsStopped(t *testing.T) {
	d := newDesk(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	r := journal.OwnUndo{OwnChangesQuery: d.past(), ID: "c1", Restorer: d.shelf}
	no := tools.Errorf(tools.Denied, "no")
	by := d.Record(journal.Origin{Client: "agent", Session: "s1", Source: "notes", Tool: journal.UndoTool})
	for _, rec := range []*journal.Recorder{nil, by} {
		if _, err := d.UndoOwn(t.Context(), r, refusing{err: no}, rec); tools.AsError(err).Code != tools.Denied {
			t.Fatalf("refused: %v", err)
		}
	}
	d.reopen()
	found, err := d.Reconcile(t.Context(), "notes", d.shelf)
	if err != nil || found.HasFindings() {
		t.Errorf("found %+v (%v)", found, err)
	}
	d.shelf.holds(t, map[string]tools.State{"a.md": text("a")})
	d.outcomesAre("a.md create written")
}

// A refusing Caller lets nothing be changed.
type refusing struct {
	tools.NopCallContext

	err error
}

func (r refusing) BeforeWrite(context.Context, ...tools.Change) error { return r.err }
