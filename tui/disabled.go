package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// disabledReason says why a key that means the same in every pane can do nothing now;
// empty: it can.
func (m Model) disabledReason(k tea.KeyPressMsg) string {
	running := pane.Running(m.snap)
	switch {
	case key.Matches(k, m.key.Start) && running:
		return "The hub runs already."
	case key.Matches(k, m.key.Stop) && !running:
		return "The hub is not running, so there is nothing to stop."
	case key.Matches(k, m.key.Waiting) && len(m.snap.Approvals) == 0:
		return "Nothing waits for you."
	case key.Matches(k, m.key.Colours):
		return m.coloursDisabledReason()
	default:
		return ""
	}
}

// disabledReasons are why what cannot be done now cannot.
func (m Model) disabledReasons() disabledReasons {
	all := disabledReasons{}
	for _, g := range m.key.groups() {
		why := m.disabledReason
		if g.title != everywhere {
			why = m.paneDisabledReason(g.title)
		}
		for _, b := range g.keys {
			if len(b.Keys()) == 0 {
				continue
			}
			if because := why(parseKey(b.Keys()[0])); because != "" {
				all[[2]string{g.title, b.Keys()[0]}] = because
			}
		}
	}
	return all
}

// paneDisabledReason is [pane.Excuser.DisabledReason] of the tab with this name.
func (m Model) paneDisabledReason(tab string) func(tea.KeyPressMsg) string {
	for _, t := range m.tabs {
		if e, ok := t.pane.(pane.Excuser); ok && t.name == tab {
			return e.DisabledReason
		}
	}
	return func(tea.KeyPressMsg) string { return "" }
}

// unknownKeyText says that k means nothing in this pane, and where it would mean
// something.
func (m Model) unknownKeyText(k tea.KeyPressMsg) string {
	name := theme.Sanitize(k.String())
	for _, t := range m.tabs {
		for _, g := range m.key.groups() {
			if g.title != t.name {
				continue
			}
			for _, b := range g.keys {
				if key.Matches(k, b) {
					return fmt.Sprintf("%s means nothing here. On %s it is: %s.", name, t.name, strings.TrimSuffix(b.Help().Desc, "."))
				}
			}
		}
	}
	return name + " means nothing here. ? lists the keys."
}

// isNavigation reports whether k does no more than move about or close something: at
// an end, or with nothing open, there is nothing to say.
func (m Model) isNavigation(k tea.KeyPressMsg) bool {
	p := m.key.Pane
	return key.Matches(k, p.Up, p.Down, p.Left, p.Right, p.PageUp, p.PageDown, p.First, p.Last, p.Back)
}

// typing reports whether keys go to a place for text in the pane in sight.
func (m Model) typing() bool {
	p, ok := m.tabs[m.current].pane.(pane.TextEditor)
	return ok && p.Typing()
}
