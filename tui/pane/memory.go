package pane

import "encoding/json"

// What the panes keep from one panel to the next; Logs has a file of its own.
type (
	activityState struct {
		Source string `json:"source,omitempty"`
		Needle string `json:"filter,omitempty"`
		Errors bool   `json:"errors,omitempty"`
		Totals bool   `json:"totals,omitempty"`
	}
	toolsState struct {
		Source string `json:"source,omitempty"`
		Client string `json:"client,omitempty"`
		Needle string `json:"filter,omitempty"`
	}
	settingsState struct {
		Needle string `json:"filter,omitempty"`
	}
)

// SaveState implements [Rememberer].
func (p Activity) SaveState() any {
	s := p.ring.filter
	return activityState{s.source, s.needle, p.errors, p.totals}
}

// RestoreState implements [Rememberer].
func (p Activity) RestoreState(b json.RawMessage) Pane {
	var m activityState
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.errors, p.totals, p.filter = m.Errors, m.Totals, NewTextInput(m.Needle)
	p.ring.setFilter(callFilter{m.Source, m.Needle})
	return p
}

// SaveState implements [Rememberer].
func (p Tools) SaveState() any {
	return toolsState{p.scope.Source, p.scope.Client, p.filter.Value()}
}

// RestoreState implements [Rememberer].
func (p Tools) RestoreState(b json.RawMessage) Pane {
	var m toolsState
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.scope.Source, p.scope.Client, p.filter = m.Source, m.Client, NewTextInput(m.Needle)
	return p
}

// SaveState implements [Rememberer].
func (p Settings) SaveState() any { return settingsState{p.filter.Value()} }

// RestoreState implements [Rememberer].
func (p Settings) RestoreState(b json.RawMessage) Pane {
	var m settingsState
	if json.Unmarshal(b, &m) == nil {
		p.filter = NewTextInput(m.Needle)
	}
	return p
}
