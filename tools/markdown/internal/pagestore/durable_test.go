package pagestore

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// What a folder and a table had in common when they were last in step is on the disk: a side
// that is taken for older than it is loses an edit.
func TestCommitsWaitForTheDisk(t *testing.T) {
	b, err := OpenBase(t.Context(), filepath.Join(t.TempDir(), "base.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.db.Write(t.Context(), func(c *sqlstore.Conn) (err error) {
		var synchronous int
		if err = c.QueryRow(t.Context(), "PRAGMA synchronous").Scan(&synchronous); synchronous != 2 {
			t.Errorf("synchronous is %d, not FULL", synchronous)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
