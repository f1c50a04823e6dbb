package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListOrder lists random folders: every file once and in byte order with what was seen
// of it, every folder before what it holds, and nothing of what was skipped.
func TestListOrder(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		names := []string{"a", "a b", "a-b", "a.md", "b", "B", "é", "skipped", ".hidden"}
		files := map[string]string{}
		for range 60 {
			var parts []string
			for range r.IntN(4) {
				parts = append(parts, names[r.IntN(len(names))])
			}
			file := path.Join(append(parts, names[r.IntN(len(names))]+".md")...)
			files[file] = strings.Repeat("x", r.IntN(50))
		}
		v, dir := openWith(t, nil)
		var want []string
		for file, text := range files {
			full := filepath.Join(dir, filepath.FromSlash(file))
			if os.MkdirAll(filepath.Dir(full), 0o700) != nil || os.WriteFile(full, []byte(text), 0o600) != nil {
				continue // a file has the name of the folder
			}
			if !strings.Contains("/"+file, "/.") && !strings.Contains("/"+file, "/skipped/") {
				want = append(want, file)
			}
		}
		slices.Sort(want)
		asking := make(chan struct{}, 1) // one question at a time
		l, err := v.List(t.Context(), func(name string, isDir bool) bool {
			select {
			case asking <- struct{}{}:
			default:
				t.Error("asked twice at the same time")
			}
			<-asking
			return isDir && path.Base(name) == "skipped"
		})
		if err != nil || !slices.Equal(l.Files, want) {
			t.Fatalf("seed %d: %v\n%v\nwant\n%v", seed, err, l.Files, want)
		}
		checkListing(t, dir, l)
	}
}

func checkListing(t *testing.T, dir string, l Listing) {
	t.Helper()
	for i, file := range l.Files {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil || l.Stats[i] != (FileStat{info.Size(), info.ModTime()}) {
			t.Errorf("%s: %+v, want %+v, %v", file, l.Stats[i], info, err)
		}
		if parent := path.Dir(file); parent != "." && !slices.Contains(l.Folders, parent) {
			t.Errorf("%s: its folder is not listed", file)
		}
	}
	for i, folder := range l.Folders {
		if parent := path.Dir(folder); parent != "." && !slices.Contains(l.Folders[:i], parent) {
			t.Errorf("%s comes before the folder that holds it", folder)
		}
	}
}

// BenchmarkList lists 5,000 files in 50 folders.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for i := range 5_000 {
		file := filepath.Join(dir, fmt.Sprintf("Area %d", i%50), fmt.Sprintf("Page %d.md", i))
		if os.MkdirAll(filepath.Dir(file), 0o700) != nil || os.WriteFile(file, []byte("text\n"), 0o600) != nil {
			b.Fatal(file)
		}
	}
	f, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	v := NewView(f, nil)
	for b.Loop() {
		if l, err := v.List(b.Context(), nothing); err != nil || len(l.Files) != 5_000 {
			b.Fatal(err)
		}
	}
}
