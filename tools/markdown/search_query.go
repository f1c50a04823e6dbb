package markdown

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A searchQuery is what a search looks for: words that a page must all have, and
// phrases as the agent quotes them.
type searchQuery struct {
	terms  []string // folded, each once
	phrase string   // all of the query, folded
}

// maxTerms bounds the words of a query.
const maxTerms = 32

// parseQuery reads words and "quoted phrases".
func parseQuery(query string) searchQuery {
	q := searchQuery{phrase: strings.Join(strings.Fields(strings.ReplaceAll(fold(query), `"`, " ")), " ")}
	add := func(term string) {
		if term != "" && len(q.terms) < maxTerms && !slices.Contains(q.terms, term) {
			q.terms = append(q.terms, term)
		}
	}
	for i, part := range strings.Split(fold(query), `"`) {
		if i%2 == 1 {
			add(strings.Join(strings.Fields(part), " "))
			continue
		}
		for word := range strings.FieldsSeq(part) {
			add(word)
		}
	}
	return q
}

// fold is the form in which texts are searched: without letter case and marks such as
// accents. It keeps line breaks.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.ToLower(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(s)))
		}
	}
	return strings.ToLower(s)
}

// count is how many of the terms a folded text has.
func (q searchQuery) count(text string) (n int) {
	for _, t := range q.terms {
		if strings.Contains(text, t) {
			n++
		}
	}
	return n
}

// line is the line of a folded text, from 0, that has the phrase, or else the first of
// those that have most of the terms.
func (q searchQuery) line(text string) int {
	if at := strings.Index(text, q.phrase); at >= 0 {
		return strings.Count(text[:at], "\n")
	}
	best, most, number := 0, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if n := q.count(line); n > most {
			best, most = number, n
		}
		number++
	}
	return best
}

// longest is the term to cut a line around.
func (q searchQuery) longest(line string) string {
	if strings.Contains(line, q.phrase) {
		return q.phrase
	}
	best := ""
	for _, t := range q.terms {
		if len(t) > len(best) && strings.Contains(line, t) {
			best = t
		}
	}
	return best
}
