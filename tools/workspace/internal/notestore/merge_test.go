package notestore

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// What many saves have left behind is merged, and found as before.
func TestMergeWords(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "notes.db"))
	s.freshNotes = 1
	for i := range 90 {
		d := s.Begin(View{})
		if _, err := d.Save(t.Context(), "ws", fmt.Sprintf("n%d", i%30), Content{Text: fmt.Sprintf("# Note %d\n\nword%d common\n", i, i%7)}, anyParent(i < 30)); err != nil {
			t.Fatal(err)
		}
		commit(t, d)
	}
	found := func() (ids []string) {
		for _, text := range []string{"common", "word3", "note 75", "wor"} {
			list, err := s.Begin(View{}).Search(t.Context(), "ws", text, "", 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range list {
				ids = append(ids, r.ID)
			}
			ids = append(ids, "")
		}
		return ids
	}
	before := found()
	if err := s.MergeWords(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(t.Context(), func(c *sqlstore.Conn) error {
		more, err := mergeStep(t.Context(), c)
		if more {
			t.Error("something was left to merge")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if after := found(); !slices.Equal(before, after) {
		t.Errorf("found before:\n%q\nafter:\n%q", before, after)
	}
}

func anyParent(isNew bool) string {
	if isNew {
		return ""
	}
	return Any
}
