package logview

import (
	"encoding/json"
	"slices"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// savedState is what a View keeps from one panel to the next.
type savedState struct {
	Level     status.Level `json:"level"`
	Component string       `json:"component,omitempty"`
	Client    string       `json:"client,omitempty"`
	Filter    string       `json:"filter,omitempty"`
	Wrap      bool         `json:"wrap,omitempty"`
}

// StateToSave returns how the log is shown, as a value with a JSON form.
func (v View) StateToSave() any {
	f := v.log.filter
	return savedState{f.level.statusLevel(), f.component, f.client, f.text, v.wrap}
}

// RestoreState takes over what another View saved, if it can be read.
func (v View) RestoreState(b json.RawMessage) View {
	var s savedState
	if json.Unmarshal(b, &s) != nil || !slices.Contains([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, s.Level) {
		return v
	}
	v.wrap, v.filter = s.Wrap, widget.NewFilterInput(s.Filter)
	return v.setFilter(filter{level: parseLevel(s.Level), component: s.Component, client: s.Client, text: s.Filter})
}
