package pane

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// View implements [Pane].
func (p Settings) View(t theme.Theme, w, h int) string {
	line := 0
	if p.typing {
		line = 1
	}
	lines := p.sections(t, w, h-line)
	if line == 1 {
		lines = append(lines, theme.Fill(t.Key.Text(" / ")+p.filter.View(t, w-4, true, "key, meaning or value"), w))
	}
	return strings.Join(lines, "\n")
}

func (p Settings) sections(t theme.Theme, w, h int) []string {
	frame, rows := framed(w, h), p.rows()
	list, side := p.list(t, rows), p.side(t, rows)
	progress := p.progress(t)
	switch {
	case len(rows) == 0:
		return stack(t, w, h, frame, list)
	case frame && w >= wideWidth:
		return beside(t, w, h, []section{list}, append(progress, side))
	case p.editing != "" && !frame:
		return stack(t, w, h, frame, side)
	default:
		list.want = min(list.want, max(3, h-14))
		return stack(t, w, h, frame, append([]section{list, side}, progress...)...)
	}
}

func (p Settings) list(t theme.Theme, rows []settingsRow) section {
	note := p.snap.Hub.Config
	if p.err != nil {
		note = "the configuration cannot be read: " + p.err.Error()
	}
	n := len(rows)
	return section{title: "Settings", note: note, need: min(4, max(1, n)), want: max(1, n), rows: func(w, h int) []string {
		if n == 0 {
			return []string{t.Dim.Text("Nothing passes the filter.")}
		}
		from, to := window(n, p.position(rows), h)
		var drawn []string
		for i := from; i < to; i++ {
			drawn = append(drawn, t.Spot(i, p.row(t, rows[i], i == p.position(rows), w)))
		}
		return drawn
	}}
}

func (p Settings) row(t theme.Theme, r settingsRow, on bool, w int) string {
	if on {
		t = t.On()
	}
	if r.deed.title != "" {
		if r.deed.off != "" {
			return filled(t, t.Dim.Text("  "+r.deed.title), w)
		}
		return filled(t, t.Key.Text("⏎ ")+t.Text.Text(r.deed.title), w)
	}
	s, name := r.setting, min(34, w/2)
	mark, value := "  ", t.Dim.Text(orNone(s.Default))
	if s.Set {
		mark, value = "● ", t.Strong.Text(s.Value)
	}
	return filled(t, t.Good.Text(mark)+t.Text.Fit(s.Key, name)+t.Text.Text(" ")+value, w)
}

// side is all there is to say of the selected row, or its editor.
func (p Settings) side(t theme.Theme, rows []settingsRow) section {
	if len(rows) == 0 {
		return section{}
	}
	r := rows[p.position(rows)]
	if r.deed.token != "" {
		return p.tokenSide(t, r.deed)
	}
	if r.deed.title != "" {
		return section{title: r.deed.title, need: 2, want: 4, rows: func(w, h int) []string {
			rows := t.Text.Wrapped(r.deed.means, w)
			if r.deed.off == "" {
				rows = append(rows, t.Key.Text("enter")+t.Dim.Text(" does it"))
			}
			return atMost(t, rows, h)
		}}
	}
	return section{title: r.setting.Key, note: lineOf(r.setting), need: 4, want: 8, rows: func(w, h int) []string {
		return atMost(t, p.settingRows(t, r.setting, w), h)
	}}
}

func lineOf(s status.Setting) string {
	switch {
	case !s.Set:
		return "not in the file"
	case s.Line > 0:
		return fmt.Sprintf("line %d", s.Line)
	default:
		return ""
	}
}

func (p Settings) settingRows(t theme.Theme, s status.Setting, w int) []string {
	var rows []string
	field := func(name, value string) { rows = append(rows, t.Dim.Fit(name, 9)+t.Text.Text(value)) }
	switch {
	case p.editing != s.Key:
		value := s.Value
		if !s.Set {
			value = orNone(s.Default)
		}
		field("value", value)
	case len(s.Choices) > 0:
		rows = append(rows, t.Accent.Fit("▸ new", 9)+t.On().Text.Cut("‹ "+s.Choices[p.chosen]+" ›", w-9))
	default:
		rows = append(rows, t.Accent.Fit("▸ new", 9)+p.value.View(t, w-9, true, "empty: the default"))
	}
	field("default", orNone(s.Default))
	if len(s.Choices) > 0 {
		field("one of", strings.Join(s.Choices, ", "))
	}
	rows = append(rows, t.Text.Wrapped(s.Description, w)...)
	if s.Restart {
		rows = append(rows, t.Warn.Text("▲ It counts from the hub's next start on."))
	}
	return rows
}

// progress is the update under way, or the last one.
func (p Settings) progress(t theme.Theme) []section {
	u := p.snap.Update
	if len(u.Steps) == 0 {
		return nil
	}
	return []section{{title: "Update", need: 2, want: len(u.Steps) + 2, rows: func(w, h int) []string {
		var rows []string
		for _, c := range u.Steps {
			glyph, style := t.Result(c.Result)
			rows = append(rows, style.Text(glyph)+" "+t.Text.Text(c.Title)+t.Dim.Text(" "+strings.Join(present(c.Detail, c.Fix), " ")))
		}
		if u.Total > 0 && u.Done < u.Total {
			rows = append(rows, download(t, u, w))
		}
		return atMost(t, rows, h)
	}}}
}

// download is a bar: how much is there, of how much, and how fast it comes.
func download(t theme.Theme, u status.Update, w int) string {
	words := fmt.Sprintf(" %s of %s", size(int(u.Done)), size(int(u.Total)))
	if u.Rate > 0 {
		words += ", " + size(int(u.Rate)) + "/s"
	}
	room := max(5, min(40, w-len(words)-2))
	full := int(int64(room) * max(0, min(u.Done, u.Total)) / max(1, u.Total))
	return t.Busy.Text(strings.Repeat("█", full)) + t.Line.Text(strings.Repeat("░", room-full)) + t.Text.Text(words)
}
