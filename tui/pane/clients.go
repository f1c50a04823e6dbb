package pane

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Clients shows the agents that are attached, the places on this machine that
// Lectern can be put into, and what to give to a client by hand so that its
// agent gets in. The places are in clients_targets.go.
type Clients struct {
	keys    Keys
	zone    *time.Location
	snap    status.Snapshot
	targets []installTarget
	cursor  int    // the selected place
	agent   string // the selected agent, by the name of its session; empty: a place is selected
}

// NewClients returns a Clients that shows times of zone.
func NewClients(k Keys, zone *time.Location) Pane { return Clients{keys: k, zone: zone} }

// clientsHelp lists the keys of [Clients].
func clientsHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Install, "install Lectern in the client"), help(k.Remove, "uninstall it, or disconnect the selected agent"), help(k.Copy, "copy the snippet"),
		help(k.Save, "save the snippet to a file"), help(k.SeeCalls, "calls of the selected agent"), help(k.PauseClient, "pause the writes of the selected agent"),
	}}}
}

// Show implements [Pane]. The selection stays on its place when others come.
func (p Clients) Show(s status.Snapshot) Pane {
	selected := p.selected().title
	p.snap, p.targets = s, installTargets(s)
	p.cursor = widget.Clamp(p.cursor, len(p.targets))
	return p.Focus(selected)
}

// Focus implements [Focuser]: part is the title of a place.
func (p Clients) Focus(part string) Pane {
	for i, one := range p.targets {
		if one.title == part {
			p.cursor = i
		}
	}
	return p
}

// Key implements [Pane].
func (p Clients) Key(k Press) (Pane, Intent) {
	if why := p.DisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, want, ok := p.agentKey(k); ok {
		return next, want
	}
	switch {
	case key.Matches(k, p.keys.Install):
		return p, p.installIntent(status.Install)
	case key.Matches(k, p.keys.Remove):
		return p, p.installIntent(status.Uninstall)
	case key.Matches(k, p.keys.Copy):
		return p, copySnippet(p.selected().snippet)
	case p.keys.saves(k.KeyPressMsg, Running(p.snap)):
		return p, p.save()
	default:
		next, ok := p.move(k)
		if !ok {
			return p, Unhandled{}
		}
		return next, nil
	}
}

// installIntent is what puts Lectern into the selected place, or takes it out.
func (p Clients) installIntent(v status.Verb) Intent {
	return IntentFor(status.Action{Verb: v, Target: p.selected().install.ID})
}

func (p Clients) save() Intent {
	s := p.selected().snippet
	return Save{What: "the snippet for " + s.Client, Name: "lectern-" + fileName(s.Client) + ".txt", Text: s.Text + "\n"}
}

// fileName is s as part of a file name.
func fileName(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "client"
	}
	return strings.Join(words, "-")
}

// Keys implements [Pane].
func (p Clients) Keys() []key.Binding {
	if p.agent != "" {
		return p.agentKeys()
	}
	one := p.selected()
	if one.title == "" {
		return nil
	}
	var keys []key.Binding
	switch one.install.State {
	case "":
	case status.Stopped:
		keys = append(keys, p.keys.Install)
	case status.Ready:
		keys = append(keys, widget.WithHelp(p.keys.Remove, "uninstall"))
	default:
		keys = append(keys, widget.WithHelp(p.keys.Install, "repair"), widget.WithHelp(p.keys.Remove, "uninstall"))
	}
	if one.snippet.Text != "" {
		keys = p.keys.withSave(Running(p.snap), append(keys, p.keys.Copy)...)
	}
	return append(keys, widget.WithHelp(p.keys.Down, "next client"))
}

// View implements [Pane].
func (p Clients) View(t theme.Theme, w, h int) string {
	frame := widget.Framed(w, h)
	agents := p.agentsSection(t)
	agents.Preferred = min(agents.Preferred, max(agents.Min, h/2-2))
	return strings.Join(widget.Stack(t, w, h, frame, agents, p.connectSection(t, w, h)), "\n")
}

func (p Clients) agentsSection(t theme.Theme) widget.Section {
	n := len(p.snap.Sessions)
	return widget.Section{
		Title: titleWithCount("Connected agents", n), Min: min(max(1, n), 2), Preferred: max(1, n+1),
		Rows: func(w, h int) []string {
			if n == 0 {
				return []string{t.Dim.Text(noAgentText(p.snap))}
			}
			var rows []string
			if h > n {
				rows, h = append(rows, sessionHeading(t, w)), h-1
			}
			return append(rows, p.agentRows(t, w, h)...)
		},
	}
}

// From this width on a session's row says how it proved itself and what it may.
const grantsWidth = 96

func sessionHeading(t theme.Theme, w int) string {
	line := t.Dim.Fit("  client", clientWidth(w)+3) + t.Dim.Fit("by", 7)
	if w >= 72 {
		line += t.Dim.Fit("sees", 13)
	}
	line += t.Dim.FitRight("calls", 7)
	if w >= 48 {
		line += t.Dim.Fit("  last call", min(30, w-theme.Width(line)))
	}
	if w >= grantsWidth {
		line += t.Dim.Text("  identity and permissions")
	}
	return theme.Fit(line, w)
}

func sessionRow(t theme.Theme, s status.Session, w int, now time.Time, zone *time.Location) string {
	glyph, style := t.State(s.State)
	name := strings.TrimSpace(s.Client + " " + s.Version)
	if s.Client == "" {
		name = s.Name
	}
	line := style.Text(glyph) + " " + t.Strong.Fit(name, clientWidth(w)) + " " + t.Dim.Fit(string(s.Transport), 7)
	if w >= 72 {
		scope := s.Scope
		if scope == "" {
			scope = "all sources"
		}
		line += t.Dim.Fit(scope, 12) + " "
	}
	line += t.Text.FitRight(widget.Count(s.Calls), 7)
	if w >= 48 {
		last := ""
		if s.Calls > 0 {
			last = "  " + widget.ClockTime(s.LastCall, now, zone) + " " + s.LastTool
		}
		line += t.Dim.Fit(last, min(30, w-theme.Width(line)))
	}
	if w >= grantsWidth {
		line += identityText(t, s)
	}
	return theme.Fit(line, w)
}

// identityText says whether s has shown who it is, and what it may do.
func identityText(t theme.Theme, s status.Session) string {
	who := t.Dim.Text("  unverified · ")
	if s.Proven {
		who = t.Good.Text("  verified · ")
	}
	if !s.WritesPaused.IsZero() {
		return who + t.Bad.Text("writes paused")
	}
	if s.Grants == "" {
		return who + t.Dim.Text("source permissions")
	}
	return who + t.Text.Text(s.Grants)
}

// clientWidth is what the other columns leave for the name of a client.
func clientWidth(w int) int {
	if w >= 72 {
		return min(28, w-54)
	}
	return min(28, max(12, w-41))
}

// DisabledReason implements [Pane].
func (p Clients) DisabledReason(k tea.KeyPressMsg) string {
	if p.agent != "" {
		return p.agentDisabledReason(k)
	}
	one := p.selected()
	puts, takes := key.Matches(k, p.keys.Install), key.Matches(k, p.keys.Remove)
	switch {
	case (puts || takes) && one.title == "":
		return "No client found to install Lectern in."
	case (puts || takes) && one.install.ID == "":
		return "This client has no configuration file that Lectern can edit. Press c to copy the snippet."
	case takes && one.install.State == status.Stopped:
		return "Lectern is not installed in " + one.title + "."
	case !key.Matches(k, p.keys.Copy) && !p.keys.saves(k, Running(p.snap)):
		return ""
	case one.title == "":
		return snippetDisabledReason(p.snap)
	default:
		return reasonUnless(one.snippet.Text != "", "This client needs no snippet. Press i to install Lectern.")
	}
}

// SelectRow implements [RowSelector].
func (p Clients) SelectRow(i int) (Pane, bool) {
	at := len(p.snap.Sessions) + p.cursor
	if agent := p.agentIndex(); agent >= 0 {
		at = agent
	}
	return p.selectAt(i), at == i
}
