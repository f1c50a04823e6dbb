package notestore

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	var buffer [maxWordBytes]byte
	word, size := buffer[:0], 0
	end := func() {
		if len(word) > 0 && size < maxWordsSize {
			w := string(word)
			if len(w) > maxWordBytes {
				w = strings.ToValidUTF8(w[:maxWordBytes], "")
			}
			size += len(w)
			words = append(words, w)
		}
		word = word[:0]
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9': // first, since a save waits for this
			word = append(word, byte(r))
		case r >= 'A' && r <= 'Z':
			word = append(word, byte(r)+'a'-'A')
		case r < utf8.RuneSelf:
			end()
		case unicode.Is(unicode.Mn, r) && r < 0x370: // an accent of a Latin letter
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end()
			word = utf8.AppendRune(word, r)
			end()
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			word = utf8.AppendRune(word, unicode.ToLower(r))
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
		if q.title {
			w = inTitle + w
		}
		if d == sqlstore.Postgres {
			terms[i] = "'" + w + "'"
			if q.prefix {
				terms[i] += ":*"
			}
		} else if terms[i] = `"` + w + `"`; q.prefix {
			terms[i] += " *"
		}
	}
	if d == sqlstore.Postgres {
		return strings.Join(terms, " & ")
	}
	return strings.Join(terms, " AND ")
}

// inTitle begins the words of titles, which are kept a second time with it. No word
// has it.
const inTitle = "\ue000"

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

// indexedWords are what is kept of a note: its words, and those of its title.
func indexedWords(n *Note) []string {
	words := splitWords(n.Text)
	for _, w := range splitWords(n.Title) {
		words = append(words, w, inTitle+w)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// vector is words as PostgreSQL reads them.
func vector(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "'" + strings.Join(words, "' '") + "'"
}
