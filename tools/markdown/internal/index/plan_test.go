package index

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// TestKnownReadsAnIndexAlone: what a start compares is read without the pages' tables,
// which are many times as large.
func TestKnownReadsAnIndexAlone(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	steps, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (step string, err error) {
		var id, parent, unused int
		err = r.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+selectStamps)
	if plan := strings.Join(steps, "\n"); err != nil || plan != "SCAN pages USING COVERING INDEX stamps_of_pages" {
		t.Errorf("%s, %v", plan, err)
	}
}
