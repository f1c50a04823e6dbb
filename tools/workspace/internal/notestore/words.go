package notestore

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// Limits of the words of one note: the rest is not found.
const (
	maxWordBytes = 64
	maxWordsSize = 512 << 10
)

// splitWords returns the words of a text as search compares them: lower case and
// without accents; of Chinese and Japanese each character. Both databases get words
// ready to use, so that they find the same.
func splitWords(text string) (words []string) {
	var word strings.Builder
	size := 0
	end := func() {
		if word.Len() > 0 && size < maxWordsSize {
			w := word.String()
			if len(w) > maxWordBytes {
				w = strings.ToValidUTF8(w[:maxWordBytes], "")
			}
			size += len(w)
			words = append(words, w)
		}
		word.Reset()
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r) && r < 0x370: // an accent of a Latin letter
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end()
			word.WriteRune(r)
			end()
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			word.WriteRune(unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return words
}

// A wordQuery finds notes that have all words.
type wordQuery struct {
	words  []string
	title  bool // in their titles
	prefix bool // or words that begin with them
}

// condition is the query in the language of the database.
func (q wordQuery) condition(d sqlstore.Dialect) string {
	terms := make([]string, len(q.words))
	for i, w := range q.words {
		switch {
		case d == sqlstore.Postgres:
			terms[i] = "'" + w + "'"
			if q.title || q.prefix {
				terms[i] += ":"
			}
			if q.prefix {
				terms[i] += "*"
			}
			if q.title {
				terms[i] += "A"
			}
		case q.prefix:
			terms[i] = `"` + w + `" *`
		default:
			terms[i] = `"` + w + `"`
		}
	}
	switch {
	case d == sqlstore.Postgres:
		return strings.Join(terms, " & ")
	case q.title:
		return "title : (" + strings.Join(terms, " AND ") + ")"
	}
	return strings.Join(terms, " AND ")
}

// matches reports whether a note has the words. body are the words of its whole text.
func (q wordQuery) matches(title, body []string) bool {
	in := title
	if !q.title {
		in = append(slices.Clone(title), body...)
	}
	for _, w := range q.words {
		if !slices.ContainsFunc(in, func(s string) bool { return s == w || q.prefix && strings.HasPrefix(s, w) }) {
			return false
		}
	}
	return true
}

// vector is a note's words as PostgreSQL keeps them; those of the title have weight A.
// A word without a position would have every weight.
func vector(title, body []string) string {
	weights := map[string]string{}
	for _, w := range body {
		weights[w] = ":1"
	}
	for _, w := range title {
		weights[w] = ":1A"
	}
	var b strings.Builder
	for w, weight := range weights {
		b.WriteString("'" + w + "'" + weight + " ")
	}
	return b.String()
}

// joinWords is a text of words alone.
func joinWords(words []string) string { return strings.Join(words, " ") }
