package pane

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A settingsAction is something that concerns Lectern itself and is no key of the
// configuration.
type settingsAction struct {
	title       string
	description string // with what follows from it
	action      status.Action
	token       string // what shows this token; empty: action is done
	disabled    string // why it cannot be done now; empty: it can
}

// settingsActions are what can be done, in their order.
func settingsActions(s status.Snapshot) []settingsAction {
	all := []settingsAction{{
		title: "Roll back to the previous version", description: "Restores the binary from before the last update and restarts the hub.",
		action: status.Action{Verb: status.RollBack}, disabled: reasonUnless(s.Update.Previous != "",
			"There is no previous version on this machine."),
	}, actionToShowToken("clients", "Clients that connect over HTTP send this token. The panel and lectern serve do not need it: they use a "+
		"socket that only you can open."), {
		title: "Rotate the token of the clients", action: status.Action{Verb: status.RotateToken, Target: "clients"},
		description: "Clients that connect over HTTP are rejected until they have the new token" + clientsUsingTokenText(s) +
			". Clients that use lectern serve or have their own token are not affected.",
	}, actionToShowToken("plugin", "The plugin proves that it has this token, and never sends it."), {
		title: "Rotate the token of the plugin", action: status.Action{Verb: status.RotateToken, Target: "plugin"},
		description: "The plugin is rejected until it has the new token. The preview says whether Lectern can update it.",
	}}
	idle := settingsAction{
		title:       "Keep the hub running when idle",
		description: "The hub keeps running when no agent is connected.", action: status.Action{Verb: status.PinHub},
	}
	if s.Hub.Pinned {
		idle = settingsAction{
			title:       "Stop the hub when idle",
			description: "The hub stops some time after the last agent disconnects.", action: status.Action{Verb: status.UnpinHub},
		}
	}
	return append(append(append(all, idle), loginStartActions(s)...), settingsAction{
		title:       "Reload the configuration",
		description: "Use it after editing the file. Agents may see different tools.", action: status.Action{Verb: status.Reload},
	})
}

// A SettingsCommand names a row of [Settings] that does something.
type SettingsCommand struct {
	Title    string
	Disabled string // why it cannot be done now; empty: it can
	Open     OpenPane
}

// SettingsCommands are what can be done in [Settings], each with the way to its row.
func SettingsCommands(s status.Snapshot) []SettingsCommand {
	var all []SettingsCommand
	for _, d := range settingsActions(s) {
		all = append(all, SettingsCommand{d.title, d.disabled, OpenPane{Pane: SettingsPane, Focus: settingsActionID(d)}})
	}
	return all
}

func settingsActionID(d settingsAction) string { return "do " + d.title }

// ShowItem implements [ItemPane]: it selects a setting by its key, or something to do.
func (p Settings) ShowItem(id string) Pane {
	p.list = p.list.Select(id)
	return p
}

// clientsUsingTokenText names the clients that a new token shuts out now.
func clientsUsingTokenText(s status.Snapshot) string {
	var names []string
	for _, c := range s.Sessions {
		if name := widget.OrDash(c.Client); c.Transport == status.HTTP && !c.Proven && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return " (none is connected now)"
	}
	return " (connected now: " + strings.Join(names, ", ") + ")"
}

// serviceID is the ID of the Install that runs the hub from login on.
const serviceID = "service"

// loginStartActions starts the hub at login, or no longer; empty: that is not known.
func loginStartActions(s status.Snapshot) []settingsAction {
	i := slices.IndexFunc(s.Installations, func(i status.Installation) bool { return i.ID == serviceID })
	if i < 0 {
		return nil
	}
	at := s.Installations[i]
	in := settingsAction{
		title: "Start the hub at login", description: "The hub is ready before the first agent connects, and restarts if it fails.",
		action: status.Action{Verb: status.Install, Target: serviceID},
	}
	out := settingsAction{
		title:       "Do not start the hub at login",
		description: "The hub then starts when the panel or an agent needs it.", action: status.Action{Verb: status.Uninstall, Target: serviceID},
	}
	switch at.State {
	case status.Stopped:
		return []settingsAction{in}
	case status.Degraded:
		in.title, in.description = "Repair start at login", "Current state: "+at.Condition+". "+at.Note
		return []settingsAction{in, out}
	default:
		return []settingsAction{out}
	}
}
