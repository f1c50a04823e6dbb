package pane

import (
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// Intent is what a pane wants done: plain data, from this file's closed list.
type Intent interface{ intent() }

type (
	// Pass gives a key back to the panel.
	Pass struct{}
	// Do carries an Action out.
	Do struct{ Action status.Action }
	// Ask shows the Plan of an Action and carries it out when a person agrees.
	Ask struct{ Action status.Action }
	// Copy puts Text on the clipboard. What names it: "the Cursor snippet".
	Copy struct{ What, Text string }
	// Save writes Text to a file whose name begins like Name.
	Save struct{ What, Name, Text string }
	// Open turns to another tab, there to a Part if one is named.
	Open struct{ Tab, Part string }
	// Push presses a key in a tab, as a person would. No Tab: where one is.
	Push struct {
		Tab string
		Key tea.KeyPressMsg
	}
	// Say tells a person something, such as why a key did nothing.
	Say struct{ Text string }
)

func (Pass) intent() {}
func (Do) intent()   {}
func (Ask) intent()  {}
func (Copy) intent() {}
func (Save) intent() {}
func (Open) intent() {}
func (Push) intent() {}
func (Say) intent()  {}

// The names of the tabs.
const (
	OverviewTab = "Overview"
	SourcesTab  = "Sources"
	LogsTab     = "Logs"
	ClientsTab  = "Clients"
)

// wish is the Intent for a: what takes something away, or edits a file, is
// asked first.
func wish(a status.Action) Intent {
	switch a.Verb {
	case status.StopHub, status.RestartHub, status.AddSource, status.RemoveSource:
		return Ask{a}
	default:
		return Do{a}
	}
}

// Deed is what a does, in words: "remove notes".
func Deed(a status.Action) string {
	switch a.Verb {
	case status.StartHub:
		return "start the hub"
	case status.StopHub:
		return "stop the hub"
	case status.RestartHub:
		return "restart the hub"
	case status.PinHub:
		return "keep the hub when idle"
	case status.UnpinHub:
		return "let the hub leave when idle"
	case status.AddSource:
		if a.Source != nil {
			return "add " + a.Source.Place
		}
		return "add a source"
	case status.RemoveSource:
		return "remove " + a.Part
	case status.ReopenSource:
		return "reopen " + a.Part
	case status.Reload:
		return "read the configuration again"
	default:
		return string(a.Verb) + " " + a.Part
	}
}

// Running reports whether a hub answers, or is about to.
func Running(s status.Snapshot) bool {
	switch s.Hub.State {
	case status.Ready, status.Degraded, status.Starting, status.Stopping:
		return true
	default:
		return false
	}
}
