package notestore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxExcerpt    = 200      // bytes of an excerpt
	beforeMatch   = 60       // of these, how many may stand before the first word of a search
	excerptedText = 64 << 10 // how far an excerpt is looked for, in bytes
)

// excerpt is the part of a text around the words of a query: of the line that has most
// of them, the first of several. Without such a line it is empty.
func (q wordQuery) excerpt(text string) string {
	best, most, at := "", 0, 0
	for line := range strings.Lines(text[:min(len(text), excerptedText)]) {
		if has, first := q.wordsIn(line); has > most {
			best, most, at = line, has, first
		}
		if most == len(q.words) {
			break
		}
	}
	return cutAround(best, at)
}

// wordsIn reports how many words of the query a line has, and where the first is.
func (q wordQuery) wordsIn(line string) (has, first int) {
	var found [16]bool // as many as a query has
	for start := 0; start < len(line); {
		end, ascii := wordEnd(line, start)
		if end == start {
			_, size := utf8.DecodeRuneInString(line[start:])
			start += size
			continue
		}
		if i := q.indexOf(line[start:end], ascii); i >= 0 && !found[i] {
			if found[i] = true; has == 0 {
				first = start
			}
			has++
		}
		start = end
	}
	return has, first
}

// wordEnd returns where the word that begins at start ends, start if none does, and
// whether it is of ASCII letters only.
func wordEnd(line string, start int) (end int, ascii bool) {
	for end = start; end < len(line) && line[end] < utf8.RuneSelf; end++ {
		if !isWordByte(line[end]) {
			return end, true
		}
	}
	if end == len(line) {
		return end, true
	}
	for end < len(line) {
		r, size := utf8.DecodeRuneInString(line[end:])
		if !isWordRune(r) {
			break
		}
		end += size
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			break
		}
	}
	return end, false
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// indexOf returns which word of the query a word of a text is, -1: none.
func (q wordQuery) indexOf(word string, ascii bool) int {
	if !ascii {
		words := splitWords(word)
		if len(words) == 0 {
			return -1
		}
		word = words[0]
	}
	for i, w := range q.words {
		if len(word) >= len(w) && (q.prefix || len(word) == len(w)) && strings.EqualFold(word[:len(w)], w) {
			return i
		}
	}
	return -1
}

// cutAround is the part of a line around a place, on one line. What was cut is said by
// an ellipsis.
func cutAround(line string, at int) string {
	start, end := 0, len(line)
	if len(line) > maxExcerpt {
		start = max(0, min(at-beforeMatch, len(line)-maxExcerpt))
		end = start + maxExcerpt
		for start > 0 && !utf8.RuneStart(line[start]) {
			start++
		}
		for end < len(line) && !utf8.RuneStart(line[end]) {
			end--
		}
	}
	cut := line[start:end]
	if _, rest, found := strings.Cut(cut, " "); found && start > 0 && len(rest) > maxExcerpt-beforeMatch {
		cut = rest // without half a word
	}
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)-beforeMatch && end < len(line) {
		cut = cut[:i]
	}
	cut = strings.Join(strings.Fields(cut), " ")
	if start > 0 {
		cut = "… " + cut
	}
	if end < len(line) {
		cut += " …"
	}
	return cut
}
