package pane

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// An Intent is what a pane wants done: plain data, from the closed list of this
// file. Package tui does it in dispatch.go.
type Intent interface{ intent() }

type (
	// Unhandled gives a key back to the panel.
	Unhandled struct{}
	// Do does the Actions in their order, up to the first that fails. Several
	// have a Title.
	Do struct {
		Title   string
		Actions []status.Action
	}
	// Preview shows the Plans of the Actions as one, and does them if a person
	// agrees.
	Preview Do
	// Confirm shows a Plan that the pane made, and does Then if a person agrees.
	Confirm struct {
		Plan status.Plan
		Then Intent
	}
	// Copy puts Text on the clipboard. What names it: "the Cursor snippet".
	Copy struct{ What, Text string }
	// Save writes Text to a new file whose name begins like Name.
	Save struct{ What, Name, Text string }
	// ExportLog writes the whole log to a new file.
	ExportLog struct{}
	// RevealToken reads the token that status.RotateToken calls so. Its Result is
	// that of a TokenQuery.
	RevealToken struct{ Token string }
	// CopyToken puts a token on the clipboard; the panel does not see it.
	CopyToken struct{ Token string }
	// RunTool runs a tool. Its Result is that of a ToolRunQuery.
	RunTool struct {
		Source, Tool string
		Args         json.RawMessage
	}
	// EditText has a person edit the text that a waiting call would write, in their
	// editor: Text, if they have Edited it before, or else what the hub answers. What
	// they make of it is for [TextTaker].
	EditText struct {
		Approval status.Approval
		Text     string
		Edited   bool
	}
	// OpenPane opens a pane and has it focus on something, if Focus names it.
	OpenPane struct{ Pane, Focus string }
	// SendKey opens a pane and presses a key there. No Pane: the visible one.
	SendKey struct {
		Pane string
		Key  tea.KeyPressMsg
	}
	// ShowMessage tells a person something, such as why a key did nothing.
	ShowMessage struct{ Text string }
)

func (Unhandled) intent()   {}
func (Do) intent()          {}
func (Preview) intent()     {}
func (Copy) intent()        {}
func (Save) intent()        {}
func (ExportLog) intent()   {}
func (Confirm) intent()     {}
func (RevealToken) intent() {}
func (CopyToken) intent()   {}
func (EditText) intent()    {}
func (OpenPane) intent()    {}
func (SendKey) intent()     {}
func (ShowMessage) intent() {}
func (RunTool) intent()     {}

// IntentFor is the Intent for a, which shows its plan first if a person is to
// agree.
func IntentFor(a status.Action) Intent {
	if a.AsksFirst() {
		return Preview{Actions: []status.Action{a}}
	}
	return Do{Actions: []status.Action{a}}
}

// PauseAction stops the writes of the client with this name, or of all: "". If they
// are paused since some time it ends that.
func PauseAction(since time.Time, client string) status.Action {
	if since.IsZero() {
		return status.Action{Verb: status.PauseWrites, Target: client}
	}
	return status.Action{Verb: status.ResumeWrites, Target: client}
}

// Describe is what a does, in words: "remove notes". An installation has the
// name there that s gives it.
func Describe(a status.Action, s status.Snapshot) string {
	switch a.Verb {
	case status.Install:
		return installText(a.Target, s, "install Lectern in", "install", "start the hub at login")
	case status.Uninstall:
		return installText(a.Target, s, "uninstall Lectern from", "remove", "stop starting the hub at login")
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

const hubNotRunning = "The hub is not running. Press s to start it."

// actionDisabledReason says why v cannot be done as the hub is now; empty: it
// can.
func actionDisabledReason(s status.Snapshot, v status.Verb) string {
	return reasonUnless(v.Info().WithoutHub || Running(s), hubNotRunning)
}

func fixDisabledReason(s status.Snapshot, a *status.Action, fix string) string {
	if a == nil {
		return "This needs a manual fix. " + fix
	}
	return actionDisabledReason(s, a.Verb)
}

// reasonUnless is why something cannot be done, unless it can.
func reasonUnless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}
