package hubproc

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The folders of a renamed source go with it, and never over those of another.
func TestRenameSourceFolders(t *testing.T) {
	top := t.TempDir()
	f := sourceFolders{filepath.Join(top, "state"), filepath.Join(top, "data"), time.Now}
	write := func(name string) {
		t.Helper()
		cache, data, err := f.createFolders("memo", name)
		for _, dir := range []string{cache, data} {
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	has := func(in, folder, file string) bool {
		_, err := os.Stat(filepath.Join(top, in, folder, file))
		return err == nil
	}
	write("notes")
	write("former")
	if _, err := f.rename("memo", "notes", "former"); err == nil || !has("data", "memo.former", "former") || !has("data", "memo.notes", "notes") {
		t.Errorf("the data of a former source: %v", err)
	}
	undo, err := f.rename("memo", "notes", "wiki")
	if err != nil || !has("data", "memo.wiki", "notes") || !has("state", "memo.wiki", "notes") || has("data", "memo.notes", "notes") {
		t.Fatalf("renamed: %v", err)
	}
	if err := undo(); err != nil || !has("data", "memo.notes", "notes") || !has("state", "memo.notes", "notes") {
		t.Errorf("renamed back: %v", err)
	}
}

// A cache goes a day after its source has; data never goes by itself.
func TestSourceFolders(t *testing.T) {
	top, now := t.TempDir(), time.Now()
	f := sourceFolders{filepath.Join(top, "state"), filepath.Join(top, "data"), func() time.Time { return now }}
	for _, name := range []string{"con", "gone", "kept"} {
		cache, data, err := f.createFolders("memo", name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{cache, data} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v, %v; want a folder for its owner alone", dir, info, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	exists := func(path ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{top}, path...)...))
		return err == nil
	}
	log := slog.New(slog.DiscardHandler)
	f.removeExpiredCaches([]string{"memo.kept"}, log)
	if !exists("state", "memo.gone", "a") {
		t.Error("a cache that was just used is gone")
	}
	now = now.Add(cacheRetention + time.Hour)
	f.removeExpiredCaches([]string{"memo.kept"}, log)
	if exists("state", "memo.gone") || !exists("state", "memo.kept", "a") || !exists("data", "memo.gone", "a") {
		t.Error("want only the cache of the former source removed")
	}
}
