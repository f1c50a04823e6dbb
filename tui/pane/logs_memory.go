package pane

import (
	"encoding/json"
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// logMemory is what Logs keeps from one panel to the next.
type logMemory struct {
	Level  status.Level `json:"level"`
	Part   string       `json:"part,omitempty"`
	Client string       `json:"client,omitempty"`
	Needle string       `json:"filter,omitempty"`
	Wrap   bool         `json:"wrap,omitempty"`
	Stamp  string       `json:"stamp"`
	Find   string       `json:"find,omitempty"`
}

// Remember implements [Rememberer].
func (p Logs) Remember() any {
	l := p.view.lens
	return logMemory{l.level.status(), l.part, l.client, l.needle, p.wrap, stampNames()[p.stamp], p.view.search.text}
}

// Recall implements [Rememberer].
func (p Logs) Recall(b json.RawMessage) Pane {
	var m logMemory
	if json.Unmarshal(b, &m) != nil || !slices.Contains([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, m.Level) {
		return p
	}
	p.wrap, p.filter = m.Wrap, NewField(m.Needle)
	p.stamp = stamping(max(0, slices.Index(stampNames(), m.Stamp)))
	p.view.seek(newSearch(m.Find))
	return p.look(lens{level: rank(m.Level), part: m.Part, client: m.Client, needle: m.Needle})
}
