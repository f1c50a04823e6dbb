package pane

import (
	"encoding/json"

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
	// AskAll shows the Plans of several Actions as one, and carries them out in
	// their order when a person agrees.
	AskAll struct {
		Title   string
		Actions []status.Action
	}
	// DoAll carries several Actions out, one after the other, to the first that
	// fails.
	DoAll struct{ Actions []status.Action }
	// Copy puts Text on the clipboard. What names it: "the Cursor snippet".
	Copy struct{ What, Text string }
	// Save writes Text to a file whose name begins like Name.
	Save struct{ What, Name, Text string }
	// Export writes the whole log to a new file; without a name to one of
	// Lectern's own.
	Export struct{ Name string }
	// Agree shows a Plan of the pane's own, and has Then done when a person
	// agrees.
	Agree struct {
		Plan status.Plan
		Then Intent
	}
	// Reveal reads a token, by the Part of status.RotateToken: what comes of it
	// is a Fact about the Token.
	Reveal struct{ Token string }
	// CopyToken puts a token on the clipboard. The panel does not get to see it.
	CopyToken struct{ Token string }
	// Open turns to another tab, there to a Part if one is named.
	Open struct{ Tab, Part string }
	// Push presses a key in a tab, as a person would. No Tab: where one is.
	Push struct {
		Tab string
		Key tea.KeyPressMsg
	}
	// Try runs a tool by hand. What comes of it is a Fact about the Trial.
	Try struct {
		Source, Tool string
		Args         json.RawMessage
	}
	// Say tells a person something, such as why a key did nothing.
	Say struct{ Text string }
)

func (Pass) intent()      {}
func (Do) intent()        {}
func (Ask) intent()       {}
func (AskAll) intent()    {}
func (DoAll) intent()     {}
func (Copy) intent()      {}
func (Save) intent()      {}
func (Export) intent()    {}
func (Agree) intent()     {}
func (Reveal) intent()    {}
func (CopyToken) intent() {}
func (Open) intent()      {}
func (Push) intent()      {}
func (Say) intent()       {}
func (Try) intent()       {}

// The names of the tabs.
const (
	OverviewTab = "Overview"
	SourcesTab  = "Sources"
	ActivityTab = "Activity"
	ChangesTab  = "Changes"
	ClientsTab  = "Clients"
	ToolsTab    = "Tools"
	LogsTab     = "Logs"
	DoctorTab   = "Doctor"
	SettingsTab = "Settings"
)

// wish is the Intent for a, which shows its plan first if a person is to agree.
func wish(a status.Action) Intent {
	if a.AsksFirst() {
		return Ask{a}
	}
	return Do{a}
}

// Deed is what a does, in words: "remove notes". What is put into programs has
// the name there that s gives it.
func Deed(a status.Action, s status.Snapshot) string {
	switch a.Verb {
	case status.Install:
		return placing(a.Target, s, "put Lectern into", "install", "start the hub at login")
	case status.Uninstall:
		return placing(a.Target, s, "take Lectern out of", "remove", "start the hub at login no more")
	default:
		return a.Title()
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
