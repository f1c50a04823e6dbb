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
	Needle string       `json:"filter,omitempty"`
	Wrap   bool         `json:"wrap,omitempty"`
	Stamp  bool         `json:"times"`
}

// Remember implements [Rememberer].
func (p Logs) Remember() any {
	l := p.view.lens
	return logMemory{l.level.status(), l.part, l.needle, p.wrap, p.stamp}
}

// Recall implements [Rememberer].
func (p Logs) Recall(b json.RawMessage) Pane {
	var m logMemory
	if json.Unmarshal(b, &m) != nil || !slices.Contains([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, m.Level) {
		return p
	}
	p.wrap, p.stamp, p.filter = m.Wrap, m.Stamp, NewField(m.Needle)
	return p.look(lens{level: rank(m.Level), part: m.Part, needle: m.Needle})
}
