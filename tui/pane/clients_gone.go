package pane

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// WantedQuery implements [Querier].
func (p Clients) WantedQuery() Query { return p.known.wantedQuery() }

// TakeResult implements [Querier].
func (p Clients) TakeResult(r Result) Pane {
	p.known = p.known.takeResult(r)
	return p.refreshRows()
}

// goneAgentKeyIntent is what a key does to an agent that left; nil: nothing.
func goneAgentKeyIntent(p Clients, k Press, a status.Agent) Intent {
	switch {
	case key.Matches(k, p.keys.SeeCalls, p.keys.Enter):
		return OpenPane{Pane: ActivityPane, Focus: "client:" + a.Client}
	case key.Matches(k, p.keys.UndoSession):
		return IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: a.Session}})
	default:
		return agentKeyIntent(p.keys, k.KeyPressMsg, p.snap, a.Client)
	}
}

func goneAgentBindings(p Clients, a status.Agent) []key.Binding {
	help := widget.WithHelp
	pause := help(p.keys.PauseClient, "pause writes")
	if !pauseStartTime(p.snap, a.Client).IsZero() {
		pause = help(pause, "let it write")
	}
	return []key.Binding{
		help(p.keys.Enter, "its calls"), pause, toggleReadOnlyBinding(p, a.Client), p.keys.Revoke, p.keys.UndoSession,
		p.keys.Filter,
	}
}

// toggleReadOnlyBinding is the key with what it does to an agent now.
func toggleReadOnlyBinding(p Clients, client string) key.Binding {
	if isAgentReadOnly(p.snap, client) {
		return widget.WithHelp(p.keys.ReadOnly, "as before")
	}
	return widget.WithHelp(p.keys.ReadOnly, "only read")
}

// goneAgentKeyDisabledReason is KeyDisabledReason while an agent that left is selected.
func goneAgentKeyDisabledReason(p Clients, k tea.KeyPressMsg, a status.Agent) string {
	switch {
	case key.Matches(k, p.keys.Remove):
		return a.Client + " is not connected."
	case key.Matches(k, p.keys.PauseClient) && !p.snap.Hub.WritesPaused.IsZero():
		return "The writes of all agents are paused. Press H to end that."
	case key.Matches(k, p.keys.PauseClient, p.keys.ReadOnly, p.keys.Revoke, p.keys.UndoSession):
		return reasonUnless(IsHubRunning(p.snap), hubNotRunning)
	case key.Matches(k, p.keys.Install, p.keys.Copy):
		return "Select a client in the list below first."
	}
	return ""
}

// drawGoneAgentRow is the row of an agent that left.
func drawGoneAgentRow(t theme.Theme, s status.Snapshot, zone *time.Location, a status.Agent, w int) string {
	proof := "unproven"
	if a.Proven {
		proof = "proven"
	}
	state := "left, last seen " + widget.FormatClockTime(a.LastSeen, s.Time, zone)
	style := t.Dim
	if !pauseStartTime(s, a.Client).IsZero() {
		state, style = "writes paused · "+state, t.Bad
	}
	line, used := "", 0
	for _, c := range agentColumns(w) {
		text := ""
		switch c.i {
		case 0:
			text = "○ " + a.Client
		case 1:
			text = " " + proof
		case 5:
			line += style.Fit("  "+state, c.w)
			used += c.w
			continue
		}
		line += t.Dim.Fit(text, c.w)
		used += c.w
	}
	return widget.FillRow(t, line, max(w, used))
}

// goneAgentSection is all there is to say of an agent that left.
func goneAgentSection(p Clients, t theme.Theme, a status.Agent) widget.Section {
	return widget.Section{Title: a.Client, Note: "left", Min: 3, Preferred: 12, Rows: func(w, h int) []string {
		var rows []string
		field := func(name, value string) { rows = append(rows, widget.PropertyRows(t, 9, name, value, w)...) }
		field("was", "session "+widget.OrDash(a.Session)+proofSuffix(a.Proven))
		field("seen", a.LastSeen.In(p.zone).Format("Mon 2 Jan 15:04:05"))
		if a.LastTool != "" {
			field("did last", a.LastTool+" in "+widget.OrDash(a.Source))
		}
		if since := pauseStartTime(p.snap, a.Client); !since.IsZero() {
			rows = append(rows, t.Bad.Cut("Its writes are paused. P ends that.", w))
		}
		rows = append(rows, "", t.Dim.Cut("What you decide here applies when it comes back.", w))
		return widget.TruncateRows(t, rows, h)
	}}
}

// connectTitle is the title of a place: Lectern is connected to a program, and the
// service that starts it is not.
func connectTitle(target installTarget) string {
	if target.install.ID == "service" {
		return target.title
	}
	return "Connect " + target.title
}
