package markdown

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// openPair opens a folder twice: with an index, and without.
func openPair(t testing.TB, dir string, rules []string) (indexed, plain *Notebook) {
	t.Helper()
	env := tools.Env{Name: "notes", Privacy: privacy(t, rules, nil), Cache: t.TempDir(), Now: time.Now, ResourceChanged: func(string) {}}
	for _, n := range []**Notebook{&indexed, &plain} {
		opened, err := testSystem().Open(t.Context(), []byte(fmt.Sprintf(`{"path":%q}`, dir)), env)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		*n, _ = tools.As[*Notebook](opened)
		if env.Cache != "" {
			(*n).index.least = 0
		}
		env.Cache = ""
	}
	return indexed, plain
}

func randomText(r *rand.Rand) string {
	words := strings.Fields("alpha beta gamma Café 京都 plan planning [[A/p1]] [[p2]] [[nowhere]] #home #work/x secret ![[i.png]]")
	var b strings.Builder
	fmt.Fprintf(&b, "---\nstatus: %s\ntags: [%s]\nauthor: {name: Quokka %[3]d}\nrating: %[3]d\ncreated: 2026-%02[4]d-%02[5]d%[6]s\n---\n",
		[]string{"open", "done"}[r.IntN(2)], []string{"home", "secret", "garden"}[r.IntN(3)], r.IntN(12), 1+r.IntN(3), 1+r.IntN(28), []string{"", "T08:00:00Z"}[r.IntN(2)])
	for range 5 + r.IntN(40) {
		b.WriteString(words[r.IntN(len(words))] + []string{" ", " ", "\n", "\n- [ ] ", "\n- [x] ", "\n## ", "\nmood:: ", " [mood:: good, bad] "}[r.IntN(8)])
	}
	return b.String()
}

func randomSearch(r *rand.Rand) SearchPagesIn {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	in := SearchPagesIn{
		Query: pick("alpha", "alpha beta", `"beta gamma"`, "cafe", "京都", "plan", "pl", "secret", "zzz", "zzz alpha", "alhpa", "gamna plam", "planinng", `"beta gamma" plannign`, "secert", "seecret", "2026", "quokka 3", "quoka alpha", "alhpa quokka zzzzz"),
		Kind:  SearchKind(pick("", "page", "line", "task", "heading", "tag", "attachment")),
		Limit: tools.Limit(1 + r.IntN(60)), Offset: tools.Offset(r.IntN(3)),
	}
	if r.IntN(2) == 0 {
		in.Query = randomExpression(r, 3)
	}
	switch r.IntN(9) {
	case 0:
		in.Tag = pick("home", "#work", "none")
	case 1:
		in.Property = pick("status", "status=open", "Status=DONE", "none", "status>done", "status!=open", "rating>=3", "author.name=quokka 3", "author", "mood=good", "mood", "created>2026-01-15", "created<=2026-03-01")
	case 2:
		in.Tasks = TaskFilter(pick("open", "done", "any"))
	case 3:
		in.Links = LinkFilter(pick("orphan", "broken", "attachment"))
	case 4:
		in.Path = pick("A", "A/p1", "")
	case 5:
		in.Mode = SearchMode(pick("exact", "regex", "fuzzy", "fuzzy"))
	case 6:
		in.Query, in.Kind, in.Tag = "", SearchKind(pick("page", "task", "tag", "heading")), "home"
	case 7:
		in.Since = pick("1h", "2020-01-01", "30d", "2020-01-01..1h", "..2020-01-01")
	}
	return in
}

// randomExpression is a query with operators, so deep at most.
func randomExpression(r *rand.Rand, depth int) string {
	leaves := []string{
		"alpha", "plan", "pla", "zzz", `"beta gamma"`, "京都", "gamna", "status:open", "rating>=6", "tag:home", "path:a/", "none:x", "created<2026-02-10",
		"-alpha", "-tag:garden", "-status=done", "mood:good", "--", `author.name:"Quokka 3"`,
	}
	if depth == 0 || r.IntN(3) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	join := []string{"%s %s", "%s OR %s", "(%s) (%s)", "-(%s) %s", "(%s OR %s)", "%s AND NOT (%s)"}[r.IntN(6)]
	return fmt.Sprintf(join, randomExpression(r, depth-1), randomExpression(r, depth-1))
}

// Whatever is edited, by an agent or by anybody else, a search of an index answers
// what a search of the files does, at once.
func TestIndexedSearchEqualsFiles(t *testing.T) {
	runtest.InOrder(t)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		var rules []string
		if seed%2 == 1 {
			rules = []string{"#secret", "B"}
		}
		files := []string{"A/p1.md", "A/p2.md", "A.md", "B/p1.md", "p2.md", "C/x.md", "C/y.md", "z.md", "C/assets/i.png"}
		indexed, plain := openPair(t, dir, rules)
		for round := range 60 {
			for range r.IntN(4) {
				file := filepath.Join(dir, filepath.FromSlash(files[r.IntN(len(files))]))
				switch r.IntN(4) {
				case 0:
					_ = os.Remove(file) // it may not be there
				case 1:
					_ = os.Rename(file, filepath.Join(dir, fmt.Sprintf("moved %d.md", r.IntN(3))))
				default:
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(randomText(r)), 0o600); err != nil {
						t.Fatal(err)
					}
					if r.IntN(2) == 0 { // so that its stamp settles
						old := time.Now().Add(-time.Hour - time.Duration(r.IntN(1e9)))
						if err := os.Chtimes(file, old, old); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			in := randomSearch(r)
			got, gotErr := indexed.SearchPages(t.Context(), in)
			if again, err := indexed.SearchPages(t.Context(), in); !cmp.Equal(got, again) || fmt.Sprint(err) != fmt.Sprint(gotErr) {
				t.Fatalf("seed %d, round %d, %+v: asked again: %v\n%s", seed, round, in, err, cmp.Diff(got, again))
			}
			want, wantErr := plain.SearchPages(t.Context(), in)
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d, round %d, %+v: %v, files: %v", seed, round, in, gotErr, wantErr)
			}
			if int(in.Offset) > 0 || int(in.Limit) < want.Total { // the order of pages of one score is free
				got.Matches, want.Matches = nil, nil
			}
			byPlace := cmpopts.SortSlices(func(a, b PageMatch) bool {
				return fmt.Sprint(a.Path, a.MatchLine, a.Title) < fmt.Sprint(b.Path, b.MatchLine, b.Title)
			})
			if d := cmp.Diff(want, got, byPlace, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("seed %d, round %d, %+v: -files +index\n%s", seed, round, in, d)
			}
			where := ListPagesIn{Path: []string{"", "A", "C"}[r.IntN(3)], Depth: Depth(1 + r.IntN(3)), Limit: 50}
			rows, err := indexed.ListPages(t.Context(), where)
			read, err2 := plain.ListPages(t.Context(), where)
			if d := cmp.Diff(read, rows); d != "" || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("seed %d, round %d, %+v: pages: %v, %v\n%s", seed, round, where, err, err2, d)
			}
			links, err := indexed.GetPageLinks(t.Context(), GetPageLinksIn{Path: "A/p1", Limit: 50})
			fromFiles, err2 := plain.GetPageLinks(t.Context(), GetPageLinksIn{Path: "A/p1", Limit: 50})
			if d := cmp.Diff(fromFiles, links); d != "" || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("seed %d, round %d: links: %v, %v\n%s", seed, round, err, err2, d)
			}
		}
	}
}

// A vault that is too large to be read within a call is read in the background, and
// answered from the files until then. A deleted index is made again.
func TestIndexIsFilledInTheBackground(t *testing.T) {
	dir := t.TempDir()
	for i := range maxInline + 50 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.md", i)), []byte(fmt.Sprintf("page number%d of many\n", i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A writer that was just killed left a file, which is swept later: nothing waits for that.
	if err := os.WriteFile(filepath.Join(dir, ".lectern-"+strings.Repeat("A", 26)+".tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n, _ := openPair(t, dir, nil)
	find := func() (SearchPagesOut, bool) {
		now, err := n.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "number77", Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		return out, now.x != nil
	}
	out, indexed := find()
	if indexed || out.Total != 1 || out.Matches[0].Path != "p77.md" {
		t.Fatalf("before it is filled: %v %+v", indexed, out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	for round := range 2 {
		runtest.Eventually(t, "the index is filled", func() bool {
			out, indexed = find()
			if out.Total != 1 {
				t.Fatalf("while it is filled: %+v", out)
			}
			return indexed
		})
		if round == 0 {
			n.index.drop(errors.New("damaged"))
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !slices.Contains(listIndexes(t, n), n.index.file) {
		t.Errorf("files: %v", listIndexes(t, n))
	}
}

// What another build has left beside an index, and the indexes of other rules, go when it is
// opened.
func TestLeftIndexesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.md"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, _ := openPair(t, dir, nil)
	n.index.least = 1
	for _, left := range []string{n.index.file + "-new-words", n.index.file + "-names", n.index.file + "-links", filepath.Join(filepath.Dir(n.index.file), "pages-ff.db")} {
		if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.index.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(n.index.file), "*"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return slices.Contains(index.Files(n.index.file), file) })
	equal(t, "left", []string{}, files)
}

func listIndexes(t *testing.T, n *Notebook) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(n.index.file), "*.db"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
