package orgfile

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// HeadingLine is a heading line taken apart. Spans count from the line's start.
type HeadingLine struct {
	Stars                          int
	Keyword, Priority, Title, Tags Span
	Cookie                         Span // the whole "[#A]"
	Commented, Done                bool
}

// ParseHeading takes a heading line apart, given without its line break. The
// line must start with stars and a space.
func ParseHeading(line []byte, s *Settings) HeadingLine {
	h := HeadingLine{Stars: headingLevel(line)}
	end := len(line)
	for end > h.Stars && isBlank(line[end-1]) {
		end--
	}
	at := min(skipBlanks(line, h.Stars), end)
	if word := wordEnd(line, at, end); word > at && (word < end || word < len(line) || s.Quirks != Org95) {
		if k := s.Todo.find(line[at:word]); k >= 0 {
			h.Keyword, h.Done = Span{int32(at), int32(word)}, s.Todo.all[k].done
			at = min(skipBlanks(line, word), end)
		}
	}
	if n := priorityLength(line[at:end], s.Quirks); n > 0 {
		h.Cookie = Span{int32(at), int32(at + n)}
		h.Priority = Span{int32(at + 2), int32(at + n - 1)}
		at = min(skipBlanks(line, at+n), end)
	}
	if rest := line[at:end]; bytes.HasPrefix(rest, commentWord) && (len(rest) == len(commentWord) || isBlank(rest[len(commentWord)]) ||
		s.Quirks == Org95) {
		h.Commented = true
		at = min(skipBlanks(line, at+len(commentWord)), end)
	}
	// A title that is nothing but tags is tags: the blank before them is the one
	// behind what stands on their left.
	if tags := tagsStart(line[:end], max(at-1, h.Stars)); tags >= 0 {
		h.Tags = Span{int32(tags), int32(end)}
		end = tags
		for end > at && isBlank(line[end-1]) {
			end--
		}
	}
	if at < end {
		h.Title = Span{int32(at), int32(end)}
	}
	return h
}

var commentWord = []byte("COMMENT")

func skipBlanks(b []byte, at int) int {
	for at < len(b) && isBlank(b[at]) {
		at++
	}
	return at
}

// wordEnd returns the end of the word at at: at a space.
func wordEnd(b []byte, at, end int) int {
	if i := bytes.IndexByte(b[at:end], ' '); i >= 0 {
		return at + i
	}
	return end
}

// priorityLength returns how long the priority cookie at b's start is, 0 for
// none. Org main takes capital letters and the numbers 0 to 64, Org 9.5 any one
// character.
func priorityLength(b []byte, q Quirks) int {
	if len(b) < 4 || b[0] != '[' || b[1] != '#' {
		return 0
	}
	if q == Org95 {
		_, n := utf8.DecodeRune(b[2:])
		if 2+n < len(b) && b[2+n] == ']' {
			return n + 3
		}
		return 0
	}
	switch {
	case b[2] >= 'A' && b[2] <= 'Z' && b[3] == ']', isDigit(b[2]) && b[3] == ']':
		return 4
	case len(b) > 4 && isDigit(b[2]) && isDigit(b[3]) && b[4] == ']' && (b[2]-'0')*10+b[3]-'0' <= 64:
		return 5
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// tagsStart finds the tags at the end of a heading line without trailing blanks.
// They stand behind a blank at low or later. It returns -1 if there are none.
func tagsStart(line []byte, low int) int {
	if len(line) < 3 || line[len(line)-1] != ':' {
		return -1
	}
	blank := bytes.LastIndexAny(line, " \t")
	if blank < low || blank+3 > len(line) || line[blank+1] != ':' {
		return -1
	}
	letters := false
	for _, r := range string(line[blank+1:]) {
		if r != ':' && !isTagRune(r) {
			return -1
		}
		letters = true
	}
	if !letters {
		return -1
	}
	return blank + 1
}

// isTagRune says whether r may stand in a tag.
func isTagRune(r rune) bool {
	return r == '_' || r == '@' || r == '#' || r == '%' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
		unicode.IsMark(r) || unicode.Is(unicode.Nl, r))
}

// ValidTag says whether name may be written as a tag.
func ValidTag(name string) bool {
	for _, r := range name {
		if !isTagRune(r) {
			return false
		}
	}
	return name != ""
}

// SplitTags returns the tags of ":a:b:" in their order. Empty ones are dropped.
func SplitTags(text string) []string {
	var tags []string
	for {
		i := 0
		for i < len(text) && text[i] != ':' {
			i++
		}
		if i > 0 {
			tags = append(tags, text[:i])
		}
		if i == len(text) {
			return slices.Clip(tags)
		}
		text = text[i+1:]
	}
}
