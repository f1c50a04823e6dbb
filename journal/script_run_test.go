package journal_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An undo by the ID of a run takes back what all of its calls have changed, over all
// sources, and nothing else.
func TestUndoOfARun(t *testing.T) {
	g := newGroupJournal(t)
	run := journal.ScriptRunID(7)
	write := func(source, run string, c tools.Change) {
		t.Helper()
		f := g.folders[source]
		r := g.NewRecorder(journal.CallOrigin{Client: "agent", Source: source, Tool: "write", Run: run})
		err := f.write(t.Context(), tools.CallContext{Writes: r}, c)
		if r.End(err); err != nil {
			t.Fatal(err)
		}
	}
	write("notes", "", tools.Change{Target: "a.md", Before: text("a\n"), After: text("other\n")})
	write("notes", run, tools.Change{Target: "a.md", Before: text("other\n"), After: text("run\n")})
	write("notes", run, tools.Change{Target: "b.md", After: text("run\n")})
	write("archive", run, tools.Change{Target: "c.md", After: text("run\n")})
	if err := g.Close(); err != nil { // a run is known after a restart too
		t.Fatal(err)
	}
	g.open()
	if err := g.undoAny(run); err != nil {
		t.Fatal(err)
	}
	g.checkFolders("other\n", "", "")
	if err := g.undoAny(run); err == nil || !strings.Contains(err.Error(), "undone") {
		t.Errorf("undone twice: %v", err)
	}
	if err := g.undoAny(journal.ScriptRunID(8)); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("a run that changed nothing: %v", err)
	}
	if n := len(g.list(status.Filter{})); n < 5 {
		t.Errorf("%d changes", n)
	}
}
