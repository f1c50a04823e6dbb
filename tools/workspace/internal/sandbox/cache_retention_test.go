package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A new entry takes the place of those that were used longest ago. What somebody else
// keeps in the folder, and what another process is about to make, stays.
func TestOldEntriesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	const day = 24 * time.Hour
	for name, age := range map[string]time.Duration{
		"engine-a": 89 * day, "engine-b": 5 * day, "engine-c": 80 * day, "engine-d": 2 * day, "engine-e": 100 * day,
		"new-1": 2 * time.Hour, "new-2": time.Minute, "other": 100 * day,
	} {
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(folder, "wazero"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "wazero", "code"), []byte("code"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(folder, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := openCache(dir, "c") // it is used again
	if err != nil {
		t.Fatal(err)
	}
	c.markUsed()
	if c, err = openCache(dir, "own"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.removeOld(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, f := range left {
		names = append(names, f.Name())
	}
	if d := cmp.Diff("engine-b engine-c engine-d engine-own new-2 other", strings.Join(names, " ")); d != "" {
		t.Error(d)
	}
}

// Opening a sandbox marks its entry as used, and one that has to be made removes old ones.
func TestOpeningKeepsTheCacheSmall(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"engine-1", "engine-2", "engine-3", "engine-4"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	entries := func() []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, "engine-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	open := func() {
		t.Helper()
		s, err := Open(t.Context(), Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	open()
	made := entries()
	if len(made) != maxEntries {
		t.Fatalf("the cache has %d entries, want %d", len(made), maxEntries)
	}
	long := time.Now().Add(-maxUnused)
	for _, name := range made {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	open()
	used := 0
	for _, name := range entries() {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().After(long.Add(time.Hour)) {
			used++
		}
	}
	if used != 1 {
		t.Errorf("%d entries were marked as used, want 1", used)
	}
}
