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

// statusWidth is the room that is kept for the status of the hub, whatever it says
// now, so that the tabs stay where they are when a call begins or ends to wait.
func (n tabNaming) statusWidth() int { return [...]int{26, 14, 9}[n] }

func (m Model) header() header {
	t := m.theme
	h := header{brand: " " + t.Accent.Text("◆") + " "}
	for h.naming < numberedTabs && theme.Width(h.brand)+m.tabs.width(h.naming)+h.naming.statusWidth() > m.w {
		h.naming++ // the longest that has room, whichever pane is current
	}
	named := " " + t.Accent.Text("◆ Lectern") + t.Dim.Text(" "+m.cfg.Version) + "  "
	if theme.Width(named)+m.tabs.width(namedTabs)+namedTabs.statusWidth() <= m.w {
		h.brand = named
	}
	tabs, gap := m.tabs.width(h.naming), "" // before a lone number
	if h.naming == numberedTabs {
		if tabs = m.tabs.narrowTabsWidth(); theme.Width(h.brand)+tabs+len(m.tabs.all)+namedTabs.statusWidth() <= m.w {
			tabs, gap = tabs+len(m.tabs.all), " "
		}
	}
	h.status = m.headerStatusText(m.w - theme.Width(h.brand) - tabs)
	for i, one := range m.tabs.all {
		number := cmp.Or(paneNumberKey(i), "·")
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

// narrowTabsWidth is how wide the tabs are on a narrow screen.
func (s paneTabs) narrowTabsWidth() int {
	return 2*(len(s.all)-1) + len(s.visibleTab().Name) + len(" 9  ")
}

// headerStatusText is the right end of the header, in at most w cells: what a person must
// not miss is never left out, the words around it are.
func (m Model) headerStatusText(w int) string {
	if !m.hasSnapshot {
		return ""
	}
	state := newHeaderState(m)
	waiting, number := "", ""
	if n := len(m.snap.Approvals); n > 0 {
		waiting, number = m.theme.Warn.Text(fmt.Sprintf("! %d pending", n))+"  ", m.theme.Warn.Text(fmt.Sprintf("!%d", n))+" "
	}
	paused, brief, stop := "", "", "" // with ever fewer cells
	if !m.snap.Hub.WritesPaused.IsZero() {
		brief = m.theme.Bad.Text("writes paused") + " "
		paused, stop = brief+" ", m.theme.Bad.Text("paused")+" "
	}
	for _, text := range []string{
		paused + permitText(m, permitWhere) + waiting + state.full,
		paused + permitText(m, permitSentence) + waiting + state.full,
		paused + permitText(m, permitWords) + waiting + state.full,
		paused + permitText(m, permitWords) + waiting + state.short,
		paused + permitText(m, permitWords) + number + state.short,
		brief + permitText(m, permitWords) + number + state.short,
		brief + permitText(m, permitWords) + number + state.glyph,
		stop + permitText(m, permitWords) + number + state.glyph,
		stop + permitText(m, permitBrief) + number + state.glyph,
		stop + number + state.full,
		stop + number + state.short,
		stop + number + state.glyph,
	} {
		if theme.Width(text) <= w {
			return text
		}
	}
	return stop + number
}

// permitText says in the header what is allowed without asking, and for how long, in a sentence
// with or without where, in words or in as few cells as can be; empty: nothing is.
func permitText(m Model, form permitTextLength) string {
	all := m.snap.Permits
	if len(all) == 0 {
		return ""
	}
	left := pane.FormatPermitTimeLeft(all[0], m.cfg.Now())
	text, who := "allowed "+left, theme.Sanitize(status.ClientLabel(all[0].Client, all[0].Proven))
	switch {
	case len(all) > 1:
		text = fmt.Sprintf("%d allowed", len(all))
	case form == permitWhere:
		text = who + " may " + theme.Sanitize(all[0].ScopeText()) + " unasked for " + left
	case form == permitSentence:
		text = who + " may " + all[0].Effect + " unasked for " + left
	case form == permitBrief:
		text = "allowed " + strings.NewReplacer(" min", "m", " s", "s").Replace(left)
	}
	return m.theme.Warn.Text(text) + "  "
}

// A permitTextLength is how much room the header has for what is allowed without asking.
type permitTextLength int

const (
	permitWhere permitTextLength = iota
	permitSentence
	permitWords
	permitBrief
)
