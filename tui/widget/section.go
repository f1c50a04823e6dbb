package pane

import (
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Section is a titled part of a pane.
type Section struct {
	Title string // plain
	Note  string // plain, at the right end of the title's line
	Min   int    // rows below which it is of no use
	Ideal int    // rows that show all of it
	// Rows draws at most h painted rows of at most w cells.
	Rows func(w, h int) []string
}

// Below these a pane has no room for frames.
const (
	FramedWidth  = 60
	framedHeight = 16
)

// From this width on there are two columns.
const WideWidth = 110

// ScreenReaderHeight is the height from which on a pane is no screen but read from top
// to bottom, as by a screen reader: one column, without borders.
const ScreenReaderHeight = 1000

// Framed reports whether sections of a pane this big have a border all around
// or a line with their title only.
func Framed(w, h int) bool { return w >= FramedWidth && h >= framedHeight && h < ScreenReaderHeight }

// Stack draws sections one below the other in exactly h lines of w cells. All
// get what they need, then in turn a row more until they have what they want;
// what is left over goes to the last. Sections at the end that do not fit are
// left out.
func Stack(t theme.Theme, w, h int, frame bool, sections ...Section) []string {
	extra := 1
	if frame {
		extra = 2
	}
	rows, left := make([]int, 0, len(sections)), h
	for _, s := range sections {
		if left < s.Min+extra {
			break
		}
		rows, left = append(rows, s.Min), left-s.Min-extra
	}
	for more := true; more && left > 0; {
		more = false
		for i := range rows {
			if left > 0 && rows[i] < sections[i].Ideal {
				rows[i], left, more = rows[i]+1, left-1, true
			}
		}
	}
	if len(rows) > 0 {
		rows[len(rows)-1] += left
	}
	lines := make([]string, 0, h)
	for i, n := range rows {
		lines = append(lines, sections[i].draw(t, w, n, frame)...)
	}
	for len(lines) < h {
		lines = append(lines, theme.Spaces(w))
	}
	return lines
}

// Columns draws two columns of sections, each h lines high.
func Columns(t theme.Theme, w, h int, left, right []Section) []string {
	lw := w / 2
	a, b := Stack(t, lw, h, true, left...), Stack(t, w-lw, h, true, right...)
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func (s Section) draw(t theme.Theme, w, h int, frame bool) []string {
	if frame {
		return box(t, s.Title, s.Note, w, s.Rows(w-4, h), h)
	}
	head, tail := t.Strong.Cut(s.Title, w-1)+" ", ""
	if room := w - theme.Width(head) - 3; s.Note != "" && room > 8 {
		tail = " " + t.Dim.Cut(s.Note, room)
	}
	head += t.Line.Text(strings.Repeat("─", max(0, w-theme.Width(head)-theme.Width(tail)))) + tail
	return append([]string{theme.Fit(head, w)}, PadRows(s.Rows(w, h), w, h)...)
}

// box draws rows in a frame of w cells, h rows high inside, with the title on
// its upper edge.
func box(t theme.Theme, title, note string, w int, rows []string, h int) []string {
	head := t.Line.Text("╭─ ") + t.Strong.Cut(title, w-6) + " "
	tail := t.Line.Text("─╮")
	if room := w - theme.Width(head) - 5; note != "" && room > 4 {
		tail = " " + t.Dim.Cut(note, room) + t.Line.Text(" ─╮")
	}
	lines := make([]string, 0, h+2)
	rule := strings.Repeat("─", max(0, w-theme.Width(head)-theme.Width(tail)))
	lines = append(lines, head+t.Line.Text(rule)+tail)
	edge := t.Line.Text("│")
	for _, row := range PadRows(rows, w-4, h) {
		lines = append(lines, edge+" "+row+" "+edge)
	}
	return append(lines, t.Line.Text("╰"+strings.Repeat("─", max(0, w-2))+"╯"))
}

// PadRows makes painted lines h in number and w cells wide.
func PadRows(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = theme.Fit(lines[i], w)
		} else {
			out[i] = theme.Spaces(w)
		}
	}
	return out
}

// TruncateRows returns the first h rows, and where there are more says so in the last.
func TruncateRows(t theme.Theme, rows []string, h int) []string {
	if len(rows) <= h || h < 1 {
		return rows
	}
	if h == 1 {
		return []string{rows[0] + t.Dim.Text(" … and "+strconv.Itoa(len(rows)-1)+" more")}
	}
	rest := strconv.Itoa(len(rows) - h + 1)
	return append(rows[:h-1:h-1], t.Dim.Text("  … "+rest+" more"))
}

// VisibleRange returns which of n rows are drawn in h lines so that the row of the
// cursor is among them: a function of its arguments, so that a pane need not
// remember where it was scrolled to.
func VisibleRange(n, cursor, h int) (from, to int) {
	from = min(max(0, cursor-h/2), max(0, n-h))
	return from, min(n, from+h)
}
