package journal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Both halves of a move say where the other is, also when they are read one by one and after a restart, with
// the links that changed; their diff is that of the text. What only was deleted and created is no move.
func TestMovesAreListed(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"Old.md": text("one\ntwo\nthree\n"), "A.md": text("[[Old]] [[Old]]\n"), "B.md": text("words\n")})
	d.call("s1", map[string]tools.State{
		"Old.md": {}, "New.md": text("one\ntwo\nthree\n"), "A.md": text("[[New]] [[New]]\n"), "B.md": {}, "C.md": text("all else\n"),
	})
	type move struct {
		Target, From, To string
		Links            int
	}
	want := map[string]move{
		"Old.md": {"Old.md", "", "New.md", 0}, "New.md": {"New.md", "Old.md", "", 2}, "A.md": {Target: "A.md"}, "B.md": {Target: "B.md"}, "C.md": {Target: "C.md"},
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			d.reopen()
		}
		got := map[string]move{}
		ids := map[string]string{}
		all := d.list(status.Filter{Limit: 5})
		for _, c := range all {
			got[c.Target], ids[c.Target] = move{c.Target, c.MovedFrom, c.MovedTo, c.MovedLinks}, c.ID
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("restarted %v (-want +got):\n%s", restarted, diff)
		}
		if merged := status.MergeMoves(all); len(merged) != 4 {
			t.Errorf("merged: %+v", merged)
		}
		for _, half := range []string{"Old.md", "New.md"} {
			one, err := d.Changes(t.Context(), status.Filter{IDs: []string{ids[half]}})
			if err != nil || one.Changes[0].MovedFrom+one.Changes[0].MovedTo == "" {
				t.Fatalf("%s by its ID: %+v, %v", half, one.Changes, err)
			}
			if want := "moved from Old.md to New.md\nits text stayed the same\n"; one.Diffs[ids[half]] != want {
				t.Errorf("the diff of %s:\n%s", half, one.Diffs[ids[half]])
			}
		}
	}
	ids := d.call("s2", map[string]tools.State{"New.md": {}, "Newest.md": text("one\n2\nthree\n")})
	found, err := d.Changes(t.Context(), status.Filter{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Changes {
		if want := "moved from New.md to Newest.md\n--- New.md\n+++ Newest.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"; found.Diffs[c.ID] != want {
			t.Errorf("%s: %s", c.Summary(), found.Diffs[c.ID])
		}
	}
	d.mustUndo(status.Filter{Session: "s2"})
	if back := status.MergeMoves(d.list(status.Filter{Limit: 2})); len(back) != 1 || back[0].Summary() != "move Newest.md → New.md" {
		t.Errorf("the undo is %+v", back)
	}
}
