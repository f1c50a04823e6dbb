package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// A Query selects pages: by words, by what the pages are, or by both.
type Query struct {
	// Terms are words, or phrases of several tokens; none: every page matches. A
	// token is what [Tokens] returns.
	Terms [][]string
	// Spellings are the words that may stand for each term as well; nil: none.
	Spellings [][]string
	// Where says which pages match; nil: those that have all terms.
	Where *Condition
	// Unwanted are terms that Where asks for the lack of.
	Unwanted [][]string
	Filter
}

// alternatives are what may stand for each term.
func (q Query) alternatives() [][][]string {
	all := make([][][]string, len(q.Terms))
	for i, term := range q.Terms {
		all[i] = [][]string{term}
		if i < len(q.Spellings) {
			for _, word := range q.Spellings[i] {
				if len(term) != 1 || word != term[0] {
					all[i] = append(all[i], []string{word})
				}
			}
		}
	}
	return all
}

// A Filter selects pages by what they are. Its zero value selects all.
type Filter struct {
	// Page and Below select a page and all in a folder, which is given with its
	// slash; both empty: all pages.
	Page, Below string
	Tag         string // without #; pages with a tag below it match too
	Property    string // its key
	Value       string // of the property; empty: any
	// Test says which values of the property to select, folded; nil: Value does.
	Test  func(value string) bool
	Since time.Time
	Until time.Time // modified before it; zero: no bound
	Tasks TaskState
	// Files are the only pages to select, if it is not nil.
	Files map[string]bool
	// Excluded are pages not to select.
	Excluded map[string]bool
}

// A TaskState selects pages that have tasks.
type TaskState string

// All task states; empty: pages with and without tasks.
const (
	OpenTasks TaskState = "open"
	DoneTasks TaskState = "done"
	AnyTasks  TaskState = "any"
)

// A Match says how pages match the terms of a query.
type Match int

// From the strictest on: pages of a looser match are answered only where there are
// none of a stricter one.
const (
	AllWords Match = iota
	AllPrefixes
	AnyPrefix
)

// A Hit is a page that matches. The lower its score, the better.
type Hit struct {
	File  string
	Score float64
}

// The weights of title, tags and text.
var weights = [3]float64{10, 5, 1}

// Counts are what is needed of a page to rank it among others.
type Counts struct {
	file     string
	modified int64
	selected [AnyPrefix + 1]bool // by what matches how
	size     float64             // tokens
	words    []float64           // how often each term is there, weighted by where
	prefixes []float64           // how often it begins there
}

func (c Counts) of(how Match) []float64 {
	if how == AllWords {
		return c.words
	}
	return c.prefixes
}

// Count counts what a query looks for in a page. Pages that the filter leaves out
// count too: a word is rare or common in the whole vault.
func (q Query) Count(p Page) Counts {
	t := Counts{file: p.File, modified: p.Stamp.Modified}
	scored := q.scored()
	t.words, t.prefixes = make([]float64, len(scored)), make([]float64, len(scored))
	lacks := slices.Repeat([]bool{true}, len(q.Unwanted))
	for i, text := range []string{p.Title, strings.Join(p.Tags, "\n"), p.text} {
		tokens := Tokens(text)
		t.size += float64(len(tokens))
		for k, term := range scored {
			words, prefixes := count(tokens, term)
			t.words[k] += weights[i] * float64(words)
			t.prefixes[k] += weights[i] * float64(prefixes)
		}
		for k, term := range q.Unwanted {
			words, _ := count(tokens, term)
			lacks[k] = lacks[k] && words == 0
		}
	}
	if !q.Selects(p) {
		return t
	}
	for how := range t.selected {
		t.selected[how] = q.condition(Match(how)).Holds(p.File, q.termsIn(t.of(Match(how))), lacks)
	}
	return t
}

// count counts where a term is, and where the beginning of its last word is.
func count(tokens, term []string) (words, prefixes int) {
	last := len(term) - 1
	beginning := isBeginning(term[last])
	for i := 0; i+last < len(tokens); i++ {
		if !strings.HasPrefix(tokens[i+last], term[last]) || !slices.Equal(tokens[i:i+last], term[:last]) {
			continue
		}
		whole := tokens[i+last] == term[last]
		if whole {
			words++
		}
		if whole || beginning {
			prefixes++
		}
	}
	return words, prefixes
}

// SelectsAll reports whether the filter has no condition.
func (f Filter) SelectsAll() bool {
	where, _ := f.where()
	return where == allPages
}

// Selects reports whether a page passes the filter.
func (f Filter) Selects(p Page) bool {
	if f.Page != "" || f.Below != "" {
		if p.File != f.Page && (f.Below == "" || !strings.HasPrefix(p.File, f.Below)) {
			return false
		}
	}
	tag := Fold(f.Tag)
	return (f.Files == nil || f.Files[p.File]) && !f.Excluded[p.File] &&
		(f.Since.IsZero() || p.Stamp.Modified >= f.Since.UnixNano()) && (f.Until.IsZero() || p.Stamp.Modified < f.Until.UnixNano()) &&
		(tag == "" || slices.ContainsFunc(p.Tags, func(t string) bool { return Fold(t) == tag || strings.HasPrefix(Fold(t), tag+"/") })) &&
		(f.Property == "" || slices.ContainsFunc(p.Properties, func(v Property) bool {
			return v.Key == Fold(f.Property) && f.SelectsValue(v.Value)
		})) &&
		(f.Tasks == "" || slices.ContainsFunc(p.Tasks, f.Tasks.Selects))
}

// SelectsValue reports whether a value of the property, folded, passes the filter.
func (f Filter) SelectsValue(value string) bool {
	if f.Test != nil {
		return f.Test(value)
	}
	return f.Value == "" || value == Fold(f.Value)
}

// Selects reports whether a task is in the state.
func (s TaskState) Selects(t Task) bool {
	return s != OpenTasks && s != DoneTasks || t.Done == (s == DoneTasks)
}

// Rank returns the pages that match, the best first, and how they match.
func (q Query) Rank(all []Counts) ([]Hit, Match) {
	for how := range AnyPrefix {
		if hits := q.rank(all, how); len(hits) > 0 {
			return hits, how
		}
	}
	return q.rank(all, AnyPrefix), AnyPrefix
}

// rank computes what FTS5's bm25 does.
func (q Query) rank(all []Counts, how Match) (hits []Hit) {
	average, rarities := q.measure(all, how)
	newest := map[string]int64{}
	for _, c := range all {
		hit := Hit{File: c.file}
		for k, n := range c.of(how) {
			if n > 0 {
				hit.Score -= rarities[k] * n * 2.2 / (n + 1.2*(0.25+0.75*c.size/average))
			}
		}
		if c.selected[how] {
			hits = append(hits, hit)
		}
		if q.newestFirst() {
			newest[c.file] = c.modified
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(newest[b.File], newest[a.File]), cmp.Compare(a.File, b.File))
	})
	return hits
}

// termsIn are the terms that a page has, by how often it has what is scored.
func (q Query) termsIn(counts []float64) []bool {
	has := make([]bool, len(q.Terms))
	at := 0
	for i, words := range q.alternatives() {
		has[i] = slices.ContainsFunc(counts[at:at+len(words)], func(n float64) bool { return n > 0 })
		at += len(words)
	}
	return has
}

// scored are the terms by which pages are ranked: those of the query, and all of
// them in a row, so that pages with the phrase come first; or all spellings.
func (q Query) scored() [][]string {
	if q.Spellings != nil {
		return slices.Concat(q.alternatives()...)
	}
	if len(q.Terms) < 2 || q.Where != nil {
		return q.Terms
	}
	return append(slices.Clone(q.Terms), slices.Concat(q.Terms...))
}

// measure returns the average size of a page, and how much each term says about
// one that has it.
func (q Query) measure(all []Counts, how Match) (average float64, rarities []float64) {
	rarities = make([]float64, len(q.scored()))
	for k := range rarities {
		rows := 0.0
		for _, c := range all {
			if c.of(how)[k] > 0 {
				rows++
			}
		}
		rarities[k] = math.Max(math.Log((float64(len(all))-rows+0.5)/(rows+0.5)), 1e-6)
	}
	for _, c := range all {
		average += c.size / float64(len(all))
	}
	return average, rarities
}

// newestFirst reports whether pages are ordered by their time of modification.
func (q Query) newestFirst() bool {
	return len(q.Terms) == 0 && !(q.Since.IsZero() && q.Until.IsZero())
}
