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
	graph bool
}

// A Page is the lines and blocks of a text.
type Page struct {
	Text   string
	Lines  []Line  // those after the front matter
	Blocks []Block // in the order in which they begin
	graph  bool
}

// Read reads text from the byte offset body.
func Read(text string, body int) Page {
	s := scanner{text: text, record: true}
	lines := s.lines(body)
	return Page{Text: text, Lines: lines, Blocks: s.blocks}
}

// Lines are the lines of text from the byte offset body. A fence is code too.
func Lines(text string, body int) []Line {
	s := scanner{text: text}
	return s.lines(body)
}

// ReadGraph is [Read] for a page of a Logseq graph, where a bullet begins a block however it
// is indented, a block may be a heading, and words such as TODO make it a task.
func ReadGraph(text string, body int) Page {
	s := scanner{text: text, record: true, graph: true}
	lines := s.lines(body)
	return Page{Text: text, Lines: lines, Blocks: s.blocks, graph: true}
}

// Reread reads what the page is after an edit.
func (p Page) Reread(text string, body int) Page {
	if p.graph {
		return ReadGraph(text, body)
	}
	return Read(text, body)
}

// GraphLines is [Lines] for a page of a Logseq graph.
func GraphLines(text string, body int) []Line {
	s := scanner{text: text, graph: true}
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
		l.Start, l.End, l.Number, l.graph = at, end, number, s.graph
		all = append(all, l)
		at = end + 1
	}
	return all
}
