package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// header names the product and the panes, and says what waits for a person and
// how the hub is.
func (m Model) header() string {
	right := m.condition()
	left := m.brand() + strings.Join(m.labels(), "")
	return theme.Fill(theme.Fill(left, m.w-theme.Width(right))+right, m.w)
}

// A spelling is how the panes are named in the header: all alike, but for the
// current one, which always has its name.
type spelling int

const (
	byName spelling = iota
	inShort
	byNumber
)

// spelling is the longest that has room, whichever pane is current.
func (m Model) spelling() spelling {
	room := m.w - theme.Width(m.bare()) - theme.Width(m.condition())
	switch {
	case m.tabsWidth(byName) <= room:
		return byName
	case m.tabsWidth(inShort) <= room:
		return inShort
	default:
		return byNumber
	}
}

// tabsWidth is how wide the tabs are at most, spelled like s, with a blank
// behind them.
func (m Model) tabsWidth(s spelling) int {
	w, longest := 0, 0
	for _, tab := range m.tabs {
		w += len(" 9 ") + len(tab.spelled(s))
		longest = max(longest, len(tab.name)-len(tab.spelled(s)))
	}
	return w + longest + len("  ")
}

func (t tab) spelled(s spelling) string {
	switch s {
	case byName:
		return t.name
	case inShort:
		return t.short
	case byNumber:
	}
	return ""
}

func (m Model) bare() string { return " " + m.theme.Accent.Text("◆") + " " }

// brand is the product's name and version where the panes leave room for them.
func (m Model) brand() string {
	t := m.theme
	named := " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	if m.spelling() == byName && theme.Width(named)+m.tabsWidth(byName)+theme.Width(m.condition()) <= m.w {
		return named
	}
	return m.bare()
}

// labels are the tabs as they stand in the header.
func (m Model) labels() []string {
	t, s, gap := m.theme, m.spelling(), 0 // cells before a lone number
	if leastTabs(m)+len(m.tabs)+theme.Width(m.condition()) <= m.w {
		gap = 1
	}
	labels := make([]string, len(m.tabs))
	for i, tab := range m.tabs {
		number := strconv.Itoa(i + 1)
		switch {
		case i == m.current:
			labels[i] = t.Tab.Text(" " + number + " " + tab.name + " ")
		case s == byNumber:
			labels[i] = t.Key.Text(theme.Space(gap) + number + " ")
		default:
			labels[i] = t.Key.Text(" "+number+" ") + t.Dim.Text(tab.spelled(s))
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
	return theme.Width(m.bare()) + 2*(len(m.tabs)-1) + len(m.tabs[m.current].name) + len(" 9  ")
}
