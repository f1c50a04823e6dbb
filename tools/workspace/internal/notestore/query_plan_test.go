package notestore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// The links of one note are found by the indexes of what they name, however many links
// a workspace has.
func TestLinksOfANoteAreFoundByIndex(t *testing.T) {
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	query, args := linkQuery("w", &Note{Record: Record{ID: "a", Title: "A"}}, []string{"a", "A", ""}, "", 10, true)
	steps, err := sqlstore.Select(t.Context(), s.db.Reader(), func(row sqlstore.Row) (step string, err error) {
		var id, parent, unused int
		return step, row.Scan(&id, &parent, &unused, &step)
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(steps, "\n")
	for _, step := range []string{
		"text_links USING PRIMARY KEY (workspace=? AND source=?)", "text_links_target (workspace=? AND target_key=?)",
		"documents USING PRIMARY KEY (workspace=? AND kind=? AND id=?)", "documents_source (", "documents_target (",
	} {
		if !strings.Contains(plan, step) {
			t.Errorf("no step %q in the plan:\n%s", step, plan)
		}
	}
}
