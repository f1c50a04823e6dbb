package tui

import (
	"fmt"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// header names the product and the panes, and says what waits for a person and
// how the hub is. On a narrow screen the panes are numbers, but for the current
// one; where there is room the first of the others are named too.
func (m Model) header() string {
	t, right := m.theme, m.condition()
	left := " " + t.Accent.Text("◆") + " "
	if m.w >= 100 {
		left = " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	}
	gap := 0 // cells on each side of a tab
	if m.w >= 60 {
		gap = 1
	}
	room := m.w - theme.Width(left) - theme.Width(right) - len(m.tabs)*(2+gap) - len(m.tabs[m.current].name) - 2
	for i, tab := range m.tabs {
		number := fmt.Sprintf("%d", i+1)
		switch {
		case i == m.current:
			left += t.Tab.Text(" " + number + " " + tab.name + " ")
			continue
		case gap > 0 && room > len(tab.name):
			room -= len(tab.name) + 1
			left += t.Key.Text(" "+number+" ") + t.Dim.Text(tab.name+" ")
		default:
			left += t.Key.Text(theme.Space(gap) + number + " ")
		}
	}
	return theme.Fill(theme.Fill(left, m.w-theme.Width(right))+right, m.w)
}

// condition is the right end of the header.
func (m Model) condition() string {
	if !m.seen {
		return ""
	}
	glyph, style := m.theme.State(m.snap.Hub.State)
	state := " " + string(m.snap.Hub.State)
	if m.lost {
		state = " no answer"
	}
	n := len(m.snap.Approvals)
	badge := fmt.Sprintf("! %d waiting", n)
	switch {
	case n == 0:
		return style.Text(glyph+state) + " "
	case m.w < 60:
		badge, state = fmt.Sprintf("!%d", n), ""
	}
	return m.theme.Warn.Text(badge) + "  " + style.Text(glyph+state) + " "
}
