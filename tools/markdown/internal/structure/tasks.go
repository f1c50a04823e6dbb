package structure

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Task is a line with a box to tick, or a block of Logseq with a word such as TODO.
type Task struct {
	Start, End int    // offsets of its line
	Mark       int    // of the State
	State      string // the character in the box, or the word
	Word       bool
	Done       bool   // or cancelled
	Text       string // after the box or the word
	Line       int
	Planning   string // of a block: its lines SCHEDULED and DEADLINE
}

// Written is the task with its state, as the page has it.
func (t Task) Written() string {
	if t.Word {
		return strings.TrimSpace(t.State + " " + t.Text)
	}
	return "[" + t.State + "] " + t.Text
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
	for i, l := range lines {
		if l.Code || l.Raw {
			continue
		}
		line := text[l.Start:l.End]
		if l.graph {
			if t, ok := readMarker(text, l); ok {
				t.Planning = planningBelow(text, lines[i+1:])
				all = append(all, t)
				continue
			}
		}
		if !hasBox(line) { // faster than asking the expression
			continue
		}
		m := taskLine.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		t := Task{Start: l.Start, End: l.End, Mark: l.Start + m[2], State: line[m[2]:m[3]], Line: l.Number}
		t.Done = strings.ContainsAny(t.State, "xX-")
		if m[4] >= 0 {
			t.Text = line[m[4]:m[5]]
		}
		all = append(all, t)
	}
	return all
}
