package atomicfile

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// tree makes files (and folders, whose names end with a slash) below a new folder,
// last written at that time.
func tree(t *testing.T, at time.Time, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if name[len(name)-1] == '/' {
			err := os.MkdirAll(file, 0o700)
			if err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		for file := filepath.Join(dir, name); file != dir; file = filepath.Dir(file) {
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if name, _ = filepath.Rel(dir, name); !e.IsDir() || IsTemp(e.Name()) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Only what this package left is removed, wherever it writes, and no link is
// followed.
func TestSweep(t *testing.T) {
	temp := tempPrefix + rand.Text() + tempSuffix
	other := tree(t, time.Now().Add(-time.Hour), temp)
	keep := []string{
		".git/" + temp, ".lectern-.tmp", ".lectern-ABCDEFGHIJKLMNOPQRSTUVWXY1.tmp", ".lectern-abcdefghijklmnopqrstuvwxyz.tmp",
		"a.md", "b/" + temp[1:], "b/" + temp + ".md",
		tempPrefix + rand.Text() + tempSuffix + "/mine",
	}
	remove := []string{
		temp, "b/c/" + temp, "b/" + tempPrefix + rand.Text() + tempSuffix + "/" + probeName, tempPrefix + rand.Text() + tempSuffix + "/",
	}
	dir := tree(t, time.Now().Add(-time.Hour), append(remove, keep...)...)
	link := tempPrefix + rand.Text() + tempSuffix
	for name, to := range map[string]string{link: filepath.Join(dir, "a.md"), "linked": other} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	removed, err := SweepFolder(t.Context(), dir, time.Now)
	if removed != 4 || err == nil { // a folder of our name holds something else
		t.Errorf("removed %d, %v", removed, err)
	}
	want := append(keep, link, "linked", filepath.Dir(keep[len(keep)-1]))
	slices.Sort(want)
	got := filesIn(t, dir)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
	if left := filesIn(t, other); len(left) != 1 {
		t.Errorf("left %q behind a link", left)
	}
}

// What was written a moment ago may still be in use: it is removed later.
func TestSweepWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		temp := tempPrefix + rand.Text() + tempSuffix
		dir := tree(t, time.Now(), temp)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if removed, err := SweepFolder(ended, dir, time.Now); removed != 0 || err != nil {
			t.Errorf("removed %d, %v", removed, err)
		}
		began := time.Now()
		if removed, err := SweepFolder(t.Context(), dir, time.Now); removed != 1 || err != nil {
			t.Errorf("removed %d, %v", removed, err)
		}
		if waited := time.Since(began); waited != sweepAge {
			t.Errorf("waited %s", waited)
		}
	})
}

// A folder that may not be written, or is gone, gives one error at most.
func TestSweepOfWhatCannotBeSwept(t *testing.T) {
	if removed, err := SweepFolder(t.Context(), filepath.Join(t.TempDir(), "gone"), time.Now); removed != 0 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := tree(t, time.Now().Add(-time.Hour), "a/"+tempPrefix+rand.Text()+tempSuffix, "b/"+tempPrefix+rand.Text()+tempSuffix)
	if err := os.Chmod(filepath.Join(dir, "a"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o700) }) // so that it can be removed
	if removed, err := SweepFolder(t.Context(), dir, time.Now); removed != 1 || err == nil {
		t.Errorf("removed %d, %v", removed, err)
	}
}
