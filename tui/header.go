package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A header is the first line of the screen: it names the product and the panes,
// and says what waits for a person and how the hub is.
type header struct {
	brand  string // the product, with its name where the panes leave room
	naming tabNaming
	tabs   []string // as they stand in the line
	status string   // at the right end
}

// A tabNaming is how the panes are named: all alike, but for the current one,
// which always has its name.
type tabNaming int

const (
	namedTabs tabNaming = iota
	shortTabs
	numberedTabs
)

func (t tab) label(n tabNaming) string {
	return [...]string{t.Name, t.Short, ""}[n]
}

func (m Model) header() header {
	t := m.theme
	h := header{brand: " " + t.Accent.Text("◆") + " ", status: m.hubStatus()}
	room := m.w - theme.Width(h.status)
	for h.naming < numberedTabs && theme.Width(h.brand)+m.tabs.width(h.naming) > room {
		h.naming++ // the longest that has room, whichever pane is current
	}
	named := " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	if theme.Width(named)+m.tabs.width(namedTabs) <= room {
		h.brand = named
	}
	gap := "" // before a lone number
	if theme.Width(h.brand)+m.tabs.minWidth()+len(m.tabs.all) <= room {
		gap = " "
	}
	for i, one := range m.tabs.all {
		number := cmp.Or(numberKey(i), "·")
		switch {
		case i == m.tabs.current:
			h.tabs = append(h.tabs, t.Tab.Text(" "+number+" "+one.Name+" "))
		case h.naming == numberedTabs:
			h.tabs = append(h.tabs, t.Key.Text(gap+number+" "))
		default:
			h.tabs = append(h.tabs, t.Key.Text(" "+number+" ")+t.Dim.Text(one.label(h.naming)))
		}
	}
	return h
}

func (h header) line(w int) string {
	left := h.brand + strings.Join(h.tabs, "")
	return theme.Fit(theme.Fit(left, w-theme.Width(h.status))+h.status, w)
}

// tabAt is the tab at column x; -1: none.
func (h header) tabAt(x int) int {
	at := theme.Width(h.brand)
	for i, label := range h.tabs {
		next := at + theme.Width(label)
		if at <= x && x < next {
			return i
		}
		at = next
	}
	return -1
}

// width is how wide the tabs are at most, named like n, with a blank behind
// them.
func (s paneTabs) width(n tabNaming) int {
	w, longest := 0, 0
	for _, t := range s.all {
		w += len(" 9 ") + len(t.label(n))
		longest = max(longest, len(t.Name)-len(t.label(n)))
	}
	return w + longest + len("  ")
}

// minWidth is how wide the tabs are on a narrow screen.
func (s paneTabs) minWidth() int { return 2*(len(s.all)-1) + len(s.visible().Name) + len(" 9  ") }

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
		if n > 0 || len(" x ")+m.tabs.minWidth()+len(state)+2 > m.w {
			state = ""
		}
	}
	paused := ""
	if !m.snap.Hub.WritesPaused.IsZero() {
		if paused = m.theme.Bad.Text("writes paused") + "  "; m.w < 60 {
			paused, state = m.theme.Bad.Text("paused")+" ", ""
		}
	}
	paused += permitText(m)
	if n == 0 {
		return paused + style.Text(glyph+state) + " "
	}
	return paused + m.theme.Warn.Text(badge) + "  " + style.Text(glyph+state) + " "
}

// permitText says in the header what is allowed for ten minutes; empty: nothing, or
// there is no room.
func permitText(m Model) string {
	all := m.snap.Permits
	if len(all) == 0 || m.w < 60 {
		return ""
	}
	text := "yes " + pane.TimeLeft(all[0], m.cfg.Now())
	switch {
	case len(all) > 1:
		text = fmt.Sprintf("%d × yes", len(all))
	case m.w >= 120:
		text = theme.Sanitize(status.ClientLabel(all[0].Client, all[0].Proven)) + " may " + all[0].Effect + " " + pane.TimeLeft(all[0], m.cfg.Now())
	}
	return m.theme.Warn.Text(text) + "  "
}
