package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// While the mouse is the panel's, the terminal selects no text with it, so it
// can be given back, and both ways are said.
const (
	mouseOn  = "The mouse is the panel's: click tabs and keys, scroll with the wheel. Hold Shift (Option on a Mac) to select text."
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

// wheel scrolls what lies uppermost, as three presses of an arrow would.
func (m Model) wheel(e tea.MouseWheelMsg) (tea.Model, tea.Cmd) {
	name := map[tea.MouseButton]string{tea.MouseWheelUp: "up", tea.MouseWheelDown: "down"}[e.Button]
	if name == "" {
		return m, nil
	}
	w, h := m.room()
	at := pane.Press{KeyPressMsg: keyOf(name), W: w, H: h}
	for range 3 {
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
	}
	return m, nil
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
