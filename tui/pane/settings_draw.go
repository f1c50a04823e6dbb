package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// View implements [Pane].
func (p Settings) View(t theme.Theme, w, h int) string {
	return p.list.DrawFilterBelowRows(t, w, h, func(h int) []string { return p.drawSections(t, w, h) })
}

func (p Settings) drawSections(t theme.Theme, w, h int) []string {
	frame := widget.IsFramed(w, h)
	switch {
	case p.list.ShownCount() == 0:
		return widget.Stack(t, w, h, frame, p.listSection(t))
	case p.editing != "" && !frame:
		return widget.Stack(t, w, h, frame, p.detailSection(t))
	default:
		return widget.ListWithDetail(t, w, h, h-14, p.listSection(t), p.detailSection(t))
	}
}

func (p Settings) listSection(t theme.Theme) widget.Section {
	note := strings.Join(nonEmpty(p.list.StatusNote(), p.snap.Hub.Config), " · ")
	if p.err != nil {
		note = "cannot read the configuration: " + p.err.Error()
	}
	n := p.list.ShownCount()
	return widget.Section{Title: "Settings", Note: note, Min: min(4, max(1, n)), Preferred: max(1, n), Rows: func(w, h int) []string {
		if n == 0 {
			return p.list.Draw(t, w, 1, nil)
		}
		return p.list.Draw(t, w, h, func(t theme.Theme, i, w int) string { return settingRow(t, p.rows[i], awaitsRestart(p, p.rows[i]), w) })
	}}
}

// awaitsRestart reports whether the value in the file is not the one that the hub runs with.
func awaitsRestart(p Settings, r settingsRow) bool {
	return r.act.title == "" && slices.Contains(p.snap.Hub.PendingSettings, r.setting.Key)
}

// settingRow draws a row; pending: its value waits for a restart of the hub.
func settingRow(t theme.Theme, r settingsRow, pending bool, w int) string {
	if r.act.title != "" {
		if r.act.disabled != "" {
			return widget.FillRow(t, t.Dim.Text("  "+r.act.title), w)
		}
		return widget.FillRow(t, t.Key.Text("⏎ ")+t.Text.Text(r.act.title), w)
	}
	s, name := r.setting, min(34, w/2)
	mark, value := "  ", t.Dim.Text(widget.OrDash(s.Default))
	if s.Set {
		mark, value = "● ", t.Strong.Text(s.Value)
	}
	if pending {
		text := "  after a restart: r"
		value = theme.Fit(value, min(theme.Width(value), max(1, w-2-name-1-len(text)))) + t.Warn.Text(text)
	}
	return widget.FillRow(t, t.Good.Text(mark)+t.Text.Fit(s.Key, name)+t.Text.Text(" ")+value, w)
}

// detailSection is all there is to say of the selected row, or its editor.
func (p Settings) detailSection(t theme.Theme) widget.Section {
	r := p.selected()
	if r.name == "" {
		return widget.Section{}
	}
	if r.act.token != "" {
		return p.tokenSection(t, r.act)
	}
	if r.act.title != "" {
		return widget.Section{Title: r.act.title, Min: 2, Preferred: 4, Rows: func(w, h int) []string {
			rows := t.Text.Wrap(r.act.description, w)
			if r.act.disabled == "" {
				rows = append(rows, t.Key.Text("enter")+t.Dim.Text(" to run"))
			}
			return widget.TruncateRows(t, rows, h)
		}}
	}
	return widget.Section{Title: r.setting.Key, Note: settingLocation(r.setting), Min: 4, Preferred: 8, Rows: func(w, h int) []string {
		return widget.TruncateRows(t, p.settingDetailRows(t, r.setting, w), h)
	}}
}

func settingLocation(s status.Setting) string {
	switch {
	case !s.Set:
		return "not in the file"
	case s.Line > 0:
		return fmt.Sprintf("line %d", s.Line)
	default:
		return ""
	}
}

func (p Settings) settingDetailRows(t theme.Theme, s status.Setting, w int) []string {
	var rows []string
	field := func(name, value string) { rows = append(rows, t.Dim.Fit(name, 9)+t.Text.Text(value)) }
	switch {
	case p.editing != s.Key:
		value := s.Value
		if !s.Set {
			value = widget.OrDash(s.Default)
		}
		field("value", value)
	case len(s.Choices) > 0:
		rows = append(rows, widget.DrawFieldName(t, "new", true, 9)+t.ForSelectedRow().Text.Cut("‹ "+s.Choices[p.chosen]+" ›", w-9))
	default:
		rows = append(rows, widget.DrawFieldName(t, "new", true, 9)+p.value.Draw(t, w-9, true, "empty for the default"))
	}
	field("default", widget.OrDash(s.Default))
	if len(s.Choices) > 0 {
		field("one of", strings.Join(s.Choices, ", "))
	}
	rows = append(rows, t.Text.Wrap(s.Description, w)...)
	switch {
	case slices.Contains(p.snap.Hub.PendingSettings, s.Key):
		rows = append(rows, t.Warn.Wrap("The hub still runs with the value before: r restarts it. Agents stay connected.", w)...)
	case s.Restart:
		rows = append(rows, t.Dim.Wrap("A change takes effect when the hub is restarted: r does that.", w)...)
	}
	return rows
}
