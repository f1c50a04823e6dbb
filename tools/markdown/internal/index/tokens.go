package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxToken bounds a word in bytes; the rest of a longer one is ignored.
const maxToken = 100

// Fold is the form in which texts are searched: without letter case, marks such as accents
// and forms of width, and with ss for ß. It keeps line breaks.
func Fold(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			folded := strings.ToLower(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFKD.String(s)))
			return strings.ReplaceAll(folded, "ß", "ss")
		}
	}
	return strings.ToLower(s)
}

// Tokens are the words of a text, folded: runs of letters and digits. A character
// of a script without spaces between words is a token of its own, so that a word
// in it is found as a phrase.
func Tokens(text string) (tokens []string) {
	return strings.Fields(joinTokens(text))
}

// joinTokens are the tokens of a text with a space after each.
func joinTokens(text string) string {
	j := tokenJoiner{out: make([]byte, 0, len(text)+1)}
	for at := 0; at < len(text); {
		c := text[at]
		if c < utf8.RuneSelf {
			if size := j.addSigns(text, at); size > 0 {
				at += size
				continue
			}
			j.addASCII(c)
			at++
			continue
		}
		// What is not ASCII is folded by itself: no character of ASCII changes with what
		// stands beside it.
		end := at + 1
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		for _, r := range Fold(text[at:end]) {
			j.add(r)
		}
		at = end
	}
	j.end()
	return string(j.out)
}

// A tokenJoiner joins tokens.
type tokenJoiner struct {
	out   []byte
	begin int // of the token
}

// addSigns adds a token for signs that belong to the word before them, as those of C++ and
// C#, and returns how many there are. Without them the word is a token as well.
func (j *tokenJoiner) addSigns(text string, at int) int {
	word := j.out[j.begin:]
	if text[at] != '+' && text[at] != '#' || len(word) == 0 || len(word) > maxToken/2 {
		return 0
	}
	end := at + 1
	for end < len(text) && text[end] == text[at] {
		end++
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	if end-at > 2 || text[at] == '+' && end-at < 2 || unicode.IsLetter(next) || unicode.IsDigit(next) {
		return 0
	}
	name := map[byte]string{'+': "plusplus", '#': "sharp"}[text[at]]
	whole := string(word) + name
	j.end()
	j.out = append(j.out, whole...)
	j.end()
	return end - at
}

func (j *tokenJoiner) addASCII(c byte) {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		j.out = append(j.out, c)
	case 'A' <= c && c <= 'Z':
		j.out = append(j.out, c|0x20)
	default:
		j.end()
	}
}

func (j *tokenJoiner) add(r rune) {
	switch {
	case isIdeograph(r):
		j.end()
		j.out = utf8.AppendRune(j.out, r)
		j.end()
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
		j.out = utf8.AppendRune(j.out, r)
	default:
		j.end()
	}
}

// end ends the token, if there is one.
func (j *tokenJoiner) end() {
	if len(j.out) == j.begin {
		return
	}
	if len(j.out)-j.begin > maxToken {
		cut := strings.ToValidUTF8(string(j.out[j.begin:j.begin+maxToken]), "")
		j.out = append(j.out[:j.begin], cut...)
	}
	j.out = append(j.out, ' ')
	j.begin = len(j.out)
}

func isIdeograph(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r))
}
