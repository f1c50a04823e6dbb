package pane

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// An Intent is what a pane wants done: plain data, from the closed list of this
// file. Package tui does it in dispatch.go.
type Intent interface{ isIntent() }

type (
	// Unhandled gives a key back to the panel.
	Unhandled struct{}
	// DoActions does the Actions in their order, up to the first that fails. Several
	// have a Title.
	DoActions struct {
		Title   string
		Actions []status.Action
	}
	// ConfirmActions shows the Plans of the Actions as one, and does them if a person
	// agrees.
	ConfirmActions DoActions
	// ConfirmPlan shows a Plan that the pane made, and does Then if a person agrees.
	ConfirmPlan struct {
		Plan status.Plan
		Then Intent
	}
	// CopyText puts Text on the clipboard. What names it: "the Cursor snippet".
	CopyText struct{ What, Text string }
	// SaveFile writes Text to a new file whose name begins like Name.
	SaveFile struct{ What, Name, Text string }
	// ExportLog writes the whole log to a new file.
	ExportLog struct{}
	// RevealToken reads the token that status.RotateToken calls so. Its Result is
	// that of a TokenRevealResultID.
	RevealToken struct{ Token string }
	// CopyToken puts a token on the clipboard; the panel does not see it.
	CopyToken struct{ Token string }
	// RunTool runs a tool. Its Result is that of a ToolRunResultID.
	RunTool struct {
		Source, Tool string
		Args         json.RawMessage
	}
	// EditPage opens the file of a page in the editor of the person. Its Result is
	// that of a PageEditResultID.
	EditPage struct{ Source, Page string }
	// EditText has a person edit the text that a waiting call would write, in their
	// editor: Text, if they have Edited it before, or else what the hub answers. What
	// they make of it is for [EditObserver].
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
	// MarkSeen says that the person has seen all that there is by now.
	MarkSeen struct{}
	// ShowMessage tells a person something, such as why a key did nothing.
	ShowMessage struct{ Text string }
)

func (Unhandled) isIntent()      {}
func (DoActions) isIntent()      {}
func (ConfirmActions) isIntent() {}
func (CopyText) isIntent()       {}
func (SaveFile) isIntent()       {}
func (ExportLog) isIntent()      {}
func (ConfirmPlan) isIntent()    {}
func (RevealToken) isIntent()    {}
func (CopyToken) isIntent()      {}
func (EditPage) isIntent()       {}
func (EditText) isIntent()       {}
func (OpenPane) isIntent()       {}
func (SendKey) isIntent()        {}
func (ShowMessage) isIntent()    {}
func (MarkSeen) isIntent()       {}
func (RunTool) isIntent()        {}

// IntentFor is the Intent for a, which shows its plan first if a person is to
// agree.
func IntentFor(a status.Action) Intent {
	if a.AsksFirst() {
		return ConfirmActions{Actions: []status.Action{a}}
	}
	return DoActions{Actions: []status.Action{a}}
}

// PauseOrResumeAction stops the writes of the client with this name, or of all: "". If they
// are paused since some time it ends that.
func PauseOrResumeAction(since time.Time, client string) status.Action {
	if since.IsZero() {
		return status.Action{Verb: status.PauseWrites, Target: client}
	}
	return status.Action{Verb: status.ResumeWrites, Target: client}
}

// DescribeAction is what a does, in words: "remove notes". An installation has the
// name there that s gives it.
func DescribeAction(a status.Action, s status.Snapshot) string {
	switch a.Verb {
	case status.Install:
		return describeInstallAction(a.Target, s, "install Lectern in", "install", "start the hub at login")
	case status.Uninstall:
		return describeInstallAction(a.Target, s, "uninstall Lectern from", "remove", "stop starting the hub at login")
	default:
		return a.Title()
	}
}

// IsHubRunning reports whether a hub answers, or is about to.
func IsHubRunning(s status.Snapshot) bool {
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
	return reasonUnless(v.Info().WithoutHub || IsHubRunning(s), hubNotRunning)
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
