package audit

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A row that is written stays, though no answer waits for it.
func TestCommitsWaitForTheDisk(t *testing.T) {
	if err := openTrail(t, filepath.Join(t.TempDir(), "audit.db"), time.Now).store.Write(t.Context(), func(c *sqlstore.Conn) (err error) {
		var synchronous int
		if err = c.QueryRow(t.Context(), "PRAGMA synchronous").Scan(&synchronous); synchronous != 2 {
			t.Errorf("synchronous is %d, not FULL", synchronous)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
