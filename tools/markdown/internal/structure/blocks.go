package structure

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Block is a paragraph or list item that others refer to by its id.
type Block struct {
	ID         string
	Start, End int // offsets of its lines; End is that of the last line break
	Mark       int // offset of the id's caret
	Line       int // of the id
}

var blockID = regexp.MustCompile(`(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t\r]*$`)

// Blocks are the blocks of a page that have an id. An id alone on its line belongs to
// the block above.
func Blocks(text string, lines []Line) []Block {
	var all []Block
	for i, l := range lines {
		if l.Code {
			continue
		}
		m := blockID.FindStringSubmatchIndex(text[l.Start:l.End])
		if m == nil {
			continue
		}
		b := Block{ID: text[l.Start+m[2] : l.Start+m[3]], Mark: l.Start + m[2] - 1, End: l.End, Line: l.Number}
		last := i
		if strings.TrimSpace(text[l.Start:b.Mark]) == "" {
			for last > 0 && (last == i || isBlank(text, lines[last])) {
				last--
			}
		}
		b.Start = lines[firstOfBlock(text, lines, last)].Start
		all = append(all, b)
	}
	return all
}

func isBlank(text string, l Line) bool { return strings.TrimSpace(text[l.Start:l.End]) == "" }

// firstOfBlock is the first line of the paragraph or list item with line i.
func firstOfBlock(text string, lines []Line, i int) int {
	for ; i > 0; i-- {
		here, above := strings.TrimLeft(text[lines[i].Start:lines[i].End], " \t>"), strings.TrimLeft(text[lines[i-1].Start:lines[i-1].End],
			" \t>")
		if itemMarker(here) > 0 || isHeading(here) || strings.TrimSpace(above) == "" || isHeading(above) || lines[i-1].Code != lines[i].Code {
			break
		}
	}
	return i
}

// A Task is a line with a box to tick.
type Task struct {
	Start, End int // offsets of its line
	Mark       int // of the character in the box
	Done       bool
	Text       string // after the box
	Line       int
}

var taskLine = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\[\]\n])\](?:[ \t]+(.*?))?[ \t\r]*$`)

// hasBox reports whether the first bracket of a line opens a box of one character.
func hasBox(line string) bool {
	_, box, found := strings.Cut(line, "[")
	_, size := utf8.DecodeRuneInString(box)
	return found && strings.HasPrefix(box[size:], "]")
}

// Tasks are the tasks of a page, in order.
func Tasks(text string, lines []Line) []Task {
	var all []Task
	for _, l := range lines {
		if l.Code {
			continue
		}
		line := text[l.Start:l.End]
		if !hasBox(line) { // faster than asking the expression
			continue
		}
		m := taskLine.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		t := Task{Start: l.Start, End: l.End, Mark: l.Start + m[2], Line: l.Number, Done: strings.ContainsAny(line[m[2]:m[3]], "xX")}
		if m[4] >= 0 {
			t.Text = line[m[4]:m[5]]
		}
		all = append(all, t)
	}
	return all
}
