package journal_test

import (
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// IDs are unique, last, and say neither how many Changes there are nor which of two
// came first. They are other ones in another journal.
func TestIDsDoNotCount(t *testing.T) {
	d, other := newTestJournal(t), newTestJournal(t)
	const changes = 400
	pages := map[string]tools.State{}
	for i := range changes {
		pages[fmt.Sprintf("%03d.md", i)] = text("x")
	}
	first := d.call("s1", map[string]tools.State{"a.md": text("a")})[0]
	ids := d.call("s1", pages)
	rising := 0
	for i := range ids[1:] {
		if ids[i+1] > ids[i] {
			rising++
		}
	}
	if rising < changes*2/5 || rising > changes*3/5 {
		t.Errorf("%d of %d IDs are above the one before", rising, changes)
	}
	if theirs := other.call("s1", map[string]tools.State{"a.md": text("a")})[0]; theirs == first {
		t.Errorf("two journals begin with the ID %s", theirs)
	}
	d.reopen()
	known := map[string]bool{}
	for _, c := range d.list(status.Filter{Limit: changes}) {
		known[c.ID] = true
		if c.Call != "k"+ids[0][1:] {
			t.Fatalf("%s is of the call %s", c.ID, c.Call)
		}
	}
	for i, id := range ids {
		if found := d.list(status.Filter{IDs: []string{id}}); !known[id] || len(found) != 1 || found[0].Target != fmt.Sprintf("%03d.md", i) {
			t.Fatalf("change %d, %s: %+v", i, id, found)
		}
	}
	if len(known) != changes || known[first] {
		t.Errorf("%d IDs for %d changes", len(known), changes)
	}
	older := d.list(status.Filter{Before: ids[1]})
	if len(older) != 2 || older[0].ID != ids[0] || older[1].ID != first {
		t.Errorf("before the second: %+v", older)
	}
}

// No other text names a Change, least of all a row number.
func TestTextsThatAreNoIDs(t *testing.T) {
	d := newTestJournal(t)
	id := d.call("s1", map[string]tools.State{"a.md": text("a")})[0]
	for _, text := range []string{"", "c", "c1", "c00000001", "C" + id[1:], "k" + id[1:], id[1:], id + "0", id[:8], "c!!!!!!!!", "cab======", "cÄÄÄÄ"} {
		_, err := d.OwnChanges(t.Context(), journal.OwnChangesQuery{Source: "notes", Own: journal.Ownership{Client: "x"}}, text, "", 1)
		if text != "" && tools.AsError(err).Code != tools.NotFound {
			t.Errorf("an agent asks for %q: %v", text, err)
		}
		if found, _ := d.Changes(t.Context(), status.Filter{IDs: []string{text}}); len(found.Changes) > 0 {
			t.Errorf("%q names %+v", text, found.Changes)
		}
	}
	if _, err := d.Changes(t.Context(), status.Filter{IDs: []string{"cABCDEFGH"}}); err == nil {
		t.Error("an ID in capitals is taken")
	}
}
