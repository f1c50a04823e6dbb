package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// askFTS5 is the answer of FTS5 itself.
func askFTS5(ctx context.Context, x *Index, q Query, how Match) ([]Hit, error) {
	where, args := q.where()
	return sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (h Hit, err error) {
		err = r.Scan(&h.File, &h.Score)
		return h, err
	}, "SELECT p.file, bm25(words, 10.0, 5.0, 1.0) AS score FROM words JOIN pages p ON p.id = words.rowid WHERE words MATCH ? AND "+where+
		" ORDER BY score, p.file", append([]any{q.expression(how)}, args...)...)
}

// expression is the query in the language of FTS5, with all that its pages are ranked by.
func (q Query) expression(how Match) string {
	phrase := func(term []string) string {
		text := `"` + strings.Join(term, " ") + `"`
		if how == AllPrefixes || how == AnyPrefix {
			text += " *"
		}
		return text
	}
	var terms []string
	for _, words := range q.alternatives() {
		var either []string
		for _, word := range words {
			either = append(either, phrase(word))
		}
		terms = append(terms, "("+strings.Join(either, " OR ")+")")
	}
	if how == NearWords {
		return strings.Join(terms, " AND ")
	}
	expression := strings.Join(terms, map[bool]string{true: " OR ", false: " AND "}[how == AnyPrefix])
	if scored := q.scored(); len(scored) > len(q.Terms) {
		expression = "(" + expression + ") OR " + phrase(scored[len(q.Terms)])
	}
	return expression
}

// wordOf is a word as frequent as those of a language.
func wordOf(r *rand.Rand) string {
	n := int(1 / (r.Float64() + 0.002))
	return []string{"the", "of", "theme", "often", "planner", "plan", "off", "a", "an"}[n%9] + strings.Repeat("x", n/9%7) + fmt.Sprint(n/60)
}

func longPage(r *rand.Rand, file string) Page {
	text := func(words int) string {
		var b strings.Builder
		for range words {
			b.WriteString(wordOf(r) + " ")
		}
		return b.String()
	}
	p := Read(Source{File: file, Title: text(2), Text: text(r.IntN(120))})
	p.Tags = slices.Compact(strings.Fields(text(r.IntN(3))))
	if r.IntN(40) == 0 {
		p.text = strings.Repeat("the of ", 5_000) // the places of one page take several leaves
	}
	return p
}

func wordQuery(r *rand.Rand) (q Query, how Match) {
	for range 1 + r.IntN(3) {
		term := []string{wordOf(r)}
		for r.IntN(3) == 0 {
			term = append(term, wordOf(r))
		}
		q.Terms = append(q.Terms, term)
	}
	if r.IntN(4) == 0 {
		q.Terms[0] = []string{"the0", "of0"}
	}
	if r.IntN(4) == 0 {
		for _, term := range q.Terms {
			q.Spellings = append(q.Spellings, slices.Concat(term[:1], []string{wordOf(r), wordOf(r)}))
		}
		return q, NearWords
	}
	if how = Match(r.IntN(int(AnyPrefix) + 1)); how != AllWords {
		for _, term := range q.Terms {
			term[len(term)-1] = term[len(term)-1][:1+r.IntN(2)]
		}
	}
	if r.IntN(4) == 0 {
		q.Below = "3/"
	}
	return q, how
}

// What is read of the lists of words is what FTS5 answers, with the same scores and in the
// same order: of one list and of several, of pages that were changed and removed, and of
// lists that go over many leaves.
func TestWordListsEqualFTS5(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	r := rand.New(rand.NewPCG(5, 5))
	found := map[Match]int{}
	for round := range 9 {
		put := map[string]Page{}
		for range []int{400, 1, 30}[round%3] {
			file := fmt.Sprintf("%d/%d.md", r.IntN(9), r.IntN(200))
			put[file] = longPage(r, file)
		}
		var pages []Page
		var remove []string
		for file, p := range put {
			if r.IntN(6) == 0 {
				remove = append(remove, file)
			} else {
				pages = append(pages, p)
			}
		}
		if err := x.Update(t.Context(), pages, remove); err != nil {
			t.Fatal(err)
		}
		for range 25 {
			q, how := wordQuery(r)
			want, err := askFTS5(t.Context(), x, q, how)
			if err != nil {
				t.Fatal(err)
			}
			got, err := findAll(t.Context(), x, q, how)
			if err != nil {
				t.Fatal(err)
			}
			if i := firstDifference(got, want); i >= 0 {
				t.Fatalf("round %d, %v %q %q: %d hits, FTS5 %d; from %d on\n%.5v\n%.5v", round, how, q.Terms, q.Spellings, len(got), len(want), i,
					got[i:min(i+5, len(got))], want[i:min(i+5, len(want))])
			}
			found[how] += len(want)
		}
	}
	for how := range NearWords + 1 {
		if found[how] < 500 {
			t.Errorf("%d pages were found by %d, which shows nothing", found[how], how)
		}
	}
}

// findAll finds pages that match in one way.
func findAll(ctx context.Context, x *Index, q Query, how Match) (hits []Hit, err error) {
	where, args := q.where()
	err = x.db.Read(ctx, func(c *sqlstore.Conn) error {
		s, err := x.newWordSearch(ctx, c, q, where, args)
		if err == nil {
			defer s.close()
			hits, _, err = s.find(ctx, how, 0, 100_000)
		}
		return err
	})
	return hits, err
}

// firstDifference is where two lists differ by more than rounding; -1: nowhere.
func firstDifference(a, b []Hit) int {
	scores := map[string]float64{}
	for _, h := range b {
		scores[h.File] = h.Score
	}
	for i, h := range a {
		score, is := scores[h.File]
		if !is || i >= len(b) || math.Abs(h.Score-score) > 1e-9 || math.Abs(h.Score-b[i].Score) > 1e-9 {
			return i
		}
	}
	if len(b) > len(a) {
		return len(a)
	}
	return -1
}
