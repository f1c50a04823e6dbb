package sqlstore

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"
)

// TestCommitsAreOnTheDisk holds that a commit waits for the disk on every connection, but where
// the file can be made again.
func TestCommitsAreOnTheDisk(t *testing.T) {
	const off, full = 0, 2
	for name, test := range map[string]struct {
		options Options
		want    int
	}{
		"a store":              {Options{}, full},
		"with a small cache":   {Options{SmallCache: true}, full},
		"what is made again":   {Options{Cache: true}, off},
		"what is made at once": {Options{Scratch: true}, off},
	} {
		t.Run(name, func(t *testing.T) {
			o := test.options
			o.Database, o.Schema, o.Now = filepath.Join(t.TempDir(), "x.db"), tables, time.Now
			s, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, db := range []*sql.DB{s.write, s.read} {
				var got int
				if err := db.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&got); err != nil || got != test.want {
					t.Errorf("synchronous is %d, want %d: %v", got, test.want, err)
				}
			}
		})
	}
}
