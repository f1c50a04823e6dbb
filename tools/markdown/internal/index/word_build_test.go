package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// oddWord is a word of any length, also of scripts that have none.
func oddWord(r *rand.Rand) string {
	switch r.IntN(12) {
	case 0:
		return strings.Repeat([]string{"a", "b", "é", "語"}[r.IntN(4)], 1+r.IntN(maxToken))
	case 1:
		return []string{"東京都庁", "ひらがな", "Straße", "Ünï", "٣", "x", "0"}[r.IntN(7)]
	}
	return wordOf(r)
}

// oddPage is a page that may have no words, or more than a leaf takes.
func oddPage(r *rand.Rand, file string) Page {
	text := func(words int) string {
		var b strings.Builder
		for range words {
			b.WriteString(oddWord(r) + " ")
		}
		return b.String()
	}
	p := Page{File: file, text: text(r.IntN(40)), Names: []Name{{PathName, file}, {BaseName, oddWord(r)}, {TitleName, file}}}
	for range r.IntN(4) {
		p.Names = append(p.Names, Name{AliasName, oddWord(r) + fmt.Sprint(len(p.Names))})
		p.LinkKeys = append(p.LinkKeys, strings.Repeat(oddWord(r), r.IntN(2)))
	}
	slices.Sort(p.LinkKeys)
	p.LinkKeys = slices.Compact(p.LinkKeys)
	switch r.IntN(8) {
	case 0:
		p.text = ""
	case 1:
		p.text = strings.Repeat("the of ", r.IntN(200))
	case 2:
		p.Title, p.Tags = text(r.IntN(3)), slices.Compact(strings.Fields(text(r.IntN(3))))
	}
	return p
}

func oddPages(r *rand.Rand, count int) (pages []Page) {
	for i := range count {
		pages = append(pages, oddPage(r, fmt.Sprintf("%d/%d.md", i%9, i)))
	}
	return pages
}

// A wordLayout says how the words of an index are laid out.
type wordLayout struct{ leafSize, maxSize int }

// byFTS5 has FTS5 write all pages into one segment.
func byFTS5(t *testing.T, l wordLayout, pages []Page) *Index {
	t.Helper()
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	err = x.db.Write(t.Context(), func(c *sqlstore.Conn) error {
		_, err := c.Exec(t.Context(), "INSERT INTO words (words, rank) VALUES ('pgsz', ?), ('hashsize', 1000000000)", l.leafSize)
		return err
	})
	if err == nil {
		err = x.Update(t.Context(), pages, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func byBuild(t *testing.T, l wordLayout, pages []Page) *Index {
	t.Helper()
	x, err := Begin(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	x.build.words.leafSize, x.build.words.maxSize = l.leafSize, l.maxSize
	x.build.keys.names.maxSize, x.build.keys.links.maxSize = l.maxSize, l.maxSize
	for some := range slices.Chunk(pages, 7) {
		if err := x.Update(t.Context(), some, nil); err != nil {
			t.Fatal(err)
		}
	}
	if x, err = x.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// builtRows are the rows of FTS5's tables, but for that of segments; what they say is
// compared by itself. And those of the tables of keys.
func builtRows(t *testing.T, x *Index) []string {
	t.Helper()
	return selectTexts(t, x, "SELECT printf('block %d %s', id, hex(block)) FROM words_data WHERE id <> 10 UNION ALL "+
		"SELECT printf('entry %d %s %d', segid, hex(term), pgno) FROM words_idx UNION ALL "+
		"SELECT printf('page %d %s %d', id, hex(sz), origin) FROM words_docsize UNION ALL "+
		"SELECT printf('name %s %d %d', key, kind, page) FROM names UNION ALL SELECT printf('link %s %d', key, page) FROM link_keys")
}

func selectTexts(t *testing.T, x *Index, query string) []string {
	t.Helper()
	all, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (s string, err error) {
		err = r.Scan(&s)
		return s, err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func segmentsOf(t *testing.T, x *Index) (all []segment) {
	t.Helper()
	err := x.db.Read(t.Context(), func(c *sqlstore.Conn) (err error) {
		all, err = readSegments(t.Context(), c)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// compareBuilds compares an index that FTS5 has written with one that was built, which
// have the same pages, byte by byte.
func compareBuilds(t *testing.T, l wordLayout, pages []Page) (want, got *Index) {
	t.Helper()
	want, got = byFTS5(t, l, slices.Clone(pages)), byBuild(t, l, slices.Clone(pages))
	if diff := cmp.Diff(builtRows(t, want), builtRows(t, got)); diff != "" {
		t.Fatalf("%+v: %.3000s", l, diff)
	}
	if diff := cmp.Diff(segmentsOf(t, want), segmentsOf(t, got), cmp.AllowUnexported(segment{})); diff != "" {
		t.Fatalf("%+v: %s", l, diff)
	}
	checkWords(t, got)
	return want, got
}

// checkWords has FTS5 look for damage.
func checkWords(t *testing.T, x *Index) {
	t.Helper()
	if err := instructFTS5(t.Context(), x, "integrity-check"); err != nil {
		t.Fatal(err)
	}
}

func instructFTS5(ctx context.Context, x *Index, command string) error {
	return x.db.Write(ctx, func(c *sqlstore.Conn) error {
		_, err := c.Exec(ctx, "INSERT INTO words (words) VALUES (?)", command)
		return err
	})
}

// A built index is, byte by byte, what FTS5 writes when it is given all pages at once: of
// one run and of many, with leaves of any size, and with lists over many leaves.
func TestBuiltWordsAreThoseOfFTS5(t *testing.T) {
	for seed, l := range []wordLayout{{32, 1}, {64, 5_000}, {200, 100_000}, {leafSize, 100_000}, {leafSize, 1 << 30}, {leafSize, 1}} {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		for _, count := range []int{0, 1, 2, 250} {
			compareBuilds(t, l, oddPages(r, count))
		}
	}
}

// The list of a word may be so long that which page is the first on each of its leaves
// takes a tree of three levels.
func TestBuiltListsOfManyLeaves(t *testing.T) {
	var pages []Page
	for i := range 2000 {
		pages = append(pages, Page{File: fmt.Sprintf("%d.md", i), text: strings.Repeat("all ", 1+i%40)})
	}
	_, x := compareBuilds(t, wordLayout{32, 100_000}, pages)
	if len(selectTexts(t, x, "SELECT id FROM words_data WHERE id >> 36 & 1 AND id >> 31 & 31 > 1")) == 0 {
		t.Error("it has fewer levels")
	}
}

func FuzzBuiltWords(f *testing.F) {
	f.Add(uint64(1), uint16(32), uint32(100), uint8(3))
	f.Add(uint64(2), uint16(4050), uint32(100_000), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, leaf uint16, maxSize uint32, count uint8) {
		l := wordLayout{int(leaf)%leafSize + 1, int(maxSize)}
		l.leafSize = max(l.leafSize, 32) // FTS5 takes no less
		compareBuilds(t, l, oddPages(rand.New(rand.NewPCG(seed, 8)), int(count)))
	})
}

// FTS5 goes on with an index that was built: after edits, removals and its own merges it
// finds the same pages with the same scores as in one that it has written itself.
func TestFTS5GoesOnWithBuiltWords(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 9))
		pages := oddPages(r, 150)
		want, got := compareBuilds(t, wordLayout{[]int{64, 500, leafSize}[seed], 20_000}, pages)
		for round := range 12 {
			var put []Page
			var remove []string
			for i := range pages {
				switch r.IntN(30) {
				case 0:
					remove = append(remove, pages[i].File)
				case 1:
					put = append(put, oddPage(r, pages[i].File))
				}
			}
			for _, x := range []*Index{want, got} {
				if err := x.Update(t.Context(), slices.Clone(put), remove); err != nil {
					t.Fatal(err)
				}
				if round%4 == 3 {
					if err := instructFTS5(t.Context(), x, "optimize"); err != nil {
						t.Fatal(err)
					}
				}
				checkWords(t, x)
			}
			compareAnswers(t, r, want, got)
		}
	}
}

func compareAnswers(t *testing.T, r *rand.Rand, want, got *Index) {
	t.Helper()
	const words = "SELECT printf('%s %d %d', term, doc, cnt) FROM vocabulary"
	if diff := cmp.Diff(selectTexts(t, want, words), selectTexts(t, got, words)); diff != "" {
		t.Fatal(diff)
	}
	for range 10 {
		q, how := wordQuery(r)
		a, err := askFTS5(t.Context(), want, q, how)
		if err != nil {
			t.Fatal(err)
		}
		b, err := askFTS5(t.Context(), got, q, how)
		if err != nil {
			t.Fatal(err)
		}
		c, err := findAll(t.Context(), got, q, how)
		if err != nil {
			t.Fatal(err)
		}
		if i, k := firstDifference(b, a), firstDifference(c, a); i >= 0 || k >= 0 {
			t.Fatalf("%v %q: they differ at %d and %d of %d hits", how, q.Terms, i, k, len(a))
		}
	}
}

// A disk that is full while words are written ends a build with its error, and leaves
// nothing.
func TestFullDiskEndsBuild(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full:", err)
	}
	defer full.Close()
	file := filepath.Join(t.TempDir(), "index.db")
	pages := oddPages(rand.New(rand.NewPCG(1, 10)), 200)
	for _, maxSize := range []int{1000, 1 << 30} { // while it is filled, and at the end
		x, err := Begin(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		w := x.build.words
		w.maxSize = maxSize
		if w.runs, err = createRuns(w.name); err != nil {
			t.Fatal(err)
		}
		kept := w.runs.file
		w.runs.file = full
		err = x.Update(t.Context(), slices.Clone(pages), nil)
		if maxSize == 1<<30 && err == nil {
			w.runs.file = full
			err = x.db.Write(t.Context(), func(c *sqlstore.Conn) error { return x.build.finish(t.Context(), c) })
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the error is %v", err)
		}
		w.runs.file = kept
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(file + "*"); len(left) > 0 || err != nil {
			t.Error(left, err)
		}
	}
}
