package pane

import (
	"fmt"
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
	globalKey   rune   // the panel's own key that does it; 0: none
	token       string // what shows this token; empty: action is done
	disabled    string // why it cannot be done now; empty: it can
}

// settingsActions are what can be done, in their order.
func settingsActions(s status.Snapshot) []settingsAction {
	agents := widget.Plural(len(s.Sessions), "agent")
	all := []settingsAction{updateAction(s), {
		title: "Look for a newer version", description: "Asks where Lectern is published. Nothing is changed.",
		action: status.Action{Verb: status.CheckUpdate},
	}, {
		title: "Go back to the version before", description: "Puts the binary of before the last update back and starts the hub with it.",
		action: status.Action{Verb: status.RollBack}, disabled: reasonUnless(s.Update.Previous != "", "There is no version before this one here."),
	}, tokenAction("clients", "What clients that connect by HTTP show. The panel and lectern serve need none: they come by a socket that only you may open."), {
		title: "Make a new token for the clients", action: status.Action{Verb: status.RotateToken, Target: "clients"},
		description: "Clients that connect by HTTP are refused until they have the new one" + clientsByToken(s) + "; those that start lectern serve, or show a token of their own, notice nothing.",
	}, tokenAction("plugin", "What Logseq's plugin proves to have, and never sends."), {
		title: "Make a new token for the plugin", action: status.Action{Verb: status.RotateToken, Target: "plugin"},
		description: "Logseq's plugin is refused until it has the new one: the Plan says whether it is put there.",
	}}
	if s.Hub.Pinned {
		all = append(all, settingsAction{title: "Let the hub leave when idle", description: "It ends some time after the last agent has left.", action: status.Action{Verb: status.UnpinHub}})
	} else {
		all = append(all, settingsAction{title: "Keep the hub when idle", description: "It stays when no agent is connected.", action: status.Action{Verb: status.PinHub}})
	}
	all = append(all, loginActions(s)...)
	all = append(all, settingsAction{
		title: "Other colours", globalKey: 'C',
		description: "Those for the ground that the terminal has, for a dark or a light one, or high contrast. The next panel has them too.",
	})
	return append(all, settingsAction{title: "Read the configuration again", description: "For after an edit by hand. " + agents + " may see other tools.", action: status.Action{Verb: status.Reload}},
		settingsAction{title: "Restart the hub", description: agents + " wait a moment; none loses an answer.", action: status.Action{Verb: status.RestartHub}})
}

func updateAction(s status.Snapshot) settingsAction {
	d := settingsAction{title: "Update Lectern", description: fmt.Sprintf("Version %s runs.", widget.OrDash(s.Hub.Version)), action: status.Action{Verb: status.InstallUpdate}}
	switch v := availableVersion(s); {
	case v != "" && s.Update.Note != "":
		d.disabled = "Not from here: " + s.Update.Note + " " + s.Update.URL
		d.description += " " + v + " is there. " + d.disabled
	case v != "":
		d.title = "Update Lectern to " + v
		d.description += " Downloads " + v + ", checks its signature, swaps the binary and restarts the hub. Agents notice a pause."
	default:
		d.disabled = "No newer version is known. Look for one first."
		d.description += " " + d.disabled
	}
	return d
}

// clientsByToken names the clients that a new token shuts out now.
func clientsByToken(s status.Snapshot) string {
	var names []string
	for _, c := range s.Sessions {
		if name := widget.OrDash(c.Client); c.Transport == status.HTTP && !c.Proven && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "; none is connected so now"
	}
	return ": now " + strings.Join(names, ", ")
}

// serviceID is the ID of the Install that runs the hub from login on.
const serviceID = "service"

// loginActions starts the hub at login, or no longer; empty: that is not known.
func loginActions(s status.Snapshot) []settingsAction {
	i := slices.IndexFunc(s.Installations, func(i status.Installation) bool { return i.ID == serviceID })
	if i < 0 {
		return nil
	}
	at := s.Installations[i]
	in := settingsAction{title: "Start the hub at login", description: "It is there before the first agent is, and is kept running.", action: status.Action{Verb: status.Install, Target: serviceID}}
	out := settingsAction{title: "Start the hub no longer at login", description: "It starts when the panel or an agent needs it.", action: status.Action{Verb: status.Uninstall, Target: serviceID}}
	switch at.State {
	case status.Stopped:
		return []settingsAction{in}
	case status.Degraded:
		in.title, in.description = "Mend the start at login", "What is there: "+at.Condition+". "+at.Note
		return []settingsAction{in, out}
	default:
		return []settingsAction{out}
	}
}
