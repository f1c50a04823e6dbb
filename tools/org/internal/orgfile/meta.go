package orgfile

import (
	"bytes"
)

// Meta is what stands between a heading line and the entry's text.
type Meta struct {
	Planning Span // the planning line, without its line break
	Drawer   Span // the property drawer, to the end of ":END:"
	Body     int  // the first byte behind them
}

// ParseMeta reads the planning line and the property drawer that start at the
// line at at, which is the one below a heading.
func ParseMeta(src []byte, at int, crlf bool, s *Settings) Meta {
	m := Meta{Body: at}
	if at >= len(src) {
		return m
	}
	if end, next := lineAt(src, at, crlf); isPlanning(src[at:end]) {
		m.Planning = Span{int32(at), int32(end)}
		m.Body, at = next, next
	}
	if d := propertyDrawer(src, at, crlf, s); !d.Empty() {
		m.Drawer = d
		_, m.Body = lineAt(src, int(d.End), crlf)
	}
	return m
}

// ParseFileMeta reads the property drawer of a whole file from text without byte
// order mark and with LF as line breaks. Body is where it starts or would stand.
func ParseFileMeta(src []byte, s *Settings) Meta {
	at := SkipComments(src, 0)
	return Meta{Drawer: propertyDrawer(src, at, false, s), Body: at}
}

// lineAt returns where the line that starts at at ends, and where the next one
// starts.
func lineAt(src []byte, at int, crlf bool) (end, next int) {
	i := bytes.IndexByte(src[at:], '\n')
	if i < 0 {
		return len(src), len(src)
	}
	end = at + i
	if crlf && end > at && src[end-1] == '\r' {
		end--
	}
	return end, at + i + 1
}

var planningWords = [][]byte{[]byte("CLOSED:"), []byte("DEADLINE:"), []byte("SCHEDULED:")}

func isPlanning(line []byte) bool {
	line = line[skipBlanks(line, 0):]
	for _, w := range planningWords {
		if bytes.HasPrefix(line, w) {
			return true
		}
	}
	return false
}

// IsPlanningLine says whether a line, below a heading, is a planning line.
func IsPlanningLine(line []byte) bool { return isPlanning(line) }

// propertyDrawer returns the span of the property drawer that starts at the line
// at at. Each of its lines must be a property; if one is not, there is no
// property drawer.
func propertyDrawer(src []byte, at int, crlf bool, s *Settings) Span {
	if at >= len(src) {
		return Span{}
	}
	end, next := lineAt(src, at, crlf)
	if !isFold(trimBlanks(src[at:end]), ":PROPERTIES:") {
		return Span{}
	}
	for line := next; line < len(src); {
		end, next = lineAt(src, line, crlf)
		text := trimBlanks(src[line:end])
		if isFold(text, ":END:") {
			return Span{int32(at), int32(end)}
		}
		if propertyKey(text, s.Quirks) == 0 {
			return Span{}
		}
		line = next
	}
	return Span{}
}

// propertyKey returns the length of ":KEY:" at the start of a line without blanks
// around it, or 0. What follows it must be a blank; Org 9.5 takes a space only.
func propertyKey(line []byte, q Quirks) int {
	if len(line) < 3 || line[0] != ':' {
		return 0
	}
	word := bytes.IndexAny(line, " \t")
	if word < 0 {
		word = len(line)
	}
	if word < 3 || line[word-1] != ':' || q == Org95 && word < len(line) && line[word] == '\t' && !onlyBlanks(line[word:]) {
		return 0
	}
	return word
}

func onlyBlanks(b []byte) bool { return len(trimBlanks(b)) == 0 }

func isFold(b []byte, upper string) bool {
	return len(b) == len(upper) && bytes.EqualFold(b, []byte(upper))
}

// SkipComments returns the start of the first line at or after at that is no
// comment ("# text", or "#" without more).
func SkipComments(src []byte, at int) int {
	for at < len(src) {
		end, next := lineAt(src, at, true)
		line := src[at:end]
		if len(line) == 0 || line[0] != '#' || len(line) > 1 && !isBlank(line[1]) {
			return at
		}
		at = next
	}
	return at
}
