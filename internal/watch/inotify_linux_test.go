package watch

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

func skipGit(folder string) bool { return filepath.Base(folder) == ".git" }

// watchFolder watches a folder whose first Take has been made.
func watchFolder(t testing.TB, dir string) *Watcher {
	t.Helper()
	w := New(Options{Folder: dir, Skip: skipGit, Now: time.Now})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	if c := w.Take(); !c.All {
		t.Fatalf("first Take = %+v, want All", c)
	}
	return w
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	try(t, os.MkdirAll(filepath.Dir(file), 0o700))
	try(t, os.WriteFile(file, []byte(text), 0o600))
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTakeTellsWhatWasDoneBefore(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "far/x.md", "x")
	steps := []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"create", func(t *testing.T, dir string) { write(t, dir, "new.md", "") }, []string{"new.md"}},
		{"write in place", func(t *testing.T, dir string) { write(t, dir, "sub/a.md", "two") }, []string{"sub/a.md"}},
		{"replace", func(t *testing.T, dir string) {
			write(t, dir, "sub/tmp", "three")
			try(t, os.Rename(filepath.Join(dir, "sub/tmp"), filepath.Join(dir, "sub/a.md")))
		}, []string{"sub/a.md", "sub/tmp"}},
		{"rename", func(t *testing.T, dir string) {
			try(t, os.Rename(filepath.Join(dir, "sub/a.md"), filepath.Join(dir, "b.md")))
		}, []string{"b.md", "sub/a.md"}},
		{"delete", func(t *testing.T, dir string) { try(t, os.Remove(filepath.Join(dir, "sub/a.md"))) }, []string{"sub/a.md"}},
		{"permission", func(t *testing.T, dir string) { try(t, os.Chmod(filepath.Join(dir, "sub/a.md"), 0)) }, []string{"sub/a.md"}},
		{"times", func(t *testing.T, dir string) {
			try(t, os.Chtimes(filepath.Join(dir, "sub/a.md"), time.Time{}, time.Unix(1, 0)))
		}, []string{"sub/a.md"}},
		{"folders with files", func(t *testing.T, dir string) { write(t, dir, "p/q/r.md", "") }, []string{"p", "p/q", "p/q/r.md"}},
		{"rename folder", func(t *testing.T, dir string) {
			try(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "moved")))
			write(t, dir, "moved/deep/new.md", "")
		}, []string{"moved", "moved/a.md", "moved/deep", "moved/deep/c.md", "moved/deep/new.md", "sub"}},
		{"exchange folders", func(t *testing.T, dir string) {
			try(t, unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "sub"), unix.AT_FDCWD, filepath.Join(dir, "two"), unix.RENAME_EXCHANGE))
		}, []string{"sub", "sub/z.md", "two", "two/a.md", "two/deep", "two/deep/c.md"}},
		{"move folder out", func(t *testing.T, dir string) {
			out := t.TempDir()
			try(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(out, "sub")))
			write(t, out, "sub/a.md", "not ours")
		}, []string{"sub"}},
		{"move folder in", func(t *testing.T, dir string) {
			try(t, os.Rename(filepath.Join(outside, "far"), filepath.Join(dir, "far")))
		}, []string{"far", "far/x.md"}},
		{"remove folder", func(t *testing.T, dir string) { try(t, os.RemoveAll(filepath.Join(dir, "sub/deep"))) }, []string{"sub/deep", "sub/deep/c.md"}},
		{"skipped folders", func(t *testing.T, dir string) {
			write(t, dir, ".git/HEAD", "")
			write(t, dir, "k/.git/HEAD", "")
		}, []string{"k"}},
		{"empty folder", func(t *testing.T, dir string) { try(t, os.Mkdir(filepath.Join(dir, "new"), 0o700)) }, []string{"new"}},
		{"link to another folder", func(t *testing.T, dir string) {
			try(t, os.Symlink(outside, filepath.Join(dir, "link")))
			write(t, outside, "secret.md", "")
		}, []string{"link"}},
		{"more than is kept", func(t *testing.T, dir string) {
			for i := range maxNames + 1 {
				write(t, dir, fmt.Sprintf("%d.md", i), "")
			}
		}, []string{"All"}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "sub/a.md", "one")
			write(t, dir, "sub/deep/c.md", "one")
			write(t, dir, "two/z.md", "one")
			w := watchFolder(t, dir)
			step.do(t, dir)
			c := w.Take()
			if c.All {
				c.Names = []string{"All"}
			}
			if !slices.Equal(c.Names, step.want) {
				t.Errorf("Take = %q, want %q", c.Names, step.want)
			}
			if c := w.Take(); c.All || len(c.Names) > 0 {
				t.Errorf("second Take = %+v, want nothing", c)
			}
			write(t, dir, "two/z.md", "after")
			if c := w.Take(); !slices.Contains(c.Names, "two/z.md") {
				t.Errorf("an edit afterwards is not told: %+v", c)
			}
		})
	}
}

// A follower looks only at what it is told of, as an index does.
type follower map[string]string

func (f follower) look(t *testing.T, dir string, c Change) {
	t.Helper()
	if c.All {
		clear(f)
		maps.Copy(f, filesOf(t, dir))
		return
	}
	for _, name := range c.Names {
		maps.DeleteFunc(f, func(file, _ string) bool { return file == name || strings.HasPrefix(file, name+"/") })
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			f[name] = string(b)
		}
	}
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	try(t, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		files[name] = string(b)
		return err
	}))
	return files
}

// TestFollowerSeesEverything makes random changes, several between two Takes.
func TestFollowerSeesEverything(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir, seen := t.TempDir(), follower{}
		w := New(Options{Folder: dir, Now: time.Now})
		name := func() string {
			var parts []string
			for range 1 + r.IntN(3) {
				parts = append(parts, string(rune('a'+r.IntN(3))))
			}
			return filepath.Join(dir, filepath.Join(parts...))
		}
		named := 0
		for round := range 60 {
			for range r.IntN(6) { // what cannot be done is another kind of change that did not happen
				from, to := name(), name()
				switch r.IntN(6) {
				case 0, 1:
					_ = os.MkdirAll(filepath.Dir(from), 0o700)
					_ = os.WriteFile(from, fmt.Append(nil, seed, round, r.Uint32()), 0o600)
				case 2:
					_ = os.MkdirAll(from, 0o700)
				case 3:
					_ = os.Rename(from, to)
				case 4:
					_ = unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE)
				case 5:
					if r.IntN(3) == 0 {
						_ = os.RemoveAll(from)
					} else {
						_ = os.Remove(from)
					}
				}
			}
			c := w.Take()
			if !c.All {
				named++
			}
			seen.look(t, dir, c)
			if want := filesOf(t, dir); !maps.Equal(seen, follower(want)) {
				t.Fatalf("seed %d, round %d: after %+v the follower has\n%v\nwant\n%v", seed, round, c, seen, want)
			}
		}
		if named < 59 {
			t.Errorf("seed %d: only %d of 60 Takes had names", seed, named)
		}
		try(t, w.Close())
	}
}

func TestOverflowIsAll(t *testing.T) {
	dir := t.TempDir()
	w := watchFolder(t, dir)
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	try(t, err)
	var most int
	if _, err := fmt.Sscan(string(limit), &most); err != nil || most > 100_000 {
		t.Skipf("the queue has room for %s events: %v", limit, err)
	}
	one, err := os.Create(filepath.Join(dir, "one"))
	try(t, err)
	two, err := os.Create(filepath.Join(dir, "two"))
	try(t, err)
	w.mu.Lock() // nobody empties the queue
	for range most {
		for _, f := range []*os.File{one, two} { // the kernel joins events that are equal
			if _, err := f.WriteString("x"); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.mu.Unlock()
	if c := w.Take(); !c.All {
		t.Fatalf("after an overflow Take = %+v, want All", c)
	}
	write(t, dir, "three", "")
	if c := w.Take(); !slices.Contains(c.Names, "three") {
		t.Errorf("after an overflow changes are not told: %+v", c)
	}
	try(t, one.Close())
	try(t, two.Close())
}

func TestFolderComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	write(t, dir, "a.md", "")
	w := watchFolder(t, dir)
	try(t, os.RemoveAll(dir))
	for range 2 {
		if c := w.Take(); !c.All || w.Limit() != nil {
			t.Fatalf("without a folder: Take = %+v, Limit = %v; want All", c, w.Limit())
		}
	}
	write(t, dir, "b.md", "")
	if c := w.Take(); !c.All {
		t.Fatalf("Take = %+v, want All", c)
	}
	write(t, dir, "c.md", "")
	if c := w.Take(); !slices.Equal(c.Names, []string{"c.md"}) {
		t.Errorf("Take = %+v, want c.md", c)
	}
}

func TestWaitWakes(t *testing.T) {
	dir := t.TempDir()
	w := watchFolder(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	for i := range 3 {
		name := fmt.Sprintf("%d.md", i)
		woken := make(chan error)
		go func() { woken <- w.Wait(ctx) }()
		write(t, dir, name, "")
		try(t, <-woken)
		if c := w.Take(); !slices.Equal(c.Names, []string{name}) {
			t.Errorf("Take = %+v, want %s", c, name)
		}
	}
}

// BenchmarkWait is the time from an edit to the names of what it changed.
func BenchmarkWait(b *testing.B) {
	dir := b.TempDir()
	w := watchFolder(b, dir)
	for b.Loop() {
		write(b, dir, "a.md", "")
		try(b, w.Wait(b.Context()))
		if c := w.Take(); len(c.Names) != 1 {
			b.Fatalf("Take = %+v", c)
		}
	}
}

// BenchmarkTake is what it costs to ask when nothing has changed.
func BenchmarkTake(b *testing.B) {
	w := watchFolder(b, b.TempDir())
	for b.Loop() {
		w.Take()
	}
}

// BenchmarkStart watches 2,600 folders with 100,000 files.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for i := range 2600 {
		folder := filepath.Join(dir, fmt.Sprint(i%50), fmt.Sprint(i))
		try(b, os.MkdirAll(folder, 0o700))
		for j := range 38 {
			try(b, os.WriteFile(filepath.Join(folder, fmt.Sprint(j)), nil, 0o600))
		}
	}
	for b.Loop() {
		w := New(Options{Folder: dir, Now: time.Now})
		w.Take()
		try(b, w.Close())
	}
}
