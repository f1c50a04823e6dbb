package index

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxToken bounds a word in bytes; the rest of a longer one is ignored.
const maxToken = 100

// Fold is the form in which texts are searched: without letter case and marks such
// as accents. It keeps line breaks.
func Fold(s string) string {
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

// Tokens are the words of a text, folded: runs of letters and digits. A character
// of a script without spaces between words is a token of its own, so that a word
// in it is found as a phrase.
func Tokens(text string) (tokens []string) {
	eachToken(text, func(token string) { tokens = append(tokens, token) })
	return tokens
}

// joinTokens are the tokens of a text with a space between them.
func joinTokens(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	eachToken(text, func(token string) {
		b.WriteString(token)
		b.WriteByte(' ')
	})
	return b.String()
}

func eachToken(text string, visit func(token string)) {
	folded := Fold(text)
	from := -1
	end := func(at int) {
		if from >= 0 {
			visit(cutToken(folded[from:at]))
		}
		from = -1
	}
	for i, r := range folded {
		switch {
		case isIdeograph(r):
			end(i)
			visit(string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
			if from < 0 {
				from = i
			}
		default:
			end(i)
		}
	}
	end(len(folded))
}

func cutToken(token string) string {
	if len(token) <= maxToken {
		return token
	}
	return strings.ToValidUTF8(token[:maxToken], "")
}

func isIdeograph(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r))
}
