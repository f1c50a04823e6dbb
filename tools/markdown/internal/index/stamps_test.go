package index_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// TestStampListEqualsMap compares a list of stamps with a map after random updates.
func TestStampListEqualsMap(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		want := map[string]index.Stamp{}
		var got index.StampList
		for range 40 {
			put := map[string]index.Stamp{}
			for range r.IntN(6) {
				put[fmt.Sprint(r.IntN(30), ".md")] = index.Stamp{Size: r.Int64N(3)}
			}
			var remove []string
			for range r.IntN(5) {
				if file := fmt.Sprint(r.IntN(30), ".md"); put[file] == (index.Stamp{}) && !slices.Contains(remove, file) {
					delete(put, file)
					remove = append(remove, file)
				}
			}
			var list []index.FileStamp
			for file, stamp := range put { // in any order
				list = append(list, index.FileStamp{File: file, Stamp: stamp})
				want[file] = stamp
			}
			for _, file := range remove {
				delete(want, file)
			}
			got = got.Update(list, remove)
			if !slices.IsSortedFunc(got, func(a, b index.FileStamp) int { return strings.Compare(a.File, b.File) }) || len(got) != len(want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			for file, stamp := range want {
				if s, found := got.Find(file); !found || s != stamp {
					t.Fatalf("seed %d: %s: %v %v, want %v", seed, file, s, found, stamp)
				}
			}
			checkCompare(t, r, got, want)
		}
	}
}

// checkCompare compares stamps with random files.
func checkCompare(t *testing.T, r *rand.Rand, stamps index.StampList, known map[string]index.Stamp) {
	t.Helper()
	now := map[string]int64{}
	for range r.IntN(30) {
		now[fmt.Sprint(r.IntN(30), ".md")] = r.Int64N(3)
	}
	files := slices.Sorted(maps.Keys(now))
	changed, gone := stamps.Compare(files, func(i int, s index.Stamp) bool { return s.Size == now[files[i]] })
	var wantChanged, wantGone []string
	for _, file := range files {
		if s, found := known[file]; !found || s.Size != now[file] {
			wantChanged = append(wantChanged, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(known)) {
		if _, found := now[file]; !found {
			wantGone = append(wantGone, file)
		}
	}
	if d := cmp.Diff([][]string{wantChanged, wantGone}, [][]string{changed, gone}); d != "" {
		t.Fatal(d)
	}
}

// TestKnownIsInOrder: files are in the order of their bytes, however they came.
func TestKnownIsInOrder(t *testing.T) {
	x, err := index.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	r := rand.New(rand.NewPCG(1, 1))
	files := []string{"a/b.md", "a.md", "a b.md", "Ä.md", "B.md", "a-b.md", "京.md"}
	for _, file := range files {
		if err := x.Update(t.Context(), []index.Page{randomPage(r, file)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	known, err := x.Known(t.Context())
	var got []string
	for _, f := range known {
		got = append(got, f.File)
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(files)), got); d != "" || err != nil {
		t.Error(d, err)
	}
}
