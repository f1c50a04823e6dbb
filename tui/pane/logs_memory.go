package pane

import (
	"encoding/json"
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// logsState is what Logs keeps from one panel to the next.
type logsState struct {
	Level  status.Level `json:"level"`
	Part   string       `json:"part,omitempty"`
	Client string       `json:"client,omitempty"`
	Needle string       `json:"filter,omitempty"`
	Wrap   bool         `json:"wrap,omitempty"`
	Stamp  string       `json:"stamp"`
	Find   string       `json:"find,omitempty"`
}

// SaveState implements [Rememberer].
func (p Logs) SaveState() any {
	l := p.view.filter
	return logsState{l.Level.status(), l.Part, l.Client, l.Text, p.wrap, timestampNames()[p.timestamps], p.view.search.text}
}

// RestoreState implements [Rememberer].
func (p Logs) RestoreState(b json.RawMessage) Pane {
	var m logsState
	if json.Unmarshal(b, &m) != nil || !slices.Contains([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, m.Level) {
		return p
	}
	p.wrap, p.filter = m.Wrap, NewTextInput(m.Needle)
	p.timestamps = timestampMode(max(0, slices.Index(timestampNames(), m.Stamp)))
	p.view.setSearch(newSearch(m.Find))
	return p.look(Filter{Level: parseLevel(m.Level), Part: m.Part, Client: m.Client, Text: m.Needle})
}
