package markdown

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// A searchQuery is what a search looks for: words, and phrases as the agent quotes
// them.
type searchQuery struct {
	tokens [][]string // of each term, each once
	terms  []string   // folded, as written
	phrase string     // all terms, folded; empty: they do not stand side by side
	// spellings are words that may stand for each term; nil: there are none.
	spellings [][]string
}

// maxTerms bounds the words of a query.
const maxTerms = 32

// addTerm is the place of a term among the others; false: it has no letters or digits,
// or there are too many.
func (q *searchQuery) addTerm(text string) (place int, added bool) {
	folded := strings.Join(strings.Fields(index.Fold(text)), " ")
	tokens := index.Tokens(folded)
	at := slices.IndexFunc(q.tokens, func(t []string) bool { return slices.Equal(t, tokens) })
	if at >= 0 || len(tokens) == 0 || len(q.terms) == maxTerms {
		return at, at >= 0
	}
	q.terms, q.tokens = append(q.terms, folded), append(q.tokens, tokens)
	return len(q.terms) - 1, true
}

// has reports whether a text has a term, by its tokens.
func (q searchQuery) has(term int, tokens []string) bool {
	return containsPhrase(tokens, q.tokens[term]) || q.hasSpelling(term, tokens)
}

// count is how many of the terms a text has, by its tokens.
func (q searchQuery) count(tokens []string) (n int) {
	for i := range q.tokens {
		if q.has(i, tokens) {
			n++
		}
	}
	return n
}

// hasSpelling reports whether a text has a word that may stand for a term.
func (q searchQuery) hasSpelling(term int, tokens []string) bool {
	return q.spellings != nil && slices.ContainsFunc(q.spellings[term], func(word string) bool {
		return containsPhrase(tokens, []string{word})
	})
}

// joined are the tokens of all terms, one after the other.
func (q searchQuery) joined() []string { return slices.Concat(q.tokens...) }

// containsPhrase reports whether tokens have those of a phrase in a row, the last at
// least as the beginning of one.
func containsPhrase(tokens, phrase []string) bool {
	last := len(phrase) - 1
	for i := 0; i+last < len(tokens); i++ {
		if strings.HasPrefix(tokens[i+last], phrase[last]) && slices.Equal(tokens[i:i+last], phrase[:last]) {
			return true
		}
	}
	return false
}

// containsWords reports whether tokens have those of a phrase in a row.
func containsWords(tokens, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(tokens); i++ {
		if slices.Equal(tokens[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// longest is the term to cut a line around.
func (q searchQuery) longest(line string) string {
	if q.phrase != "" && strings.Contains(line, q.phrase) {
		return q.phrase
	}
	best := ""
	for _, t := range slices.Concat(append([][]string{q.terms}, q.spellings...)...) {
		if len(t) > len(best) && strings.Contains(line, t) {
			best = t
		}
	}
	return best
}
