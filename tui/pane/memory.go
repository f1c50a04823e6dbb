package pane

import "encoding/json"

// What the panes keep from one panel to the next; Logs has a file of its own.
type (
	activityMemory struct {
		Source string `json:"source,omitempty"`
		Needle string `json:"filter,omitempty"`
		Errors bool   `json:"errors,omitempty"`
		Totals bool   `json:"totals,omitempty"`
	}
	toolsMemory struct {
		Source string `json:"source,omitempty"`
		Client string `json:"client,omitempty"`
		Needle string `json:"filter,omitempty"`
	}
	settingsMemory struct {
		Needle string `json:"filter,omitempty"`
	}
)

// Remember implements [Rememberer].
func (p Activity) Remember() any {
	s := p.ring.sieve
	return activityMemory{s.source, s.needle, p.errors, p.totals}
}

// Recall implements [Rememberer].
func (p Activity) Recall(b json.RawMessage) Pane {
	var m activityMemory
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.errors, p.totals, p.filter = m.Errors, m.Totals, NewField(m.Needle)
	p.ring.look(sieve{m.Source, m.Needle})
	return p
}

// Remember implements [Rememberer].
func (p Tools) Remember() any {
	return toolsMemory{p.scope.Source, p.scope.Client, p.filter.Value()}
}

// Recall implements [Rememberer].
func (p Tools) Recall(b json.RawMessage) Pane {
	var m toolsMemory
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.scope.Source, p.scope.Client, p.filter = m.Source, m.Client, NewField(m.Needle)
	return p
}

// Remember implements [Rememberer].
func (p Settings) Remember() any { return settingsMemory{p.filter.Value()} }

// Recall implements [Rememberer].
func (p Settings) Recall(b json.RawMessage) Pane {
	var m settingsMemory
	if json.Unmarshal(b, &m) == nil {
		p.filter = NewField(m.Needle)
	}
	return p
}
