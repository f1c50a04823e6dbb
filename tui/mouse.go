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
	mouseOn  = "The mouse is the panel's: click tabs, keys and rows, twice to open one, scroll with the wheel. Hold Shift (Option on a Mac) to select text."
	mouseOff = "The mouse is the terminal's: select text as usual."
)

func (m Model) whoseMouse() string {
	if m.mouse {
		return "mouse on"
	}
	return "mouse off"
}

func (m Model) toggleMouse() Model {
	m.mouse = !m.mouse
	m.notice = said(mouseOff)
	if m.mouse {
		m.notice = said(mouseOn)
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
	at := pane.Press{KeyPressMsg: keyOf(name), W: w, H: h}
	if spot, ok := m.spotAt(e.X, e.Y); ok && spot.Aside && m.over == nil {
		if p, ok := m.tabs[m.current].pane.(pane.Scroller); ok {
			return m.set(m.current, p.Scroll(map[string]int{"up": -wheelRows, "down": wheelRows}[name], at)), nil
		}
	}
	for range wheelRows {
		if m.over != nil {
			m.over, _ = m.over.key(at)
			continue
		}
		if typist, ok := m.tabs[m.current].pane.(pane.Paster); ok && typist.Typing() {
			return m, nil // there an arrow has another meaning
		}
		p, _ := m.tabs[m.current].pane.Key(at)
		m = m.set(m.current, p)
	}
	return m, nil
}

// click presses what is written where the mouse is: a tab, or a key at the
// foot of the screen.
func (m Model) click(e tea.MouseClickMsg) (tea.Model, tea.Cmd) {
	if e.Button != tea.MouseLeft || m.over != nil && m.cfg.Now().Before(m.deaf) || m.startled() {
		return m, nil
	}
	switch {
	case e.Y == 0 && m.over == nil:
		at := theme.Width(m.brand())
		for i, label := range m.labels() {
			next := at + theme.Width(label)
			if at <= e.X && e.X < next {
				m.current = i
			}
			at = next
		}
	case e.Y == m.h-1:
		if b, ok := m.keyAt(e.X); ok {
			return m.press(keyOf(b.Keys()[0]))
		}
	default:
		if spot, ok := m.spotAt(e.X, e.Y); ok {
			return m.pick(spot)
		}
	}
	return m, nil
}

// spotAt is what can be clicked on at a cell of the screen: in what lies
// uppermost, for the rest steps back.
func (m Model) spotAt(x, y int) (theme.Spot, bool) {
	if !m.seen || m.w < leastWidth || m.h < leastHeight {
		return theme.Spot{}, false
	}
	w, h := m.room()
	lines, left, top := m.uppermost(w, h)
	if y -= 1 + top; y < 0 || y >= len(lines) || x < left {
		return theme.Spot{}, false
	}
	return theme.At(lines[y], x-left)
}

// uppermost draws what takes clicks, with its spots, and where that lies below
// the header.
func (m Model) uppermost(w, h int) (lines []string, x, y int) {
	t := m.theme.Marked()
	if m.over == nil {
		return strings.Split(m.tabs[m.current].pane.View(t, w, h), "\n"), 0, 0
	}
	lines = m.over.view(t, w, h)
	x, y = place(lines, w, h)
	return lines, x, y
}

// pick answers a click on spot: a key is pressed, a row is selected, and
// opened when it is clicked on once more.
func (m Model) pick(spot theme.Spot) (tea.Model, tea.Cmd) {
	if spot.Key != 0 {
		return m.press(pressOf(spot.Key))
	}
	if spot.Row < 0 {
		return m, nil
	}
	again := false
	switch list, ok := m.tabs[m.current].pane.(pane.Picker); {
	case m.over != nil:
		if list, ok := m.over.(picker); ok {
			m.over, again = list.pick(spot.Row)
		}
	case !ok || m.typing():
		return m, nil
	default:
		var p pane.Pane
		p, again = list.Pick(spot.Row)
		m = m.set(m.current, p)
	}
	if here := (clicked{m.current, m.over != nil, spot.Row}); !again || m.clicked != here {
		m.clicked = here
		return m, nil
	}
	return m.press(keyOf("enter"))
}

// clicked is the row that was clicked on last.
type clicked struct {
	tab  int // -1: none, or a key came since
	over bool
	row  int
}

// pressOf is the key with a code.
func pressOf(code rune) tea.KeyPressMsg {
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
		next := at + 2 + theme.Width(m.hint(b))
		if at <= x && x < next && len(b.Keys()) > 0 {
			return b, true
		}
		at = next
	}
	at = m.w - 1
	for _, b := range right {
		at -= 2 + theme.Width(m.hint(b))
	}
	for _, b := range right {
		next := at + 2 + theme.Width(m.hint(b))
		if at <= x && x < next {
			return b, true
		}
		at = next
	}
	return key.Binding{}, false
}
