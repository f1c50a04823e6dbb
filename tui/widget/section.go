package widget

import (
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Section is a titled part of a pane.
type Section struct {
	Title     string     // plain
	Note      string     // plain, at the right end of the title's line
	NoteParts []NotePart // instead of Note
	Min       int        // rows below which it is of no use
	Preferred int        // rows that show all of it
	// Rows draws at most h painted rows of at most w cells.
	Rows func(w, h int) []string
}

// Smaller panes have no room for borders.
const (
	MinFramedWidth  = 60
	minFramedHeight = 16
)

// WideWidth is the width from which panes have two columns.
const WideWidth = 110

// ScreenReaderHeight is the height of a pane that is read aloud from top to
// bottom: it has one column and no borders.
const ScreenReaderHeight = 1000

// MessageSection returns a section that shows rows and nothing else.
func MessageSection(title string, rows ...string) Section {
	return Section{Title: title, Min: 1, Preferred: len(rows), Rows: func(int, int) []string { return rows }}
}

// IsFramed reports whether sections of a pane this big have a border all around,
// rather than only a line with their title.
func IsFramed(w, h int) bool {
	return w >= MinFramedWidth && h >= minFramedHeight && h < ScreenReaderHeight
}

// InsideSize is the room inside one section that fills w by h cells.
func InsideSize(w, h int) (int, int) {
	if IsFramed(w, h) {
		return w - 4, max(1, h-2)
	}
	return w, max(1, h-1)
}

// Stack draws sections one below the other in exactly h lines of w cells. Each
// gets its Min, then in turn one more row up to its Ideal; the last one gets
// the rest. Sections at the end that do not fit are left out.
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
			if left > 0 && rows[i] < sections[i].Preferred {
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

// ListWithDetail draws a list and what is said of its selected row: side by side
// where there is room, else one below the other, with at most listRows rows of
// the list.
func ListWithDetail(t theme.Theme, w, h, listRows int, list, detail Section) []string {
	if IsFramed(w, h) && w >= WideWidth {
		return Columns(t, w, h, []Section{list}, []Section{detail})
	}
	list.Preferred = list.rowCountWithin(listRows)
	return Stack(t, w, h, IsFramed(w, h), list, detail)
}

// InsideDetailSize is the room inside the detail that [ListWithDetail] draws.
func InsideDetailSize(w, h, listRows int, list Section) (int, int) {
	inner, room := InsideSize(w, h)
	if IsFramed(w, h) && w >= WideWidth {
		return inner - w/2, room
	}
	return inner, max(1, room-list.rowCountWithin(listRows)-(h-room))
}

// rowCountWithin is how many rows s gets of most.
func (s Section) rowCountWithin(most int) int { return max(s.Min, min(s.Preferred, most)) }

func (s Section) draw(t theme.Theme, w, h int, frame bool) []string {
	if frame {
		return s.drawBox(t, w, h)
	}
	head, tail := t.Strong.Cut(s.Title, w-1)+" ", ""
	room := w - theme.Width(head) - 3
	if note := s.noteText(room); note != "" && room > 8 {
		tail = " " + t.Dim.Cut(note, room)
	}
	head += t.Line.Text(strings.Repeat("─", max(0, w-theme.Width(head)-theme.Width(tail)))) + tail
	return append([]string{theme.Fit(head, w)}, PadRows(s.Rows(w, h), w, h)...)
}

// drawBox draws s in a frame of w cells, h rows high inside, with the title on its
// upper edge.
func (s Section) drawBox(t theme.Theme, w, h int) []string {
	rows := s.Rows(w-4, h)
	head := t.Line.Text("╭─ ") + t.Strong.Cut(s.Title, w-6) + " "
	tail := t.Line.Text("─╮")
	room := w - theme.Width(head) - 5
	if note := s.noteText(room); note != "" && room > 4 {
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

// PadRows returns exactly h of the painted lines, each w cells wide.
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

// TruncateRows returns the first h rows; if there are more, the last one says how
// many.
func TruncateRows(t theme.Theme, rows []string, h int) []string {
	return FirstRows(t, len(rows), h, func(i int) string { return rows[i] })
}

// FirstRows draws the first h of n rows; if there are more, the last one says how
// many.
func FirstRows(t theme.Theme, n, h int, row func(i int) string) []string {
	rows := make([]string, 0, n)
	for i := range n {
		switch {
		case n <= h || h < 1 || i < h-1:
			rows = append(rows, row(i))
		case h == 1:
			return []string{row(0) + t.Dim.Text(" … and "+strconv.Itoa(n-1)+" more")}
		default:
			return append(rows, t.Dim.Text("  … "+strconv.Itoa(n-i)+" more"))
		}
	}
	return rows
}

// VisibleRows draws those of n rows around the cursor that h lines hold, each
// to click on. The row of the cursor is drawn in a theme of its own.
func VisibleRows(t theme.Theme, n, cursor, h int, row func(t theme.Theme, i int) string) []string {
	from, to := VisibleRange(n, cursor, h)
	rows := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		style := t
		if i == cursor {
			style = t.ForSelectedRow()
		}
		rows = append(rows, t.MarkRowRegion(i, row(style, i)))
	}
	return rows
}

// FillRow fills a painted row up to w cells, on the background of t.
func FillRow(t theme.Theme, painted string, w int) string {
	if room := w - theme.Width(painted); room > 0 {
		return painted + t.Text.Fit("", room)
	}
	return theme.Fit(painted, w)
}

// MarkScrollRegions marks rows as text that the mouse wheel scrolls by itself.
func MarkScrollRegions(t theme.Theme, rows []string, w int) []string {
	for i := range rows {
		rows[i] = t.MarkScrollRegion(theme.Fit(rows[i], w))
	}
	return rows
}

// PropertyRow is a label of label cells and a value.
func PropertyRow(t theme.Theme, label int, name, value string) string {
	return t.Dim.Fit(name, label) + t.Text.Text(value)
}

// PropertyRows is [PropertyRow] with a value that may take up to three rows of w
// cells; none if it is empty.
func PropertyRows(t theme.Theme, label int, name, value string, w int) []string {
	if value == "" {
		return nil
	}
	rows := t.Text.Wrap(value, max(1, w-label))
	if len(rows) > 3 {
		rows = append(rows[:2:2], t.Dim.Text("…"))
	}
	for i := range rows {
		rows[i] = theme.Fit(t.Dim.Fit(name, label)+rows[i], w)
		name = ""
	}
	return rows
}
