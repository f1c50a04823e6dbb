package index_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

var vocabulary = strings.Fields("alpha alphabet beta Café cafe naïve 東京都庁 京都 plan planning plans the of Straße C++ foo-bar ٣ über x y z")

func randomPage(r *rand.Rand, file string) index.Page {
	word := func() string { return vocabulary[int(math.Sqrt(r.Float64())*float64(len(vocabulary)))] }
	var b strings.Builder
	fmt.Fprintf(&b, "---\nstatus: %s\ntags: [%s]\n---\n# %s\n", []string{"open", "done", "Open"}[r.IntN(3)], []string{"work", "work/plan", "Café"}[r.IntN(3)], word())
	for range r.IntN(60) {
		b.WriteString(word())
		b.WriteString([]string{" ", " ", " ", "\n", "\n- [ ] ", "\n- [x] ", " #home "}[r.IntN(7)])
	}
	text := b.String()
	block, body, _ := frontmatter.Split(text)
	fields, err := frontmatter.Parse(block)
	if err != nil {
		panic(err)
	}
	return index.Read(index.Source{
		File: file, Stamp: index.Stamp{Size: int64(len(text)), Modified: time.Unix(1e9+r.Int64N(100), 0).UnixNano()},
		Title: word() + " " + word(), Text: text, Body: body, Fields: fields,
		Lines: structure.Lines(text, body), Tags: links.Tags(text, body),
	})
}

func randomQuery(r *rand.Rand, files []string) index.Query {
	var q index.Query
	for range r.IntN(4) {
		term := index.Tokens(vocabulary[r.IntN(len(vocabulary))])
		if r.IntN(4) == 0 {
			term = append(term, index.Tokens(vocabulary[r.IntN(len(vocabulary))])...)
		}
		if last := term[len(term)-1]; r.IntN(4) == 0 {
			term[len(term)-1] = last[:min(len(last), 1+r.IntN(4))]
		}
		if strings.ToValidUTF8(term[len(term)-1], "") != "" {
			q.Terms = append(q.Terms, term)
		}
	}
	switch r.IntN(8) {
	case 0:
		q.Tag = []string{"work", "WORK/plan", "cafe", "none"}[r.IntN(4)]
	case 1:
		q.Property, q.Value = "Status", []string{"", "open", "nothing"}[r.IntN(3)]
	case 2:
		q.Since = time.Unix(1e9+r.Int64N(100), 0)
	case 3:
		q.Tasks = []index.TaskState{index.OpenTasks, index.DoneTasks, index.AnyTasks}[r.IntN(3)]
	case 4:
		q.Page, q.Below = "a.md", "a/"
	case 6:
		q.Excluded = map[string]bool{files[r.IntN(len(files))]: true, files[r.IntN(len(files))]: true}
	case 5:
		q.Files = map[string]bool{files[r.IntN(len(files))]: true, files[r.IntN(len(files))]: true}
	}
	return q
}

// buildIndex makes an index of some pages at once.
func buildIndex(t *testing.T, r *rand.Rand, pages map[string]index.Page) (*index.Index, error) {
	x, err := index.Begin(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		return nil, err
	}
	for _, file := range []string{"a.md", "n/1.md", "n/2.md", "z/z.md"} {
		pages[file] = randomPage(r, file)
		if err := x.Update(t.Context(), []index.Page{pages[file]}, nil); err != nil {
			return nil, err
		}
	}
	return x.Complete(t.Context())
}

// After any edits the index answers what reading every page does.
func TestIndexEqualsReading(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		pages := map[string]index.Page{}
		x, err := index.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
		if seed%2 == 0 {
			x, err = buildIndex(t, r, pages)
		}
		if err != nil {
			t.Fatal(err)
		}
		files := []string{"a.md", "a/b.md", "a/c d.md", "ab.md", "é.md", "z/z.md", "n/1.md", "n/2.md", "n/3.md", "n/4.md"}
		edited := false // FTS5 keeps counting the length of what was removed
		for range 12 {
			var put []index.Page
			var remove []string
			for range 1 + r.IntN(4) {
				file := files[r.IntN(len(files))]
				if slices.Contains(remove, file) || slices.ContainsFunc(put, func(p index.Page) bool { return p.File == file }) {
					continue
				}
				edited = edited || pages[file].File != ""
				if r.IntN(4) == 0 {
					remove = append(remove, file)
					delete(pages, file)
					continue
				}
				p := randomPage(r, file)
				put = append(put, p)
				pages[file] = p
			}
			if err := x.Update(t.Context(), put, remove); err != nil {
				t.Fatal(err)
			}
			for range 8 {
				q := randomQuery(r, files)
				var counted []index.Counts
				for _, p := range pages {
					counted = append(counted, q.Count(p))
				}
				want, wantHow := q.Rank(counted)
				got, total, how, err := x.Search(t.Context(), q, 0, 100)
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				if len(q.Terms) == 0 {
					wantHow = how
				}
				if total != len(want) || len(got) != len(want) || how != wantHow && total > 0 {
					t.Fatalf("seed %d, %+v: index %d %v %v, pages %d %v", seed, q, total, how, got, wantHow, want)
				}
				if i := firstDifference(got, want); i >= 0 && !edited {
					t.Fatalf("seed %d, %+v: place %d: index %v, pages %v", seed, q, i, got, want)
				}
				if len(q.Terms) == 0 && !slices.Equal(got, want) {
					t.Fatalf("seed %d, %+v: index %v, pages %v", seed, q, got, want)
				}
				checkParts(t, x, q, got)
				byFile := func(a, b index.Hit) int { return strings.Compare(a.File, b.File) }
				slices.SortFunc(got, byFile)
				slices.SortFunc(want, byFile)
				if !slices.EqualFunc(got, want, func(a, b index.Hit) bool { return a.File == b.File }) {
					t.Fatalf("seed %d, %+v: index %v, pages %v", seed, q, got, want)
				}
			}
		}
		known, err := x.Known(t.Context())
		if err != nil || len(known) != len(pages) {
			t.Fatalf("knows %d of %d, %v", len(known), len(pages), err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// firstDifference is the first place where two answers differ; -1: nowhere. Pages whose
// scores differ by no more than rounding may change places.
func firstDifference(got, want []index.Hit) int {
	scores := map[string]float64{}
	for _, h := range want {
		scores[h.File] = h.Score
	}
	for i, h := range got {
		score, found := scores[h.File]
		if !found || i >= len(want) || math.Abs(h.Score-score) > 1e-9 || math.Abs(h.Score-want[i].Score) > 1e-9 {
			return i
		}
	}
	if len(want) > len(got) {
		return len(got)
	}
	return -1
}

// commonWord is a word as frequent as those of a language.
func commonWord(r *rand.Rand) string {
	n := int(1 / (r.Float64() + 0.002))
	return []string{"the", "of", "theme", "often", "planner", "plan", "off", "a", "an"}[n%9] + strings.Repeat("x", n/9%7) + fmt.Sprint(n/60)
}

// commonQuery asks for words, phrases, beginnings and other spellings.
func commonQuery(r *rand.Rand) (q index.Query) {
	for range 1 + r.IntN(3) {
		term := []string{commonWord(r)}
		for r.IntN(3) == 0 {
			term = append(term, commonWord(r))
		}
		q.Terms = append(q.Terms, term)
	}
	last := q.Terms[len(q.Terms)-1]
	switch word := &last[len(last)-1]; r.IntN(4) {
	case 0:
		for _, term := range q.Terms {
			q.Spellings = append(q.Spellings, []string{term[0], commonWord(r), commonWord(r)})
		}
	case 1:
		*word = (*word)[:min(len(*word), 1+r.IntN(5))]
	case 2:
		*word = (*word)[:min(len(*word), 1+r.IntN(5))]
		q.Terms = append(q.Terms, []string{"nowhere"})
	}
	if r.IntN(3) == 0 {
		q.Below = "3/"
	}
	return q
}

// FTS5 finds and ranks the pages of an index as [index.Query.Rank] does pages that are
// read: the same in the same order, whichever way they match.
func TestRankingIsThatOfReading(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x, err := index.Begin(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []index.Page
	for i := range 300 {
		words := func(n int) string {
			all := make([]string, n)
			for k := range all {
				all[k] = commonWord(r)
			}
			return strings.Join(all, " ")
		}
		pages = append(pages, index.Read(index.Source{
			File: fmt.Sprintf("%d/%d.md", i/40, i), Title: words(1 + r.IntN(3)), Text: words(r.IntN(120)),
			Tags: strings.Fields(words(r.IntN(3))),
		}))
	}
	for some := range slices.Chunk(slices.Clone(pages), 70) {
		if err := x.Update(t.Context(), some, nil); err != nil {
			t.Fatal(err)
		}
	}
	if x, err = x.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	found := map[index.Match]int{}
	for range 400 {
		q := commonQuery(r)
		counted := make([]index.Counts, len(pages))
		for i, p := range pages {
			counted[i] = q.Count(p)
		}
		want, wantHow := q.Rank(counted)
		got, total, how, err := x.Search(t.Context(), q, 0, len(pages))
		if err != nil || total != len(want) || how != wantHow {
			t.Fatalf("%q %q: %d pages by %v, %v; want %d by %v", q.Terms, q.Spellings, total, how, err, len(want), wantHow)
		}
		if i := firstDifference(got, want); i >= 0 {
			t.Fatalf("%q %q: from place %d on\n%.5v\n%.5v", q.Terms, q.Spellings, i, got[i:min(i+5, len(got))], want[i:min(i+5, len(want))])
		}
		found[how] += len(want)
	}
	for how := range index.AnyPrefix + 1 {
		if found[how] < 500 {
			t.Errorf("%d pages were found by %v, which shows nothing", found[how], how)
		}
	}
}

// checkParts reads a result in parts, which together are all of it.
func checkParts(t *testing.T, x *index.Index, q index.Query, all []index.Hit) {
	t.Helper()
	const size = 3
	for offset := 0; offset <= len(all); offset += size {
		part, total, _, err := x.Search(t.Context(), q, offset, size)
		if want := all[offset:min(offset+size, len(all))]; err != nil || total != len(all) || len(part) != len(want) {
			t.Fatalf("%+v from %d: %d of %d pages, %v; want %v", q, offset, len(part), total, err, want)
		}
		for i, h := range part { // of equal scores any may come first
			if !slices.Contains(all, h) || h.Score != all[offset+i].Score {
				t.Fatalf("%+v from %d: %v, want %v", q, offset, part, all)
			}
		}
	}
}

// A damaged file is made again.
func TestDamagedIndex(t *testing.T) {
	file := filepath.Join(t.TempDir(), "index.db")
	for _, damage := range []func([]byte) []byte{
		func([]byte) []byte { return []byte("no database") },
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { copy(b[len(b)/2:], strings.Repeat("x", 4096)); return b },
		func([]byte) []byte { return nil },
	} {
		x, err := index.Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		if err := x.Update(t.Context(), []index.Page{randomPage(r, "a.md"), randomPage(r, "b.md")}, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := x.Search(t.Context(), index.Query{Terms: [][]string{{"alpha"}}}, 0, 10); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Second) // clocks of file systems are coarse
		if err := errors.Join(os.WriteFile(file, damage(b), 0o600), os.Chtimes(file, later, later)); err != nil {
			t.Fatal(err)
		}
	}
	x, err := index.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// An index that was not closed is checked; one that was keeps its pages.
func TestClosedIndex(t *testing.T) {
	file := filepath.Join(t.TempDir(), "index.db")
	damage := func() {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		copy(b[len(b)/2:], strings.Repeat("x", 4096))
		if err := errors.Join(os.WriteFile(file, b, 0o600), os.Chtimes(file, info.ModTime(), info.ModTime())); err != nil {
			t.Fatal(err)
		}
	}
	reopen := func() (pages int) {
		x, err := index.Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		known, err := x.Known(t.Context())
		if err = errors.Join(err, x.Close()); err != nil {
			t.Fatal(err)
		}
		return len(known)
	}
	x, err := index.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Update(t.Context(), []index.Page{randomPage(rand.New(rand.NewPCG(1, 1)), "a.md")}, nil), x.Close()); err != nil {
		t.Fatal(err)
	}
	if n := reopen(); n != 1 {
		t.Fatalf("%d pages after it was closed, want 1", n)
	}
	if err := os.Remove(file + "-closed"); err != nil {
		t.Fatal(err)
	}
	damage()
	if n := reopen(); n != 0 {
		t.Fatalf("%d pages in a damaged index that was not closed, want 0", n)
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"Café au lait": "cafe au lait", "C++ foo-bar_baz": "c cplusplus foo bar baz", "東京 Tokyo": "東 京 tokyo", "x" + strings.Repeat("é", 200): "x" + strings.Repeat("e", 99), "": "",
		"Straße ＦＵＬＬ ﬁt C# x#y a+b i++": "strasse full fit c csharp x y a b i iplusplus",
	} {
		if got := strings.Join(index.Tokens(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
