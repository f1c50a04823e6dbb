package pane

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// agentIndex is which of the connected agents is selected; -1: a place is.
func (p Clients) agentIndex() int {
	if p.agent == "" {
		return -1
	}
	return slices.IndexFunc(p.snap.Sessions, func(s status.Session) bool { return s.Name == p.agent })
}

// move moves the selection through the agents and, below them, the places.
func (p Clients) move(k Press) (Clients, bool) {
	agents := len(p.snap.Sessions)
	at := agents + p.cursor
	if i := p.agentIndex(); i >= 0 {
		at = i
	}
	i, ok := p.keys.Move(k.KeyPressMsg, at, agents+len(p.targets), k.H/2)
	if !ok {
		return p, false
	}
	return p.selectAt(i), true
}

// selectAt selects the agent or the place at position i of all.
func (p Clients) selectAt(i int) Clients {
	agents := len(p.snap.Sessions)
	i = widget.Clamp(i, agents+len(p.targets))
	if i < agents {
		p.agent = p.snap.Sessions[i].Name
		return p
	}
	p.agent, p.cursor = "", widget.Clamp(i-agents, len(p.targets))
	return p
}

// agentKeys are the keys of a selected agent.
func (p Clients) agentKeys() []key.Binding {
	pause := p.keys.PauseClient
	if i := p.agentIndex(); i >= 0 && !p.snap.Sessions[i].WritesPaused.IsZero() {
		pause = widget.WithHelp(pause, "let it write")
	}
	return []key.Binding{
		widget.WithHelp(p.keys.SeeCalls, "its calls"), pause, widget.WithHelp(p.keys.Remove, "disconnect"), widget.WithHelp(p.keys.Down, "next"),
	}
}

// agentKey answers a key of a selected agent.
func (p Clients) agentKey(k Press) (Pane, Intent, bool) {
	i := p.agentIndex()
	if i < 0 {
		return p, nil, false
	}
	agent := p.snap.Sessions[i]
	switch {
	case key.Matches(k, p.keys.Remove):
		return p, IntentFor(status.Action{Verb: status.Disconnect, Target: p.agent}), true
	case key.Matches(k, p.keys.PauseClient):
		return p, IntentFor(PauseAction(agent.WritesPaused, agent.Client)), true
	case key.Matches(k, p.keys.SeeCalls, p.keys.Enter):
		return p, OpenPane{Pane: ActivityPane, Focus: "client:" + agent.Client}, true
	default:
		return p, nil, false
	}
}

// agentDisabledReason is DisabledReason while an agent is selected.
func (p Clients) agentDisabledReason(k tea.KeyPressMsg) string {
	i := p.agentIndex()
	switch {
	case i < 0 && key.Matches(k, p.keys.Remove, p.keys.PauseClient, p.keys.SeeCalls, p.keys.Enter): // no key acts on what was not chosen
		return "That agent has left. Select another row."
	case key.Matches(k, p.keys.Remove) && p.snap.Sessions[i].Transport == status.Route:
		return "This program only sends requests to a route of a source, so it has no connection to end."
	case key.Matches(k, p.keys.Remove) && p.snap.Sessions[i].Transport == status.Own:
		return "The source makes these calls by itself, so there is no connection to end."
	case key.Matches(k, p.keys.PauseClient) && p.snap.Sessions[i].Client == "":
		return "This agent has no name. Press H to pause all writes."
	case key.Matches(k, p.keys.PauseClient) && !p.snap.Hub.WritesPaused.IsZero():
		return "The writes of all agents are paused. Press H to end that."
	case key.Matches(k, p.keys.Remove, p.keys.PauseClient):
		return actionDisabledReason(p.snap, status.Disconnect)
	case key.Matches(k, p.keys.Install, p.keys.Copy), p.keys.saves(k, Running(p.snap)):
		return "Select a client in the list below first."
	}
	return ""
}

// agentRows draw as many agents as h rows hold, the selected one among them.
func (p Clients) agentRows(t theme.Theme, w, h int) []string {
	n, at := len(p.snap.Sessions), p.agentIndex()
	row := func(t theme.Theme, i int) string {
		return widget.FillRow(t, sessionRow(t, p.snap.Sessions[i], w, p.snap.Time, p.zone), w)
	}
	if at < 0 {
		return widget.FirstRows(t, n, h, func(i int) string { return t.RowRegion(i, row(t, i)) })
	}
	return widget.VisibleRows(t, n, at, h, row)
}
