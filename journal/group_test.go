package journal_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqliteconn"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A groupJournal is a journal over two folders, sources notes and archive.
type groupJournal struct {
	*testJournal
	folders map[string]*fakeFolder
}

func newGroupJournal(t *testing.T) *groupJournal {
	t.Helper()
	d := newVictimJournal(t)
	g := &groupJournal{d, foldersIn(filepath.Dir(d.dir))}
	if err := os.Mkdir(g.folders["archive"].dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.edit("a.md", text("a\n"))
	return g
}

func foldersIn(dir string) map[string]*fakeFolder {
	return map[string]*fakeFolder{"notes": {dir: filepath.Join(dir, "notes")}, "archive": {dir: filepath.Join(dir, "archive")}}
}

func lendFrom(folders map[string]*fakeFolder) journal.SourceProvider {
	return func(_ context.Context, name string) (tools.Restorer, func(), error) {
		return folders[name], func() {}, nil
	}
}

// writeIn is one call of a group.
func writeIn(j *journal.Journal, g *journal.Group, folders map[string]*fakeFolder, source string, changes ...tools.Change) error {
	ctx, s := context.Background(), folders[source]
	r := j.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: source, Tool: "write", Group: g})
	err := s.write(ctx, tools.CallContext{Writes: r}, changes...)
	r.End(err)
	return err
}

// writeGroup writes a.md twice and b.md to notes, and c.md to archive.
func writeGroup(j *journal.Journal, g *journal.Group, folders map[string]*fakeFolder) error {
	return errors.Join(
		writeIn(j, g, folders, "notes", tools.Change{Target: "a.md", Before: text("a\n"), After: text("1\n")}),
		writeIn(j, g, folders, "notes", tools.Change{Target: "b.md", After: text("1\n")}),
		writeIn(j, g, folders, "archive", tools.Change{Target: "c.md", After: text("1\n")}),
		writeIn(j, g, folders, "notes", tools.Change{Target: "a.md", Before: text("1\n"), After: text("2\n")}),
	)
}

func (g *groupJournal) mustWriteGroup() {
	g.Helper()
	group := g.NewGroup()
	if err := errors.Join(writeGroup(g.Journal, group, g.folders), group.KeepChanges()); err != nil {
		g.Fatal(err)
	}
}

func (g *groupJournal) checkFolders(a, b, c string) {
	g.Helper()
	for source, want := range map[string]map[string]string{"notes": {"a.md": a, "b.md": b}, "archive": {"c.md": c}} {
		states := map[string]tools.State{}
		for target, content := range want {
			if content != "" {
				states[target] = text(content)
			}
		}
		g.folders[source].holds(g.T, states)
	}
}

func (g *groupJournal) undoAny(id string) error {
	return g.Undo(g.Context(), status.Filter{IDs: []string{id}}, journal.CallOrigin{Client: "lectern undo"}, lendFrom(g.folders))
}

// Whichever Change of a group is picked, all of it is undone in all its sources,
// and the undo is undone as one too.
func TestUndoOfAnyChangeOfAGroup(t *testing.T) {
	for n := range 4 {
		g := newGroupJournal(t)
		g.mustWriteGroup()
		all := g.list(status.Filter{})
		if len(all) != 4 || all[0].Group == "" || slices.ContainsFunc(all, func(c status.Change) bool { return c.Group != all[0].Group }) {
			t.Fatalf("changes %+v", all)
		}
		if err := g.undoAny(g.id(n + 1)); err != nil {
			t.Fatal(err)
		}
		g.checkFolders("a\n", "", "")
		if left := g.list(status.Filter{Group: all[0].Group}); slices.ContainsFunc(left, func(c status.Change) bool { return c.Outcome != status.Undone }) {
			t.Errorf("left %+v", left)
		}
		if err := g.undoAny(g.list(status.Filter{})[0].ID); err != nil {
			t.Fatal(err)
		}
		g.checkFolders("2\n", "1\n", "1\n")
	}
}

// An edit in one source keeps the whole group.
func TestUndoOfAGroupChecksEverySourceFirst(t *testing.T) {
	g := newGroupJournal(t)
	g.mustWriteGroup()
	g.edit("b.md", text("by a person\n"))
	if err := g.undoAny(g.id(3)); err == nil || !strings.Contains(err.Error(), "b.md") {
		t.Errorf("undone: %v", err)
	}
	g.checkFolders("2\n", "by a person\n", "1\n")
}

// A group is not listed while it runs, and is taken back over all its sources;
// what somebody edited since is left and named.
func TestTakeBack(t *testing.T) {
	for _, edited := range []bool{false, true} {
		g := newGroupJournal(t)
		group := g.NewGroup()
		if err := writeGroup(g.Journal, group, g.folders); err != nil {
			t.Fatal(err)
		}
		if all := g.list(status.Filter{}); len(all) != 0 {
			t.Errorf("listed %+v", all)
		}
		if edited {
			if err := g.folders["archive"].put("c.md", text("by a person\n")); err != nil {
				t.Fatal(err)
			}
		}
		done := group.TakeBack(t.Context(), lendFrom(g.folders))
		if !done.Changed || len(done.Left) > 0 != edited || edited && !strings.Contains(done.Left[0], "c.md") {
			t.Errorf("taken back: %+v", done)
		}
		c := ""
		if edited {
			c = "by a person\n"
		}
		g.checkFolders("a\n", "", c)
	}
}

// A source that cannot serve follows when it does.
func TestTakeBackOfAnUnavailableSource(t *testing.T) {
	g := newGroupJournal(t)
	group := g.NewGroup()
	if err := writeGroup(g.Journal, group, g.folders); err != nil {
		t.Fatal(err)
	}
	done := group.TakeBack(t.Context(), func(ctx context.Context, name string) (tools.Restorer, func(), error) {
		if name == "archive" {
			return nil, nil, tools.Errorf(tools.Unavailable, "it is away")
		}
		return lendFrom(g.folders)(ctx, name)
	})
	if len(done.Left) != 1 || !strings.Contains(done.Left[0], "archive") || !g.SourceNeedsRecovery("archive") {
		t.Errorf("taken back: %+v", done)
	}
	g.checkFolders("a\n", "", "1\n")
	g.reconcileAll()
	g.checkFolders("a\n", "", "")
}

// If the journal cannot be written, all sources of the group follow when it can.
func TestTakeBackWithoutTheJournal(t *testing.T) {
	g := newGroupJournal(t)
	g.call("s0", map[string]tools.State{"z.md": text("z\n")})
	g.edit("z.md", tools.State{})
	g.fillUntil(6)
	group := g.NewGroup()
	if err := writeGroup(g.Journal, group, g.folders); err != nil {
		t.Fatal(err)
	}
	done := group.TakeBack(t.Context(), lendFrom(g.folders))
	if len(done.Left) != 1 || !g.SourceNeedsRecovery("notes") || !g.SourceNeedsRecovery("archive") {
		t.Errorf("taken back: %+v; notes %v, archive %v", done, g.SourceNeedsRecovery("notes"), g.SourceNeedsRecovery("archive"))
	}
	g.checkFolders("2\n", "1\n", "1\n")
	g.call("s0", map[string]tools.State{"z.md": text("zz\n")})
	g.edit("z.md", tools.State{})
	g.reconcileAll()
	g.checkFolders("a\n", "", "")
}

// fillUntil has no group end before there are so many Changes.
func (g *groupJournal) fillUntil(changes int) {
	g.Helper()
	if err := g.Close(); err != nil {
		g.Fatal(err)
	}
	db, err := sqliteconn.Open(journal.DatabaseFile(g.dir), "immediate")
	if err != nil {
		g.Fatal(err)
	}
	_, err = db.ExecContext(g.Context(), fmt.Sprintf(`CREATE TRIGGER full BEFORE DELETE ON groups WHEN (SELECT count(*) FROM changes) < %d
		BEGIN SELECT RAISE(ABORT, 'no space left on device'); END`, changes))
	if err = errors.Join(err, db.Close()); err != nil {
		g.Fatal(err)
	}
	g.open()
}

func (g *groupJournal) reconcileAll() (found journal.Reconciliation) {
	g.Helper()
	for _, source := range []string{"notes", "archive"} {
		more, err := g.ReconcileInterruptedCalls(g.Context(), source, g.folders[source], false)
		if err != nil {
			g.Fatal(err)
		}
		found.Resumed += more.Resumed
		found.Conflicted = append(found.Conflicted, more.Conflicted...)
	}
	return found
}

// groupVictim writes or undoes a group until it reaches a point in a source.
func groupVictim(work, dir string, j *journal.Journal, wait func()) {
	work, point, _ := strings.Cut(work, " in ")
	source, at, _ := strings.Cut(point, " ")
	folders := foldersIn(dir)
	folders[source].at = func(p string) {
		if p == at {
			wait()
		}
	}
	var err error
	switch work {
	case "write":
		err = writeGroup(j, j.NewGroup(), folders)
	case "undo":
		err = j.Undo(context.Background(), status.Filter{Session: "s1"}, journal.CallOrigin{Client: "lectern undo"}, lendFrom(folders))
	}
	fmt.Println("it ended:", err)
}

// A process that is killed between two sources of a group, or in the middle of
// one, leaves a group that the next start takes back in all of them.
func TestKilledInAGroup(t *testing.T) {
	for _, at := range []string{"notes written", "archive start", "archive promised", "archive written"} {
		t.Run(at, func(t *testing.T) {
			g := newGroupJournal(t)
			g.killAt("group write in "+at, "-")
			if found := g.reconcileAll(); len(found.Conflicted) > 0 || found.Resumed == 0 {
				t.Errorf("found %+v", found)
			}
			g.checkFolders("a\n", "", "")
			if again := g.reconcileAll(); again.HasFindings() {
				t.Errorf("found %+v again", again)
			}
		})
	}
}

// A process that is killed within an undo of a group leaves an undo that the next
// start completes in all sources.
func TestKilledInAnUndoOfAGroup(t *testing.T) {
	for _, at := range []string{"notes start", "notes promised", "notes between", "notes written", "archive start", "archive promised", "archive written"} {
		t.Run(at, func(t *testing.T) {
			g := newGroupJournal(t)
			g.mustWriteGroup()
			g.killAt("group undo in "+at, "-")
			if found := g.reconcileAll(); len(found.Conflicted) > 0 {
				t.Errorf("found %+v", found)
			}
			g.checkFolders("a\n", "", "")
			if left := g.list(status.Filter{Session: "s1"}); slices.ContainsFunc(left, func(c status.Change) bool { return c.Outcome != status.Undone }) {
				t.Errorf("changes %q", g.outcomes())
			}
			if err := g.undoAny(g.list(status.Filter{})[0].ID); err != nil {
				t.Fatal(err)
			}
			g.checkFolders("2\n", "1\n", "1\n")
		})
	}
}

// A journal of the former format opens, and goes on.
func TestJournalOfTheFormerFormat(t *testing.T) {
	g := newGroupJournal(t)
	if err := writeIn(g.Journal, nil, g.folders, "notes", tools.Change{Target: "b.md", After: text("1\n")}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(g.dir, "journal.db"))
	if err == nil {
		_, err = db.ExecContext(t.Context(), `DROP INDEX changes_group; DROP TABLE groups; ALTER TABLE changes DROP COLUMN group_id;
			ALTER TABLE intents DROP COLUMN group_id; ALTER TABLE intents DROP COLUMN undo_group; DROP TABLE notices; ALTER TABLE changes DROP COLUMN approval; ALTER TABLE changes DROP COLUMN edited; ALTER TABLE changes DROP COLUMN hunks; ALTER TABLE changes DROP COLUMN left_out; ALTER TABLE changes DROP COLUMN a_revision; PRAGMA user_version = 1`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	g.open()
	if err := g.undoAny(g.id(1)); err != nil {
		t.Fatal(err)
	}
	g.mustWriteGroup()
	if err := g.undoAny(g.list(status.Filter{})[0].ID); err != nil {
		t.Fatal(err)
	}
	g.checkFolders("a\n", "", "")
}
