package orgfile

import "bytes"

// A PlanningKind is one of the words of a planning line.
type PlanningKind string

// The words of a planning line.
const (
	Closed    PlanningKind = "CLOSED"
	Deadline  PlanningKind = "DEADLINE"
	Scheduled PlanningKind = "SCHEDULED"
)

// PlanningTime returns the timestamp that follows kind's word on headline i's
// planning line, with its brackets. Of several the last counts.
func (f *File) PlanningTime(i int, kind PlanningKind) Span {
	p := f.Headlines[i].Planning
	if p.Empty() {
		return Span{}
	}
	line := f.Source[p.Start:p.End]
	var found Span
	for _, item := range PlanningItems(line) {
		if item.Kind != kind {
			continue
		}
		found = Span{}
		if n := TimestampLength(line[item.Stamp:]); n > 0 {
			found = Span{p.Start + item.Stamp, p.Start + item.Stamp + int32(n)}
		}
	}
	return found
}

// A PlanningItem is a word of a planning line with what stands in brackets
// behind it.
type PlanningItem struct {
	Kind  PlanningKind
	Word  int32 // offset of the word
	Stamp int32 // offset of the opening bracket
	End   int32 // behind the closing bracket
}

// PlanningItems returns the items of a planning line. The brackets may hold
// anything.
func PlanningItems(line []byte) []PlanningItem {
	var out []PlanningItem
	for at := 0; at < len(line); {
		kind, n := planningWord(line, at)
		if n == 0 {
			at++
			continue
		}
		open := at + n
		for open < len(line) && line[open] == ' ' {
			open++
		}
		if open >= len(line) || line[open] != '<' && line[open] != '[' {
			at += n
			continue
		}
		end := bytes.IndexAny(line[open:], "]>")
		if end < 2 {
			at += n
			continue
		}
		out = append(out, PlanningItem{kind, int32(at), int32(open), int32(open + end + 1)})
		at = open + end + 1
	}
	return out
}

func planningWord(line []byte, at int) (PlanningKind, int) {
	if at > 0 && isWordByte(line[at-1]) {
		return "", 0
	}
	for _, w := range planningWords {
		if bytes.HasPrefix(line[at:], w) {
			return PlanningKind(w[:len(w)-1]), len(w)
		}
	}
	return "", 0
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c >= 0x80
}

// TimestampLength returns the length of the timestamp at the start of text, with
// a second one joined by "--", or 0 if there is none.
func TimestampLength(text []byte) int {
	n := singleTimestamp(text)
	if n == 0 {
		return 0
	}
	if rest := text[n:]; len(rest) > 3 && rest[0] == '-' && rest[1] == '-' && (rest[2] == '<' || rest[2] == '[') {
		if i := bytes.IndexAny(rest[3:], "]>\n"); i >= 0 && rest[3+i] != '\n' {
			return n + 3 + i + 1
		}
	}
	return n
}

// singleTimestamp returns the length of one "<...>" or "[...]".
func singleTimestamp(text []byte) int {
	if len(text) < 3 || text[0] != '<' && text[0] != '[' {
		return 0
	}
	if bytes.HasPrefix(text, []byte("<%%(")) {
		if i := bytes.IndexAny(text, ">\n"); i > 0 && text[i] == '>' && text[i-1] == ')' {
			return i + 1
		}
		return 0
	}
	if !isDate(text[1:]) || len(text) < 12 || text[11] != ' ' && text[11] != '>' && text[11] != ']' {
		return 0
	}
	if i := bytes.IndexAny(text, "]>\n"); i > 0 && text[i] != '\n' {
		return i + 1
	}
	return 0
}

// isDate says whether text starts with YYYY-MM-DD.
func isDate(text []byte) bool {
	if len(text) < 10 {
		return false
	}
	for i, c := range text[:10] {
		if i == 4 || i == 7 {
			if c != '-' {
				return false
			}
		} else if !isDigit(c) {
			return false
		}
	}
	return true
}
