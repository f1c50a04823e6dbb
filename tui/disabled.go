package tui

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// disabledReason says why a key that means the same in every pane can do
// nothing now; empty: it can.
func (m Model) disabledReason(k tea.KeyPressMsg) string {
	running := pane.Running(m.snap)
	switch {
	case key.Matches(k, m.key.Start) && running:
		return "The hub is already running."
	case key.Matches(k, m.key.Stop) && !running:
		return "The hub is not running."
	case key.Matches(k, m.key.Waiting) && len(m.snap.Approvals) == 0:
		return "No pending approvals."
	case key.Matches(k, m.key.Colours):
		return m.coloursDisabledReason()
	default:
		return ""
	}
}

// disabledReasons says of every key that can do nothing now why.
func (m Model) disabledReasons() disabledReasons {
	all := disabledReasons{}
	add := func(g pane.KeyGroup, reason func(tea.KeyPressMsg) string) {
		for _, b := range g.Keys {
			if why := reason(parseKey(b.Keys()[0])); why != "" {
				all[[2]string{g.Title, b.Keys()[0]}] = why
			}
		}
	}
	for _, g := range m.key.groups() {
		if g.Title == everywhere {
			add(g, m.disabledReason)
		}
		for _, t := range m.tabs {
			if t.Name == g.Title {
				add(g, t.pane.DisabledReason)
			}
		}
	}
	return all
}

// unknownKeyText says that k means nothing in this pane, and where it would
// mean something.
func (m Model) unknownKeyText(k tea.KeyPressMsg) string {
	name := theme.Sanitize(k.String())
	for _, t := range m.tabs {
		for _, b := range t.Help(m.key.Pane)[0].Keys {
			if key.Matches(k, b) {
				return fmt.Sprintf("%s does nothing here. On %s: %s.", name, t.Name, b.Help().Desc)
			}
		}
	}
	return name + " does nothing here. ? lists the keys."
}

// isNavigation reports whether k does no more than move about or close
// something: at an end, or with nothing open, there is nothing to say.
func (m Model) isNavigation(k tea.KeyPressMsg) bool {
	p := m.key.Pane
	return key.Matches(k, p.Up, p.Down, p.Left, p.Right, p.PageUp, p.PageDown, p.First, p.Last, p.Back)
}

// typing reports whether keys go to a place for text in the visible pane.
func (m Model) typing() bool {
	p, ok := m.tabs[m.current].pane.(pane.TextEditor)
	return ok && p.Typing()
}
