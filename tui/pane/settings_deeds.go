package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A deed is something that concerns Lectern itself and is no key of the
// configuration.
type deed struct {
	title  string
	means  string // with what follows from it
	action status.Action
	press  rune   // the panel's own key that does it; 0: none
	token  string // what shows this token; empty: action is done
	off    string // why it cannot be done now; empty: it can
}

// deeds are what can be done, in their order.
func deeds(s status.Snapshot) []deed {
	agents := many(uint64(len(s.Sessions)), "agent")
	all := []deed{versionDeed(s), {
		title: "Look for a newer version", means: "Asks where Lectern is published. Nothing is changed.",
		action: status.Action{Verb: status.CheckUpdate},
	}, {
		title: "Go back to the version before", means: "Puts the binary of before the last update back and starts the hub with it.",
		action: status.Action{Verb: status.RollBack}, off: unless(s.Update.Previous != "", "There is no version before this one here."),
	}, tokenDeed("clients", "What clients that connect by HTTP show. The panel and lectern serve need none: they come by a socket that only you may open."), {
		title: "Make a new token for the clients", action: status.Action{Verb: status.RotateToken, Target: "clients"},
		means: "Clients that connect by HTTP are refused until they have the new one" + byToken(s) + "; those that start lectern serve, or show a token of their own, notice nothing.",
	}, tokenDeed("plugin", "What Logseq's plugin proves to have, and never sends."), {
		title: "Make a new token for the plugin", action: status.Action{Verb: status.RotateToken, Target: "plugin"},
		means: "Logseq's plugin is refused until it has the new one: the Plan says whether it is put there.",
	}}
	if s.Hub.Pinned {
		all = append(all, deed{title: "Let the hub leave when idle", means: "It ends some time after the last agent has left.", action: status.Action{Verb: status.UnpinHub}})
	} else {
		all = append(all, deed{title: "Keep the hub when idle", means: "It stays when no agent is connected.", action: status.Action{Verb: status.PinHub}})
	}
	all = append(all, loginDeeds(s)...)
	all = append(all, deed{
		title: "Other colours", press: 'C',
		means: "Those for the ground that the terminal has, for a dark or a light one, or high contrast. The next panel has them too.",
	})
	return append(all, deed{title: "Read the configuration again", means: "For after an edit by hand. " + agents + " may see other tools.", action: status.Action{Verb: status.Reload}},
		deed{title: "Restart the hub", means: agents + " wait a moment; none loses an answer.", action: status.Action{Verb: status.RestartHub}})
}

func versionDeed(s status.Snapshot) deed {
	d := deed{title: "Update Lectern", means: fmt.Sprintf("Version %s runs.", orNone(s.Hub.Version)), action: status.Action{Verb: status.InstallUpdate}}
	switch v := newer(s); {
	case v != "" && s.Update.Note != "":
		d.off = "Not from here: " + s.Update.Note + " " + s.Update.URL
		d.means += " " + v + " is there. " + d.off
	case v != "":
		d.title = "Update Lectern to " + v
		d.means += " Downloads " + v + ", checks its signature, swaps the binary and restarts the hub. Agents notice a pause."
	default:
		d.off = "No newer version is known. Look for one first."
		d.means += " " + d.off
	}
	return d
}

func unless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}

// byToken names the clients that a new token shuts out now.
func byToken(s status.Snapshot) string {
	var names []string
	for _, c := range s.Sessions {
		if name := orNone(c.Client); c.Transport == status.HTTP && !c.Proven && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "; none is connected so now"
	}
	return ": now " + strings.Join(names, ", ")
}

// loginPlace is the ID of the Install that runs the hub from login on.
const loginPlace = "service"

// loginDeeds starts the hub at login, or no longer; empty: that is not known.
func loginDeeds(s status.Snapshot) []deed {
	i := slices.IndexFunc(s.Installations, func(i status.Installation) bool { return i.ID == loginPlace })
	if i < 0 {
		return nil
	}
	at := s.Installations[i]
	in := deed{title: "Start the hub at login", means: "It is there before the first agent is, and is kept running.", action: status.Action{Verb: status.Install, Target: loginPlace}}
	out := deed{title: "Start the hub no longer at login", means: "It starts when the panel or an agent needs it.", action: status.Action{Verb: status.Uninstall, Target: loginPlace}}
	switch at.State {
	case status.Stopped:
		return []deed{in}
	case status.Degraded:
		in.title, in.means = "Mend the start at login", "What is there: "+at.Condition+". "+at.Note
		return []deed{in, out}
	default:
		return []deed{out}
	}
}
