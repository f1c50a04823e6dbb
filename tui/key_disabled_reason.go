package tui

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// globalKeyDisabledReason says why a key that means the same in every pane can do
// nothing now; empty: it can.
func (m Model) globalKeyDisabledReason(k tea.KeyPressMsg) string {
	running := pane.IsHubRunning(m.snap)
	switch {
	case key.Matches(k, m.key.Start) && running:
		return "The hub is already running."
	case key.Matches(k, m.key.Stop, m.key.Pause) && !running:
		return "The hub is not running."
	case key.Matches(k, m.key.Waiting) && len(m.snap.Approvals) == 0:
		return "No pending approvals."
	case key.Matches(k, m.key.Colours):
		switch {
		case m.cfg.NoColor:
			return "Colours are off because NO_COLOR is set."
		case m.mode.NoColor:
			return "This terminal has no colours."
		}
	}
	return ""
}

// helpKeyDisabledReason is the reason for a key that the help lists under title.
func (m Model) helpKeyDisabledReason(title string, b key.Binding) string {
	k := parseKey(b.Keys()[0])
	if title == globalKeysTitle {
		return m.globalKeyDisabledReason(k)
	}
	for _, t := range m.tabs.all {
		if t.Name == title {
			return t.pane.KeyDisabledReason(k)
		}
	}
	return ""
}

// unknownKeyText says that k means nothing in this pane, and where it would
// mean something.
func unknownKeyText(k tea.KeyPressMsg, tabs paneTabs, keys pane.Keys) string {
	name := theme.Sanitize(k.String())
	for _, t := range tabs.all {
		for _, b := range t.Help(keys)[0].Keys {
			if key.Matches(k, b) {
				return fmt.Sprintf("%s does nothing here. On %s: %s.", name, t.Name, b.Help().Desc)
			}
		}
	}
	return name + " does nothing here. ? lists the keys."
}

// isNavigation reports whether p does no more than move about or close
// something: at an end, or with nothing open, there is nothing to say.
func (k KeyMap) isNavigation(p tea.KeyPressMsg) bool {
	keys := k.Pane
	return key.Matches(p, keys.Up, keys.Down, keys.Left, keys.Right, keys.PageUp, keys.PageDown, keys.First, keys.Last, keys.Back)
}
