// Package structure finds what a page is made of: its lines and which of them are
// code, its blocks and their ids, headings with their sections, and tasks. It reads
// line by line, opens and closes blocks as CommonMark does, knows tables, comments
// and display maths besides, and changes nothing.
//
// Only tools/markdown and its link scanner import it. Start reading at [Read].
package structure

import "strings"

// A Line is a line of a page.
type Line struct {
	Start, End int // byte offsets in the text; End is that of the line break
	Number     int // from 1
	Code       bool
	// Raw: it is in HTML, in a comment or in display maths, where marks of Markdown
	// mean nothing.
	Raw bool
	// level is that of the heading which the line is, or underlines; 0: none. Headings
	// in quotes and behind a list marker have no section.
	level int8
	above int // how many lines the heading has above the one that underlines it
}

// A Page is the lines and blocks of a text.
type Page struct {
	Text   string
	Lines  []Line  // those after the front matter
	Blocks []Block // in the order in which they begin
}

// Read reads text from the byte offset body.
func Read(text string, body int) Page {
	s := scanner{text: text, record: true}
	lines := s.lines(body)
	return Page{text, lines, s.blocks}
}

// Lines are the lines of text from the byte offset body. A fence is code too.
func Lines(text string, body int) []Line {
	s := scanner{text: text}
	return s.lines(body)
}

func (s *scanner) lines(body int) []Line {
	all := make([]Line, 0, strings.Count(s.text[body:], "\n")+1)
	number := strings.Count(s.text[:body], "\n") + 1
	for at := body; at < len(s.text); number++ {
		end := strings.IndexByte(s.text[at:], '\n')
		if end < 0 {
			end = len(s.text) - at
		}
		end += at
		s.start, s.index = at, len(all)
		l := s.scan(s.text[at:end])
		l.Start, l.End, l.Number = at, end, number
		all = append(all, l)
		at = end + 1
	}
	return all
}
