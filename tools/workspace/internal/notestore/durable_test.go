package notestore

import (
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// What is answered of a workspace is on the disk.
func TestCommitsWaitForTheDisk(t *testing.T) {
	if err := open(t, filepath.Join(t.TempDir(), "notes.db")).db.Write(t.Context(), func(c *sqlstore.Conn) (err error) {
		var synchronous int
		if err = c.QueryRow(t.Context(), "PRAGMA synchronous").Scan(&synchronous); synchronous != 2 {
			t.Errorf("synchronous is %d, not FULL", synchronous)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
