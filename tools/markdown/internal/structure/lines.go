// Package structure finds what a page is made of: its lines and which of them are
// code, headings with their sections, blocks with ids, and tasks. It reads line by
// line, knows as much of Markdown as that takes, and changes nothing.
//
// Only tools/markdown and its link scanner import it. Start reading at [Lines].
package structure

import (
	"iter"
	"slices"
	"strings"
)

// A Line is a line of a page.
type Line struct {
	Start, End int // byte offsets in the text; End is that of the line break
	Number     int // from 1
	Code       bool
}

// Lines are the lines of text from the byte offset body. A fence is code too.
func Lines(text string, body int) []Line {
	return slices.AppendSeq(make([]Line, 0, strings.Count(text[body:], "\n")+1), Each(text, body))
}

// Each yields what [Lines] returns.
func Each(text string, body int) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		number, state := strings.Count(text[:body], "\n")+1, codeState{}
		for at := body; at < len(text); number++ {
			end := strings.IndexByte(text[at:], '\n')
			if end < 0 {
				end = len(text) - at
			}
			if !yield(Line{at, at + end, number, state.isCode(text[at : at+end])}) {
				return
			}
			at += end + 1
		}
	}
}

// A codeState tracks whether a line is in fenced or indented code.
type codeState struct {
	fence     string // the backticks or tildes that opened a code block
	quoted    bool   // it stands in a block quote
	base      int    // the column from which it may be indented
	lists     []int  // columns of the contents of the lists that are open
	paragraph bool   // the line before may be continued
	until     string // the end of a comment or display maths, in which a fence is none
}

func (s *codeState) isCode(line string) bool {
	rest := strings.Trim(line, " \t\r")
	quoted := strings.HasPrefix(rest, ">")
	indent := column(line[:len(line)-len(strings.TrimLeft(line, " \t"))])
	switch {
	case s.fence != "" && s.inFence(rest, quoted, indent):
		return true
	case s.inComment(rest):
		return false
	case rest == "":
		s.paragraph = false
		return false
	}
	base := s.leaveLists(rest, quoted, indent)
	if !s.paragraph && indent >= base+4 {
		return true
	}
	for marker := itemMarker(rest); marker > 0; marker = itemMarker(rest) {
		content := strings.TrimLeft(rest[marker:], " \t")
		gap := len(rest) - marker - len(content)
		if gap > 4 || content == "" {
			gap = 1
		}
		indent += marker + gap
		s.lists = append(s.lists, indent)
		rest, base = content, indent
	}
	inner := strings.TrimLeft(rest, "> \t")
	if fence := fenceOf(inner); fence != "" {
		s.fence, s.quoted, s.base, s.paragraph = fence, quoted, base, false
		return true
	}
	s.paragraph = inner != "" && !isHeading(inner) && !isRule(inner)
	return false
}

// inFence reports whether a line is in the fenced code that is open, or ends it.
func (s *codeState) inFence(rest string, quoted bool, indent int) bool {
	if !quoted && s.quoted || rest != "" && indent < s.base {
		s.fence = "" // what holds it has ended
		return false
	}
	inner := strings.TrimLeft(rest, "> \t")
	if strings.HasPrefix(inner, s.fence) && strings.Trim(inner, s.fence[:1]) == "" {
		s.fence = ""
	}
	return true
}

// spanning are what comments and display maths of several lines begin and end with.
var spanning = [][2]string{{"<!--", "-->"}, {"%%", "%%"}, {"$$", "$$"}}

// inComment reports whether a line is in a comment or display maths, or begins one.
func (s *codeState) inComment(rest string) bool {
	if s.until != "" {
		if strings.Contains(rest, s.until) {
			s.until = ""
		}
		return true
	}
	for _, span := range spanning {
		if after, ok := strings.CutPrefix(rest, span[0]); ok && !strings.Contains(after, span[1]) {
			s.until, s.paragraph = span[1], false
			return true
		}
	}
	return false
}

// leaveLists ends the lists that a line does not belong to, and returns the column of
// the innermost that it does.
func (s *codeState) leaveLists(rest string, quoted bool, indent int) int {
	continues := s.paragraph && itemMarker(rest) == 0 && !quoted && fenceOf(rest) == "" && !isHeading(rest) && !isRule(rest)
	for n := len(s.lists); n > 0 && indent < s.lists[n-1] && !continues; n-- {
		s.lists = s.lists[:n-1]
	}
	if n := len(s.lists); n > 0 {
		return s.lists[n-1]
	}
	return 0
}

// EndsParagraph reports whether a line cannot belong to the paragraph above it.
func EndsParagraph(line string) bool {
	rest := strings.TrimSpace(line)
	return rest == "" || isHeading(rest) || isRule(rest) || fenceOf(rest) != "" || itemMarker(rest) > 0
}

// column is the width of leading blanks, of which a tab reaches to the next multiple
// of four.
func column(blanks string) (n int) {
	for _, c := range blanks {
		n++
		if c == '\t' {
			n += (4 - n%4) % 4
		}
	}
	return n
}

// itemMarker is the length of the list marker that line begins with; 0: none.
func itemMarker(line string) int {
	digits := 0
	for digits < len(line) && digits < 9 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	switch {
	case line == "" || isRule(line):
		return 0
	case digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')'):
		digits++
	case digits == 0 && strings.IndexByte("-*+", line[0]) >= 0:
		digits = 1
	default:
		return 0
	}
	if digits < len(line) && line[digits] != ' ' && line[digits] != '\t' {
		return 0
	}
	return digits
}

// fenceOf is the run of backticks or tildes that opens fenced code; empty: none.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		run := len(line) - len(strings.TrimLeft(line, mark))
		if run >= 3 && (mark == "~" || !strings.Contains(line[run:], "`")) {
			return line[:run]
		}
	}
	return ""
}

// isRule reports a thematic break, such as "---" or "* * *".
func isRule(line string) bool {
	for _, mark := range []string{"-", "*", "_"} {
		if strings.Count(line, mark) >= 3 && strings.Trim(line, mark+" \t") == "" {
			return true
		}
	}
	return false
}

func isHeading(line string) bool { level, _ := atxHeading(line); return level > 0 }
