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
	phrase string     // all of the query, folded
	// spellings are words that may stand for each term; nil: there are none.
	spellings [][]string
}

// maxTerms bounds the words of a query.
const maxTerms = 32

// parseQuery reads words and "quoted phrases". What has no letters or digits is left
// out.
func parseQuery(query string) searchQuery {
	folded := index.Fold(query)
	q := searchQuery{phrase: strings.Join(strings.Fields(strings.ReplaceAll(folded, `"`, " ")), " ")}
	add := func(term string) {
		tokens := index.Tokens(term)
		if len(tokens) > 0 && len(q.terms) < maxTerms && !slices.ContainsFunc(q.tokens, func(t []string) bool {
			return slices.Equal(t, tokens)
		}) {
			q.terms, q.tokens = append(q.terms, term), append(q.tokens, tokens)
		}
	}
	for i, part := range strings.Split(folded, `"`) {
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

// count is how many of the terms a text has, by its tokens.
func (q searchQuery) count(tokens []string) (n int) {
	for i, term := range q.tokens {
		if containsPhrase(tokens, term) || q.hasSpelling(i, tokens) {
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

// inTokens reports whether a text has every term.
func (q searchQuery) inTokens(tokens []string) bool { return q.count(tokens) == len(q.tokens) }

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
