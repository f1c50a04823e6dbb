package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// While the mouse is the panel's, the terminal selects no text with it, so it
// can be given back, and both ways are said.

func mouseNotice(on bool) string {
	if on {
		return "Mouse on: click tabs, keys and rows, click again to open, scroll with the wheel. Hold Shift (Option on macOS) to select text."
	}
	return "Mouse off: the terminal selects text as usual."
}

// wheelRows is how far a turn of the wheel goes.
const wheelRows = 3

// wheel scrolls the text beneath the mouse, else what lies uppermost, as
// presses of an arrow would.
func (m Model) wheel(e tea.MouseWheelMsg) Model {
	name, rows := "down", wheelRows
	switch e.Button {
	case tea.MouseWheelUp:
		name, rows = "up", -wheelRows
	case tea.MouseWheelDown:
	default:
		return m
	}
	w, h := m.paneSize()
	at := pane.Press{KeyPressMsg: parseKey(name), W: w, H: h}
	if region, ok := m.hitRegionAt(e.X, e.Y); ok && region.Scrolls && m.over == nil {
		if p, ok := m.tabs.visibleTab().pane.(pane.Scroller); ok {
			m.tabs = m.tabs.replacePane(m.tabs.current, p.Scroll(rows, at))
			return m
		}
	}
	for range wheelRows {
		switch {
		case m.over != nil:
			m.over, _ = m.over.handleKey(at)
		case !m.tabs.isTyping(): // there an arrow has another meaning
			m.tabs, _ = m.tabs.handleKey(at)
		}
	}
	return m
}

// click presses what is written where the mouse is: a tab, a row, or a key.
func (m Model) click(e tea.MouseClickMsg) (Model, tea.Cmd) {
	if e.Button != tea.MouseLeft {
		return m, nil
	}
	switch {
	case e.Y == 0 && m.over == nil:
		if i := m.header().tabAt(e.X); i >= 0 {
			m.tabs = m.tabs.switchTo(i)
		}
	case e.Y == m.h-1:
		if b, ok := m.footer().keyAt(e.X); ok {
			return m.handleKey(parseKey(b.Keys()[0]))
		}
	default:
		if region, ok := m.hitRegionAt(e.X, e.Y); ok {
			return m.clickRegion(region)
		}
	}
	return m, nil
}

// hitRegionAt is what can be clicked on at a cell of the screen: in what lies
// uppermost, for the rest steps back.
func (m Model) hitRegionAt(x, y int) (theme.HitRegion, bool) {
	if !m.hasSnapshot || m.w < minWidth || m.h < minHeight {
		return theme.HitRegion{}, false
	}
	w, h := m.paneSize()
	t, left, top := m.theme.WithHitRegions(), 0, 0
	var lines []string
	if m.over != nil {
		lines = m.over.view(t, w, h)
		left, top = centeredPosition(lines, w, h)
	} else {
		lines = strings.Split(m.tabs.visibleTab().pane.View(t, w, h), "\n")
	}
	if y -= 1 + top; y < 0 || y >= len(lines) || x < left {
		return theme.HitRegion{}, false
	}
	return theme.HitRegionAt(lines[y], x-left)
}

// clickRegion answers a click on region: a key is pressed, a row is selected, and
// opened when it is clicked on once more.
func (m Model) clickRegion(region theme.HitRegion) (Model, tea.Cmd) {
	if region.Key != 0 {
		return m.handleKey(keyWithCode(region.Key))
	}
	if region.Row < 0 {
		return m, nil
	}
	again := false
	switch list, ok := m.tabs.visibleTab().pane.(pane.RowSelector); {
	case m.over != nil:
		if list, ok := m.over.(rowSelector); ok {
			m.over, again = list.selectRow(region.Row)
		}
	case !ok || m.tabs.isTyping():
		return m, nil
	default:
		var p pane.Pane
		p, again = list.SelectRow(region.Row)
		m.tabs = m.tabs.replacePane(m.tabs.current, p)
	}
	if here := (clickedRow{m.tabs.current, m.over != nil, region.Row}); !again || m.clicked != here {
		m.clicked = here
		return m, nil
	}
	return m.handleKey(parseKey("enter"))
}

// clickedRow is the row that was clicked on last.
type clickedRow struct {
	tab  int // -1: none, or a key came since
	over bool
	row  int
}

// keyWithCode is the key with a code.
func keyWithCode(code rune) tea.KeyPressMsg {
	k := tea.KeyPressMsg{Code: code}
	if code >= ' ' && code < tea.KeyExtended {
		k.Text = string(code)
	}
	return k
}
