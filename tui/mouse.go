package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// While the mouse is the panel's, the terminal selects no text with it, so it
// can be given back, and both ways are said.
const (
	mouseOn  = "Mouse on: click tabs, keys and rows, click again to open, scroll with the wheel. Hold Shift (Option on macOS) to select text."
	mouseOff = "Mouse off: the terminal selects text as usual."
)

func (m Model) mouseLabel() string {
	if m.mouse {
		return "mouse on"
	}
	return "mouse off"
}

func (m Model) toggleMouse() Model {
	m.mouse = !m.mouse
	m.notice = infoNotice(mouseOff)
	if m.mouse {
		m.notice = infoNotice(mouseOn)
	}
	return m
}

// wheelRows is how far a turn of the wheel goes.
const wheelRows = 3

// wheel scrolls the text beneath the mouse, else what lies uppermost, as
// presses of an arrow would.
func (m Model) wheel(e tea.MouseWheelMsg) (tea.Model, tea.Cmd) {
	name := map[tea.MouseButton]string{tea.MouseWheelUp: "up", tea.MouseWheelDown: "down"}[e.Button]
	if name == "" {
		return m, nil
	}
	w, h := m.room()
	at := pane.Press{KeyPressMsg: parseKey(name), W: w, H: h}
	if spot, ok := m.hitRegionAt(e.X, e.Y); ok && spot.Scrolls && m.over == nil {
		if p, ok := m.tabs[m.current].pane.(pane.Scroller); ok {
			return m.setPane(m.current, p.Scroll(map[string]int{"up": -wheelRows, "down": wheelRows}[name], at)), nil
		}
	}
	for range wheelRows {
		if m.over != nil {
			m.over, _ = m.over.handleKey(at)
			continue
		}
		if typist, ok := m.tabs[m.current].pane.(pane.TextEditor); ok && typist.Typing() {
			return m, nil // there an arrow has another meaning
		}
		p, _ := m.tabs[m.current].pane.Key(at)
		m = m.setPane(m.current, p)
	}
	return m, nil
}

// click presses what is written where the mouse is: a tab, or a key at the
// foot of the screen.
func (m Model) click(e tea.MouseClickMsg) (tea.Model, tea.Cmd) {
	if e.Button != tea.MouseLeft || m.over != nil && m.cfg.Now().Before(m.ignoreKeysUntil) || m.approvalsJustChanged() {
		return m, nil
	}
	switch {
	case e.Y == 0 && m.over == nil:
		at := theme.Width(m.brand())
		for i, label := range m.tabLabels() {
			next := at + theme.Width(label)
			if at <= e.X && e.X < next {
				m.current = i
			}
			at = next
		}
	case e.Y == m.h-1:
		if b, ok := m.keyAt(e.X); ok {
			return m.handleKey(parseKey(b.Keys()[0]))
		}
	default:
		if spot, ok := m.hitRegionAt(e.X, e.Y); ok {
			return m.clickRegion(spot)
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
	w, h := m.room()
	lines, left, top := m.topmost(w, h)
	if y -= 1 + top; y < 0 || y >= len(lines) || x < left {
		return theme.HitRegion{}, false
	}
	return theme.HitRegionAt(lines[y], x-left)
}

// topmost draws what takes clicks, with its spots, and where that lies below
// the header.
func (m Model) topmost(w, h int) (lines []string, x, y int) {
	t := m.theme.WithHitRegions()
	if m.over == nil {
		return strings.Split(m.tabs[m.current].pane.View(t, w, h), "\n"), 0, 0
	}
	lines = m.over.view(t, w, h)
	x, y = centered(lines, w, h)
	return lines, x, y
}

// clickRegion answers a click on region: a key is pressed, a row is selected, and
// opened when it is clicked on once more.
func (m Model) clickRegion(spot theme.HitRegion) (tea.Model, tea.Cmd) {
	if spot.Key != 0 {
		return m.handleKey(keyWithCode(spot.Key))
	}
	if spot.Row < 0 {
		return m, nil
	}
	again := false
	switch list, ok := m.tabs[m.current].pane.(pane.RowSelector); {
	case m.over != nil:
		if list, ok := m.over.(rowSelector); ok {
			m.over, again = list.selectRow(spot.Row)
		}
	case !ok || m.typing():
		return m, nil
	default:
		var p pane.Pane
		p, again = list.SelectRow(spot.Row)
		m = m.setPane(m.current, p)
	}
	if here := (clicked{m.current, m.over != nil, spot.Row}); !again || m.clicked != here {
		m.clicked = here
		return m, nil
	}
	return m.handleKey(parseKey("enter"))
}

// clicked is the row that was clicked on last.
type clicked struct {
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

// keyAt is the key whose hint covers column x of the footer.
func (m Model) keyAt(x int) (key.Binding, bool) {
	left, right := m.footerKeys()
	at := 0
	for _, b := range left {
		next := at + 2 + theme.Width(m.keyHint(b))
		if at <= x && x < next && len(b.Keys()) > 0 {
			return b, true
		}
		at = next
	}
	at = m.w - 1
	for _, b := range right {
		at -= 2 + theme.Width(m.keyHint(b))
	}
	for _, b := range right {
		next := at + 2 + theme.Width(m.keyHint(b))
		if at <= x && x < next {
			return b, true
		}
		at = next
	}
	return key.Binding{}, false
}
