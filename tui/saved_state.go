package tui

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tui/pane"
)

// savedState is what a panel finds again when it is opened the next time. What it
// does not understand, such as what another version wrote, it leaves out.
type savedState struct {
	Tab     string                     `json:"tab,omitempty"`
	Mouse   *bool                      `json:"mouse,omitempty"`
	Colours colourChoice               `json:"colours,omitempty"`
	Looked  time.Time                  `json:"looked,omitzero"` // when the panel was left
	Panes   map[string]json.RawMessage `json:"panes,omitempty"` // by tab
}

// StateToSave is what to give as [Config.Memory] to the next panel.
func (m Model) StateToSave() []byte {
	looked := m.looked
	if m.snap.Time.After(looked) {
		looked = m.snap.Time
	}
	mem := savedState{m.tabs.visibleTab().Name, &m.mouse, m.colours, looked, m.tabs.statesToSave()}
	b, err := json.MarshalIndent(mem, "", "  ")
	if err != nil {
		return nil // cannot be: it is made of what has a JSON form
	}
	return append(b, '\n')
}

// restoreState takes over what an earlier panel remembered, and says so when that
// cannot be read.
func (m Model) restoreState(b []byte) Model {
	if b == nil {
		return m
	}
	var mem savedState
	if json.Unmarshal(b, &mem) != nil {
		m.notice = infoNotice("The saved state of the panel could not be read and was reset.")
		return m
	}
	if slices.Contains(allColourChoices(), mem.Colours) {
		m.colours = mem.Colours
	}
	if mem.Mouse != nil {
		m.mouse = *mem.Mouse
	}
	m.tabs = m.tabs.restore(mem.Tab, mem.Panes)
	return setLastLook(m, mem.Looked)
}

// setLastLook has the panes mark what came after this time as new.
func setLastLook(m Model, at time.Time) Model {
	m.looked = at
	m.tabs = changePanes(m.tabs, func(p pane.LastLookObserver) pane.Pane { return p.SetLastLook(at) })
	return m
}
