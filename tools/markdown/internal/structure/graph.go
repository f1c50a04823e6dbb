package structure

import (
	"regexp"
	"strings"
)

// cutBullet is how far a line of a graph is indented, and where what follows its bullet
// begins; 0: it has none.
func cutBullet(line string) (indent, rest int) {
	blanks := len(line) - len(strings.TrimLeft(line, " \t"))
	if itemMarker(line[blanks:]) != 1 {
		return 0, 0
	}
	rest = blanks + 1
	return column(line[:blanks]), rest + len(line[rest:]) - len(strings.TrimLeft(line[rest:], " \t"))
}

// withoutBullet is a line, of a graph without the bullet of the block that it begins.
func (l Line) withoutBullet(text string) string {
	line := text[l.Start:l.End]
	if !l.graph {
		return line
	}
	_, rest := cutBullet(line)
	return line[rest:]
}

// endWithBlocks ends sections that are headings of blocks: with the blocks below one if it
// has any, or else before the next block that is less indented.
func endWithBlocks(text string, lines []Line, headings []Heading) {
	if len(lines) == 0 || !lines[0].graph {
		return
	}
	for i := range headings {
		h := &headings[i]
		at := h.Line - lines[0].Number
		indent, bullet := cutBullet(text[lines[at].Start:lines[at].End])
		if bullet == 0 {
			continue
		}
		holds := false
		for _, l := range lines[at+1:] {
			if l.Start >= h.End {
				break
			}
			other, bullet := cutBullet(text[l.Start:l.End])
			if bullet == 0 || l.Code {
				continue
			}
			if other < indent || other == indent && holds {
				h.End = l.Start
				break
			}
			holds = holds || other > indent
		}
	}
}

// marker is the word with which a block of Logseq is a task; it may be a heading too.
var marker = regexp.MustCompile(
	`^(?:#{1,6} +)?(TODO|DOING|LATER|NOW|DONE|WAITING|WAIT|CANCELLED|CANCELED|IN-PROGRESS)(?: +(.*?))?[ \t\r]*$`)

// readMarker reads a block that is a task.
func readMarker(text string, l Line) (t Task, ok bool) {
	line := text[l.Start:l.End]
	_, rest := cutBullet(line)
	if rest == 0 {
		return t, false
	}
	m := marker.FindStringSubmatchIndex(line[rest:])
	if m == nil {
		return t, false
	}
	t = Task{Start: l.Start, End: l.End, Line: l.Number, Mark: l.Start + rest + m[2], State: line[rest+m[2] : rest+m[3]], Word: true}
	t.Done = t.State == "DONE" || strings.HasPrefix(t.State, "CANCEL")
	if m[4] >= 0 {
		t.Text = line[rest+m[4] : rest+m[5]]
	}
	return t, true
}

// planning is a date of a task, on a line of its block.
var planning = regexp.MustCompile(`^(?:SCHEDULED|DEADLINE): +<[^<>]*>$`)

// IsPlanning reports whether a line of a block is a date of its task.
func IsPlanning(line string) bool { return planning.MatchString(strings.TrimSpace(line)) }

// planningBelow are the dates of a task on the lines below its first, with blanks between.
func planningBelow(text string, below []Line) string {
	var dates []string
	for _, l := range below {
		line := text[l.Start:l.End]
		if _, bullet := cutBullet(line); bullet > 0 || l.Code {
			break
		}
		if IsPlanning(line) {
			dates = append(dates, strings.TrimSpace(line))
		}
	}
	return strings.Join(dates, " ")
}
