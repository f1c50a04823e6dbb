package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// maxSpellings is how many words of the vault stand for one of a query at most: those
// that differ least, and of these those that most pages have.
const maxSpellings = 16

// A Speller collects the words of a vault that are spelled like those of a query. A
// word of four letters or more may differ in one letter, one of eight or more in two;
// it begins with the first letter of the other, or with its second. Its methods may be
// called from any goroutine.
type Speller struct {
	terms []string // "": it is no single word, or too short

	mu    sync.Mutex
	found []map[string]int // of each term: words like it, with how many pages have them
}

// NewSpeller collects for the terms of a query.
func NewSpeller(terms [][]string) *Speller {
	s := &Speller{terms: make([]string, len(terms)), found: make([]map[string]int, len(terms))}
	for i, term := range terms {
		s.found[i] = map[string]int{}
		if len(term) == 1 && allowedEdits(term[0]) > 0 {
			s.terms[i] = term[0]
		}
	}
	return s
}

// allowedEdits is in how many letters a word may differ from one like it. Numbers
// are not misspelled words.
func allowedEdits(word string) int {
	switch letters := utf8.RuneCountInString(word); {
	case letters < 4 || !strings.ContainsFunc(word, unicode.IsLetter):
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

// See takes a word that so many pages have.
func (s *Speller) See(word string, pages int) {
	for i, term := range s.terms {
		if term == "" || !slices.Contains(initials(term), firstLetter(word)) {
			continue
		}
		if most := allowedEdits(term); editDistance(term, word, most) > most {
			continue
		}
		s.mu.Lock()
		s.found[i][word] += pages
		s.mu.Unlock()
	}
}

// Read takes the words of a page.
func (s *Speller) Read(p Page) {
	seen := map[string]bool{}
	for _, text := range []string{p.Title, strings.Join(p.Tags, "\n"), p.text} {
		for _, token := range Tokens(text) {
			if !seen[token] {
				seen[token] = true
				s.See(token, 1)
			}
		}
	}
}

// Spellings are the words like each term, the nearest first, and whether there are any
// besides the terms themselves.
func (s *Speller) Spellings() (of [][]string, any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of = make([][]string, len(s.terms))
	for i, term := range s.terms {
		for word := range s.found[i] {
			of[i] = append(of[i], word)
		}
		distance := func(word string) int { return editDistance(term, word, allowedEdits(term)) }
		slices.SortFunc(of[i], func(a, b string) int {
			return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(s.found[i][b], s.found[i][a]), cmp.Compare(a, b))
		})
		of[i] = of[i][:min(len(of[i]), maxSpellings)]
		any = any || slices.ContainsFunc(of[i], func(word string) bool { return word != term })
	}
	return of, any
}

// initials are the letters with which a word like this one begins.
func initials(word string) []rune {
	letters := []rune(word)
	if letters[0] == letters[1] {
		return letters[:1]
	}
	return letters[:2]
}

func firstLetter(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	return r
}

// editDistance counts the letters to insert, delete, replace or swap with the next to
// get from one word to the other. What is more than most is most+1.
func editDistance(a, b string, most int) int {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) > most || len(to)-len(from) > most {
		return most + 1
	}
	var before []int // the row above last
	last := make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row := make([]int, len(to)+1)
		row[0] = i
		for j := 1; j <= len(to); j++ {
			replaced := last[j-1]
			if from[i-1] != to[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return min(last[len(to)], most+1)
}

// Spell gives a Speller the words of the index that may be like the terms.
func (x *Index) Spell(ctx context.Context, s *Speller) error {
	done := map[rune]bool{}
	for _, term := range s.terms {
		if term == "" {
			continue
		}
		for _, initial := range initials(term) {
			if done[initial] {
				continue
			}
			done[initial] = true
			_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
				var word string
				var pages int
				err := r.Scan(&word, &pages)
				s.See(word, pages)
				return struct{}{}, err
			}, "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?", string(initial), string(initial+1))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
