package pane

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// View implements [Pane].
func (p Changes) View(t theme.Theme, w, h int) string {
	line := 0
	if p.refusing != "" {
		line = 1
	}
	lines := p.sections(t, w, h-line)
	if line == 1 {
		lines = append(lines, theme.Fill(t.Key.Text(" why not? ")+p.reason.View(t, w-11, true, "the agent reads it; may be empty"), w))
	}
	return strings.Join(lines, "\n")
}

func (p Changes) sections(t theme.Theme, w, h int) []string {
	frame := framed(w, h)
	side := p.side(t)
	switch {
	case p.len() == 0:
		return stack(t, w, h, frame, p.nothing(t))
	case p.open || h < 8:
		if !p.open {
			return stack(t, w, h, frame, p.list(t))
		}
		return stack(t, w, h, frame, side)
	case frame && w >= wideWidth:
		return beside(t, w, h, []section{p.list(t)}, []section{side})
	default:
		list := p.list(t)
		list.want = min(list.want, max(list.need, p.share(h)))
		return stack(t, w, h, frame, list, side)
	}
}

// inside is the room for the text of the selected in a pane of w by h cells,
// as sections lays it out.
func (p Changes) inside(w, h int) (int, int) {
	if p.refusing != "" {
		h--
	}
	frame, edge := framed(w, h), 1
	if frame {
		edge = 2
	}
	switch {
	case p.open || frame && w >= wideWidth:
	default:
		list := p.list(theme.Theme{})
		h -= max(list.need, min(list.want, max(list.need, p.share(h)))) + edge
	}
	if frame && !p.open && w >= wideWidth {
		w -= w / 2
	}
	if frame {
		w -= 4
	}
	return w, max(1, h-edge-len(p.facts(theme.Theme{}, w)))
}

// share is how many of h rows the list may take: what waits is to be read.
func (p Changes) share(h int) int {
	if p.at.waits {
		return h/3 - 1
	}
	return h/2 - 2
}

func (p Changes) nothing(t theme.Theme) section {
	return section{title: "Changes", need: 1, want: 3, rows: func(w, _ int) []string {
		switch {
		case p.book.err != nil:
			return t.Bad.Wrapped("✗ The journal cannot be read: "+p.book.err.Error(), w)
		case !Running(p.snap):
			return t.Dim.Wrapped("No hub runs, so nothing waits. Its journal is read when it runs.", w)
		case p.book.known != p.book.turn:
			return []string{t.Dim.Text("Reading the journal …")}
		default:
			return t.Dim.Wrapped("No agent has written anything, and nothing waits for you. "+
				"What agents write is listed here, with the difference, and can be undone. What needs your word waits here too.", w)
		}
	}}
}

// list is what waits and what was written, with a heading for each session.
func (p Changes) list(t theme.Theme) section {
	waiting, n := len(p.snap.Approvals), p.len()
	title := titled("Changes", p.book.len())
	if p.book.more {
		title += "+"
	}
	note := ""
	if waiting > 0 {
		note = fmt.Sprintf("%d waiting", waiting)
	}
	if p.book.err != nil {
		note = "the journal cannot be read: " + p.book.err.Error()
	}
	rows, cursor := p.rows()
	return section{title: title, note: note, need: min(4, n+1), want: len(rows), rows: func(w, h int) []string {
		from, to := window(len(rows), cursor, h)
		drawn := make([]string, 0, h)
		for _, r := range rows[from:to] {
			drawn = append(drawn, p.row(t, r, w))
		}
		return drawn
	}}
}

// A changesRow is the row of what stands at a position, or the heading above it.
type changesRow struct {
	i       int
	heading bool
}

// rows are all rows of the list, and which of them is selected.
func (p Changes) rows() (rows []changesRow, cursor int) {
	waiting, n, at := len(p.snap.Approvals), p.len(), p.position()
	rows = make([]changesRow, 0, n+16)
	for i := range n {
		if i == 0 && waiting > 0 || i >= waiting && p.book.begins(i-waiting) {
			rows = append(rows, changesRow{i, true})
		}
		if i == at {
			cursor = len(rows)
		}
		rows = append(rows, changesRow{i, false})
	}
	return rows, cursor
}

func (p Changes) row(t theme.Theme, r changesRow, w int) string {
	waiting := len(p.snap.Approvals)
	switch {
	case r.i < waiting && r.heading:
		return t.Warn.Fit("Waiting for you", w)
	case r.i < waiting:
		return t.Spot(r.i, p.waitingRow(t, p.snap.Approvals[r.i], w))
	case r.heading:
		return p.heading(t, p.book.at(r.i-waiting), w)
	default:
		return t.Spot(r.i, p.changeRow(t, p.book.at(r.i-waiting), w))
	}
}

func (p Changes) heading(t theme.Theme, c status.Change, w int) string {
	who := orNone(c.Client)
	return theme.Fill(t.Strong.Text(who)+t.Dim.Text(" session "+orNone(c.Session)+" · from "+clock(c.Time, p.snap.Time, p.zone)), w)
}

func (p Changes) waitingRow(t theme.Theme, a status.Approval, w int) string {
	t = p.selected(t, choice{true, a.ID})
	target := strings.Join(a.Targets, ", ")
	if a.More > 0 {
		target += fmt.Sprintf(" and %d more", a.More)
	}
	line := t.Warn.Text("▲ ") + t.Text.Fit(a.Tool, min(24, w/3)) + t.Text.Text(" ") + t.Strong.Text(target) + t.Dim.Text(" "+a.Source)
	return filled(t, line, w)
}

// filled is a row of a list: w cells, on the ground of t.
func filled(t theme.Theme, line string, w int) string {
	if over := w - theme.Width(line); over > 0 {
		return line + t.Text.Fit("", over)
	}
	return theme.Fill(line, w)
}

func (p Changes) changeRow(t theme.Theme, c status.Change, w int) string {
	t = p.selected(t, choice{false, c.ID})
	glyph, style := outcome(t, c)
	line := style.Text(" "+glyph+" ") + t.Dim.Fit(brief(c.Time, p.snap.Time, p.zone), 7) + t.Text.Fit(c.Action, 8) + t.Strong.Text(c.Target)
	if w >= 60 {
		line += t.Dim.Text(" " + c.Source)
	}
	return filled(t, line, w)
}

func outcome(t theme.Theme, c status.Change) (string, theme.Style) {
	switch {
	case c.Undoes != "":
		return "↶", t.Busy
	case c.Outcome == status.Undone:
		return "⨯", t.Dim
	case c.Outcome == status.OutcomeUnknown:
		return "?", t.Warn
	default:
		return "●", t.Good
	}
}

// side is all there is to say of the selected.
func (p Changes) side(t theme.Theme) section {
	title, note := "Change", ""
	if p.at.waits {
		title = "An agent asks"
	}
	return section{title: title, note: note, need: 3, want: 1 << 20, rows: func(w, h int) []string {
		rows := p.facts(t, w)
		text := p.text()
		room := max(1, h-len(rows))
		if len(rows)+1 > h {
			rows = rows[:max(0, h-1)]
		}
		drawn := text.draw(t, p.top, w, room)
		if rest := text.height(w) - p.top - len(drawn); rest > 0 && len(drawn) > 1 {
			drawn[len(drawn)-1] = t.Dim.Text(fmt.Sprintf("… %s below; pgdn", many(uint64(rest+1), "row")))
		}
		return besides(t, append(rows, drawn...), w)
	}}
}

// facts are the rows above the text.
func (p Changes) facts(t theme.Theme, w int) []string {
	field := func(name, value string) string { return theme.Fill(t.Dim.Fit(name, 9)+t.Text.Text(value), w) }
	if !p.at.waits {
		c, ok := p.book.get(p.at.id)
		if !ok {
			return nil
		}
		rows := []string{
			field("target", c.Target),
			field("what", fmt.Sprintf("%s by %s, %s → %s", c.Action, c.Tool, size(c.Before), size(c.After))),
			field("who", orNone(c.Client)+" in "+c.Source+", "+clock(c.Time, p.snap.Time, p.zone)+", change "+c.ID),
		}
		if c.Reason != "" {
			rows = append(rows, labelled(t, "says why", c.Reason, w)...)
		}
		return append(rows, p.standing(t, c)...)
	}
	i := p.approval(p.at.id)
	if i < 0 {
		return nil
	}
	a := p.snap.Approvals[i]
	who := t.Text.Text(orNone(a.Client)) + t.Warn.Text(" (so it says)")
	if a.Proven {
		who = t.Text.Text(orNone(a.Client)) + t.Good.Text(" (proven by its token)")
	}
	rows := []string{
		theme.Fill(t.Dim.Fit("who", 9)+who+t.Dim.Text(", session "+a.Session), w),
		field("wants", a.Tool+" in "+a.Source+" ("+a.Effect+")"),
	}
	rows = append(rows, labelled(t, "targets", targets(a), w)...)
	rows = append(rows, labelled(t, "because", a.Why, w)...)
	rows = append(rows, labelled(t, "says why", a.Reason, w)...)
	return append(rows, field("until", a.Until.In(p.zone).Format("15:04:05")+", then it is refused"))
}

// standing says what became of c, when that is worth a row.
func (p Changes) standing(t theme.Theme, c status.Change) []string {
	switch {
	case c.Undoes != "":
		return []string{t.Dim.Fit("undoes", 9) + t.Text.Text(c.Undoes)}
	case c.Outcome == status.Undone:
		return []string{t.Dim.Text("It is undone.")}
	case c.Outcome == status.OutcomeUnknown:
		return []string{t.Warn.Text("▲ Whether it happened is not known.")}
	case c.CannotUndo != "":
		return []string{t.Dim.Text("It cannot be undone: " + c.CannotUndo)}
	default:
		return nil
	}
}

func targets(a status.Approval) string {
	all := strings.Join(a.Targets, ", ")
	if a.More > 0 {
		all += fmt.Sprintf(" and %d more", a.More)
	}
	return orNone(all)
}

// labelled is a value that may take several rows, at most three.
func labelled(t theme.Theme, name, value string, w int) []string {
	if value == "" {
		return nil
	}
	rows := t.Text.Wrapped(value, max(1, w-9))
	if len(rows) > 3 {
		rows = append(rows[:2:2], t.Dim.Text("…"))
	}
	for i := range rows {
		rows[i] = theme.Fill(t.Dim.Fit(name, 9)+rows[i], w)
		name = ""
	}
	return rows
}
