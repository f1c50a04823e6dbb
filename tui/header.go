package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// header names the product and the panes, and says what waits for a person and
// how the hub is. On a narrow screen the panes are numbers, but for the current
// one; where there is room the first of the others are named too.
func (m Model) header() string {
	right := m.condition()
	left := m.brand() + strings.Join(m.labels(), "")
	return theme.Fill(theme.Fill(left, m.w-theme.Width(right))+right, m.w)
}

func (m Model) brand() string {
	t := m.theme
	if m.w >= 100 {
		return " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	}
	return " " + t.Accent.Text("◆") + " "
}

// labels are the tabs as they stand in the header.
func (m Model) labels() []string {
	t, gap := m.theme, 0 // cells on each side of a number
	if m.w >= 60 {
		gap = 1
	}
	room := m.w - theme.Width(m.brand()) - theme.Width(m.condition()) - len(m.tabs)*(2+gap) - len(m.tabs[m.current].name) - 2
	labels := make([]string, len(m.tabs))
	for i, tab := range m.tabs {
		number := strconv.Itoa(i + 1)
		switch {
		case i == m.current:
			labels[i] = t.Tab.Text(" " + number + " " + tab.name + " ")
		case gap > 0 && room > len(tab.name):
			room -= len(tab.name) + 1
			labels[i] = t.Key.Text(" "+number+" ") + t.Dim.Text(tab.name+" ")
		default:
			labels[i] = t.Key.Text(theme.Space(gap) + number + " ")
		}
	}
	return labels
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
	if m.w < 60 {
		badge = fmt.Sprintf("!%d", n)
		if n > 0 || leastTabs(m)+len(state)+2 > m.w {
			state = ""
		}
	}
	if n == 0 {
		return style.Text(glyph+state) + " "
	}
	return m.theme.Warn.Text(badge) + "  " + style.Text(glyph+state) + " "
}

// leastTabs is how wide the tabs are on a narrow screen.
func leastTabs(m Model) int {
	return theme.Width(m.brand()) + 2*(len(m.tabs)-1) + len(m.tabs[m.current].name) + len(" 9  ")
}
