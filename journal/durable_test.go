package journal

import (
	"path/filepath"
	"testing"
)

// What was there before a write is on the disk before the write begins.
func TestCommitsWaitForTheDisk(t *testing.T) {
	dir := t.TempDir()
	key, _, err := loadOrCreateKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := openConnection(filepath.Join(dir, "journal.db"), key, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var synchronous int
	if err := db.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous); err != nil || synchronous != 2 {
		t.Errorf("synchronous is %d, not FULL: %v", synchronous, err)
	}
}
