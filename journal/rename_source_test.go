package journal_test

import (
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Changes from before and after a rename are one history of each target.
func TestRenamedSourceIsUndone(t *testing.T) {
	d := newTestJournal(t)
	d.edit("a.md", text("0"))
	before := d.call("s1", map[string]tools.State{"a.md": text("1")})
	if err := d.RenameSource(t.Context(), "notes", "wiki"); err != nil {
		t.Fatal(err)
	}
	r := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s2", Source: "wiki", Tool: "write"})
	err := d.fakeFolder.write(t.Context(), tools.CallContext{Writes: r}, tools.Change{Target: "a.md", Before: text("1"), After: text("2")})
	r.End(err)
	if err != nil {
		t.Fatal(err)
	}
	if all := d.list(status.Filter{Source: "wiki"}); len(all) != 2 || len(d.list(status.Filter{Source: "notes"})) != 0 {
		t.Errorf("the renamed source has %+v", all)
	}
	if err := d.undo(status.Filter{IDs: before}); err == nil {
		t.Error("a change was undone below a later one")
	}
	d.mustUndo(status.Filter{Source: "wiki"})
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("0")})
}
