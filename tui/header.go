package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// header names the product and the panes, and says what waits for a person and
// how the hub is.
func (m Model) header() string {
	right := m.hubStatus()
	left := m.brand() + strings.Join(m.tabLabels(), "")
	return theme.Fit(theme.Fit(left, m.w-theme.Width(right))+right, m.w)
}

// A tabNaming is how the panes are named in the header: all alike, but for the
// current one, which always has its name.
type tabNaming int

const (
	namedTabs tabNaming = iota
	shortTabs
	numberedTabs
)

// tabNaming is the longest that has room, whichever pane is current.
func (m Model) tabNaming() tabNaming {
	room := m.w - theme.Width(m.brandMark()) - theme.Width(m.hubStatus())
	switch {
	case m.tabsWidth(namedTabs) <= room:
		return namedTabs
	case m.tabsWidth(shortTabs) <= room:
		return shortTabs
	default:
		return numberedTabs
	}
}

// tabsWidth is how wide the tabs are at most, spelled like s, with a blank
// behind them.
func (m Model) tabsWidth(s tabNaming) int {
	w, longest := 0, 0
	for _, tab := range m.tabs {
		w += len(" 9 ") + len(tab.label(s))
		longest = max(longest, len(tab.Name)-len(tab.label(s)))
	}
	return w + longest + len("  ")
}

func (t tab) label(s tabNaming) string {
	switch s {
	case namedTabs:
		return t.Name
	case shortTabs:
		return t.Short
	case numberedTabs:
	}
	return ""
}

func (m Model) brandMark() string { return " " + m.theme.Accent.Text("◆") + " " }

// brand is the product's name and version where the panes leave room for them.
func (m Model) brand() string {
	t := m.theme
	named := " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	if m.tabNaming() == namedTabs && theme.Width(named)+m.tabsWidth(namedTabs)+theme.Width(m.hubStatus()) <= m.w {
		return named
	}
	return m.brandMark()
}

// tabLabels are the tabs as they stand in the header.
func (m Model) tabLabels() []string {
	t, s, gap := m.theme, m.tabNaming(), 0 // cells before a lone number
	if minTabsWidth(m)+len(m.tabs)+theme.Width(m.hubStatus()) <= m.w {
		gap = 1
	}
	labels := make([]string, len(m.tabs))
	for i, tab := range m.tabs {
		number := cmp.Or(numberKey(i), "·")
		switch {
		case i == m.current:
			labels[i] = t.Tab.Text(" " + number + " " + tab.Name + " ")
		case s == numberedTabs:
			labels[i] = t.Key.Text(theme.Spaces(gap) + number + " ")
		default:
			labels[i] = t.Key.Text(" "+number+" ") + t.Dim.Text(tab.label(s))
		}
	}
	return labels
}

// hubStatus is the right end of the header.
func (m Model) hubStatus() string {
	if !m.hasSnapshot {
		return ""
	}
	glyph, style := m.theme.State(m.snap.Hub.State)
	state := " " + string(m.snap.Hub.State)
	if m.lost {
		state = " not responding"
	}
	n := len(m.snap.Approvals)
	badge := fmt.Sprintf("! %d pending", n)
	if m.w < 60 {
		badge = fmt.Sprintf("!%d", n)
		if n > 0 || minTabsWidth(m)+len(state)+2 > m.w {
			state = ""
		}
	}
	if n == 0 {
		return style.Text(glyph+state) + " "
	}
	return m.theme.Warn.Text(badge) + "  " + style.Text(glyph+state) + " "
}

// minTabsWidth is how wide the tabs are on a narrow screen.
func minTabsWidth(m Model) int {
	return theme.Width(m.brandMark()) + 2*(len(m.tabs)-1) + len(m.tabs[m.current].Name) + len(" 9  ")
}
