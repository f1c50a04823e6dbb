package atomicfile

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func needExchange(t *testing.T, root *os.Root) {
	t.Helper()
	if can, err := CheckExchange(root); err != nil || !can {
		t.Skipf("this file system exchanges no names: %v", err)
	}
}

// An edit between the look at a file and its replacement or removal stays, whatever
// it is.
func TestEditInTheLastInstantStays(t *testing.T) {
	hash, ours := sha256.Sum256([]byte("old")), sha256.Sum256([]byte("new"))
	for name, c := range map[string]struct {
		edit func(file string) error
		want map[string]string
	}{
		"written in place": {
			func(file string) error { return os.WriteFile(file, []byte("edited"), 0o600) },
			map[string]string{"page.md": "edited"},
		},
		"replaced": {
			func(file string) error {
				return errors.Join(os.WriteFile(file+"~", []byte("edited"), 0o600), os.Rename(file+"~", file))
			},
			map[string]string{"page.md": "edited"},
		},
		"made a folder": {
			func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
			map[string]string{"page.md": "/"},
		},
		"removed": {os.Remove, map[string]string{}},
	} {
		for way, act := range map[string]func(root *os.Root, dir string) error{
			"write": func(root *os.Root, dir string) error {
				put(t, filepath.Join(dir, "temp"), "new", 0o600)
				return exchange(root, "temp", "page.md", ours, hash)
			},
			"remove": func(root *os.Root, _ string) error { return takeOff(root, "page.md", hash) },
		} {
			root, dir := openDir(t)
			needExchange(t, root)
			put(t, filepath.Join(dir, "page.md"), "old", 0o600)
			if err := c.edit(filepath.Join(dir, "page.md")); err != nil {
				t.Fatal(err)
			}
			if err := act(root, dir); !errors.Is(err, ErrChanged) {
				t.Errorf("%s, %s: got %v, want %v", name, way, err, ErrChanged)
			}
			if diff := cmp.Diff(c.want, state(t, dir)); diff != "" {
				t.Errorf("%s, %s: %s", name, way, diff)
			}
		}
	}
}

// What somebody has written into our version, in the instant before the file is put back, is kept beside it.
func TestEditOfOurVersionIsKept(t *testing.T) {
	root, dir := openDir(t)
	needExchange(t, root)
	put(t, filepath.Join(dir, "page.md"), "edited", 0o600)
	put(t, filepath.Join(dir, "temp"), "typed into new", 0o600)
	if err := exchange(root, "temp", "page.md", sha256.Sum256([]byte("new")), sha256.Sum256([]byte("old"))); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
	if diff := cmp.Diff(map[string]string{"page.md": "edited", "page (conflicted copy).md": "typed into new"}, state(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// A file that somebody is about to write stays.
func TestOpenFileStays(t *testing.T) {
	root, dir := openDir(t)
	needExchange(t, root)
	file := filepath.Join(dir, "page.md")
	put(t, file, "old", 0o600)
	hash := sha256.Sum256([]byte("old"))
	for name, act := range map[string]func() error{
		"write":  func() error { return Write(root, "page.md", []byte("new"), Options{IfHash: &hash}) },
		"remove": func() error { return Remove(root, "page.md", hash) },
	} {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := act(); runtime.GOOS == "linux" && !errors.Is(err, ErrChanged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrChanged)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"page.md": "old"}, state(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if err := Remove(root, "page.md", hash); err != nil || len(state(t, dir)) != 0 {
		t.Errorf("not removed: %v, %v", err, state(t, dir))
	}
	if err := Remove(root, "page.md", hash); !errors.Is(err, ErrChanged) {
		t.Errorf("nothing to remove: got %v, want %v", err, ErrChanged)
	}
}

// A copy never replaces another one.
func TestCopiesAreKept(t *testing.T) {
	root, dir := openDir(t)
	for _, text := range []string{"one", "two"} {
		put(t, filepath.Join(dir, "temp"), text, 0o600)
		if err := keepCopy(root, "temp", "page.md"); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"page (conflicted copy).md": "one", "page (conflicted copy 2).md": "two"}
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Error(diff)
	}
}
