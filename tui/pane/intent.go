package pane

import (
	"encoding/json"
	"strings"

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

// wish is the Intent for a: what takes something away, or edits a file, is
// asked first.
func wish(a status.Action) Intent {
	switch a.Verb {
	case status.StartHub, status.PinHub, status.UnpinHub, status.ReopenSource, status.Reload, status.Refuse, status.CheckUpdate, status.Acknowledge:
		return Do{a}
	case status.Allow:
		if a.Answer == nil || a.Answer.Scope != status.Always {
			return Do{a} // what it would do is on the screen
		}
	default:
	}
	return Ask{a}
}

// Deed is what a does, in words: "remove notes". What is put into programs has
// the name there that s gives it.
func Deed(a status.Action, s status.Snapshot) string {
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
		return "remove " + a.Target
	case status.ReopenSource:
		return "reopen " + a.Target
	case status.Reload:
		return "read the configuration again"
	case status.Allow:
		return "allow the call" + reach(a)
	case status.Refuse:
		return "refuse the call"
	case status.Acknowledge:
		return "acknowledge it"
	case status.UndoChanges:
		return "undo " + picked(a)
	case status.SetGrant:
		return "change what agents may do"
	case status.SetOption:
		if a.Option != nil {
			return "set " + a.Option.Key
		}
		return "set an option"
	case status.AllowOrigin:
		return "let " + a.Target + " in"
	case status.RotateToken:
		return "make a new token for the " + a.Target
	case status.CheckUpdate:
		return "look for a newer version"
	case status.InstallUpdate:
		return strings.TrimSpace("install version " + a.Target)
	case status.RollBack:
		return "go back to the version before"
	case status.Install:
		return placing(a.Target, s, "put Lectern into", "install", "start the hub at login")
	case status.Uninstall:
		return placing(a.Target, s, "take Lectern out of", "remove", "start the hub at login no more")
	default:
		return string(a.Verb) + " " + a.Target
	}
}

// reach is how far an Allow reaches, in words.
func reach(a status.Action) string {
	switch {
	case a.Answer == nil:
		return ""
	case a.Answer.Scope == status.ForSession:
		return " until the session ends"
	case a.Answer.Scope == status.Always:
		return ", and all like it"
	default:
		return ""
	}
}

// picked is what an undo is about, in words.
func picked(a status.Action) string {
	switch p := a.Filter; {
	case p == nil:
		return "changes"
	case len(p.IDs) == 1:
		return "change " + p.IDs[0]
	case len(p.IDs) > 1:
		return many(uint64(len(p.IDs)), "change")
	case p.Session != "":
		return "all of session " + p.Session
	default:
		return "changes"
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
