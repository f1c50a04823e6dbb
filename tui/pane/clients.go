package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Clients is one list: the agents that are connected, those that wait for a person
// first, and below them the places on this machine that Lectern can be put into.
// Beside it stands all there is to say of the selected row. What is said and done
// of an agent is in clients_agents.go, of a place in clients_install_targets.go.
type Clients struct {
	keys       Keys
	zone       *time.Location
	snap       status.Snapshot
	targets    []installTarget
	rows       []clientRow // as the list has them
	list       widget.List
	order      agentOrder
	unfolded   bool          // the places that were not found are listed, too
	left       bool          // the selected agent has, and nothing was selected since
	leftClient string        // the client of the agent that was selected last
	recent     []status.Call // of agents, oldest first

	known knownAgents
	now   time.Time // zero: as of the snapshot
}

// A clientRow is an agent, one that was there, a place, or stands for the places that were not found.
type clientRow struct {
	agent  *status.Session
	gone   *status.Agent // one that is not connected now
	target installTarget
	folded int // places
}

// The IDs of rows begin so; what follows is the name of a session or a title.
const (
	agentRowIDPrefix         = "agent/"
	goneAgentRowIDPrefix     = "gone/"
	installTargetRowIDPrefix = "place/"
	foldRowID                = "more"
)

// NewClients returns a Clients that shows times of zone.
func NewClients(k Keys, zone *time.Location) Pane { return Clients{keys: k, zone: zone} }

// clientsHelp lists the keys of [Clients].
func clientsHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Enter, "the agent's calls; the places that were not found"), help(k.PauseClient, pauseKeyHelp),
		help(k.ReadOnly, readOnlyKeyHelp),
		help(k.Remove, "disconnect it (it may come back)"), k.Uninstall, help(k.AllowScope, "end its ten-minute approvals"),
		help(k.Revoke, blockKeyHelp),
		help(k.UndoSession, "undo all changes of its session"), help(k.SortRows, "sort the agents by the next column"),
		help(k.Filter, "filter by letters"), help(k.Install, "install Lectern in the client"), help(k.Copy, "copy the snippet"),
		help(k.SeeCalls, "calls of the agent"),
	}}}
}

// SetSnapshot implements [Pane]. The selection stays on its row when others come.
func (p Clients) SetSnapshot(s status.Snapshot) Pane {
	p.known = p.known.markOutdatedOnChange(p.snap, s)
	p.snap, p.targets = s, installTargets(s)
	return p.refreshRows()
}

// refreshRows is p with its rows as the snapshot, the order and the filter are.
func (p Clients) refreshRows() Clients {
	if a := p.selected().agent; a != nil {
		p.leftClient = a.Client
	}
	p.rows = p.rows[:0:0]
	var rows []widget.ListRow
	add := func(r clientRow, id, text string, rank int) {
		p.rows = append(p.rows, r)
		rows = append(rows, widget.ListRow{ID: id, Text: text, Rank: rank})
	}
	agents := slices.Clone(p.snap.Sessions)
	p.order.sort(agents)
	for i := range agents {
		s := &agents[i]
		rank := 1
		if len(pendingApprovalsOfSession(p.snap, s.Name)) > 0 {
			rank = 0
		}
		add(clientRow{agent: s}, agentRowIDPrefix+s.Name, s.Client+" "+s.Name+" "+string(s.Transport)+" "+s.Scope+" "+proofWord(*s), rank)
	}
	for _, one := range p.known.gone(p.snap.Sessions) {
		add(clientRow{gone: &one}, goneAgentRowIDPrefix+one.Client, one.Client+" left "+one.Session, 1)
	}
	folded := 0
	unfolded := p.unfolded || p.list.FilterText() != "" || p.list.IsTyping() || !slices.ContainsFunc(p.targets, installTarget.isPresent)
	for _, one := range p.targets {
		if !one.isPresent() && !unfolded {
			folded++
			continue
		}
		add(clientRow{target: one}, installTargetRowIDPrefix+one.title, one.title+" "+one.stateWords(), 2)
	}
	if folded > 0 {
		add(clientRow{folded: folded}, foldRowID, "", 3)
	}
	before := p.list.SelectedID()
	if p.list = p.list.SetRows(rows).Select(before); p.list.SelectedID() != before && strings.HasPrefix(before, agentRowIDPrefix) &&
		!p.list.IsTyping() {
		p.left = true // no key acts on what was not chosen
	}
	if p.left && !p.list.IsTyping() { // but on the same agent, in the list of those that left
		if found := p.list.Select(goneAgentRowIDPrefix + p.leftClient); found.SelectedID() == goneAgentRowIDPrefix+p.leftClient {
			p.list, p.left = found, false
		}
	}
	return p
}

// ShowItem implements [ItemPane]: part is the title of a place, or the name of a
// session.
func (p Clients) ShowItem(part string) Pane {
	p.list = p.list.Select(installTargetRowIDPrefix + part).Select(agentRowIDPrefix + part)
	return p
}

// SetTime implements [TimeObserver].
func (p Clients) SetTime(now time.Time) Pane {
	p.now = now
	return p
}

// currentTime is what the rows take as now.
func (p Clients) currentTime() time.Time {
	if p.now.IsZero() {
		return p.snap.Time
	}
	return p.now
}

// ObserveCalls implements [CallObserver].
func (p Clients) ObserveCalls(calls []status.Call) Pane {
	const kept = 500
	calls = onlyCalls(calls)
	p.recent = append(slices.Clip(p.recent), calls...)
	p.recent = p.recent[max(0, len(p.recent)-kept):]
	return p
}

// IsTyping implements [TypingPane].
func (p Clients) IsTyping() bool { return p.list.IsTyping() }

// Paste implements [TypingPane].
func (p Clients) Paste(text string) Pane {
	p.list = p.list.Paste(text)
	return p.refreshRows()
}

// selected is the row that keys are about; nothing of it is set if there is none.
func (p Clients) selected() clientRow {
	if i := p.list.SelectedIndex(); i >= 0 && !p.left {
		return p.rows[i]
	}
	return clientRow{}
}

// HandleKey implements [Pane].
func (p Clients) HandleKey(k Press) (Pane, Intent) {
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, ok := p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2); ok {
		p.list, p.left = next, false
		return p.refreshRows(), nil
	}
	one := p.selected()
	switch {
	case one.agent != nil:
		if want := p.agentKeyIntent(k, *one.agent); want != nil {
			return p, want
		}
	case one.gone != nil:
		if want := goneAgentKeyIntent(p, k, *one.gone); want != nil {
			return p, want
		}
	case one.folded > 0 && key.Matches(k, p.keys.Enter):
		p.unfolded = true
		return p.refreshRows(), nil
	case key.Matches(k, p.keys.Install, p.keys.Enter):
		return p, IntentFor(status.Action{Verb: status.Install, Target: one.target.install.ID})
	case key.Matches(k, p.keys.Uninstall):
		return p, IntentFor(status.Action{Verb: status.Uninstall, Target: one.target.install.ID})
	case key.Matches(k, p.keys.Copy):
		return p, intentToCopySnippet(one.target.snippet)
	}
	if IsHubRunning(p.snap) && key.Matches(k, p.keys.SortRows) {
		p.order = (p.order + 1) % agentOrderCount
		return p.refreshRows(), nil
	}
	return p, Unhandled{}
}

// Bindings implements [Pane].
func (p Clients) Bindings() []key.Binding {
	one, help := p.selected(), widget.WithHelp
	switch {
	case p.list.IsTyping():
		return p.list.Bindings(p.keys.NavKeys)
	case one.agent != nil:
		return p.agentBindings(*one.agent)
	case one.gone != nil:
		return goneAgentBindings(p, *one.gone)
	case one.folded > 0:
		return []key.Binding{help(p.keys.Enter, "list them"), p.keys.Filter}
	}
	var keys []key.Binding
	switch one.target.install.State {
	case "":
	case status.Stopped:
		keys = append(keys, p.keys.Install)
	case status.Ready:
		keys = append(keys, p.keys.Uninstall)
	default:
		keys = append(keys, help(p.keys.Install, "repair"), p.keys.Uninstall)
	}
	if one.target.snippet.Text != "" {
		keys = append(keys, help(p.keys.Copy, "copy the snippet"))
	}
	return append(keys, p.keys.Filter)
}

// View implements [Pane].
func (p Clients) View(t theme.Theme, w, h int) string {
	return p.list.DrawFilterBelowRows(t, w, h, func(h int) []string {
		if h < 8 {
			return widget.Stack(t, w, h, false, p.listSection(t))
		}
		return widget.ListWithDetail(t, w, h, max(3, h/2-2), p.listSection(t), p.detailSection(t))
	})
}

func (p Clients) listSection(t theme.Theme) widget.Section {
	n := len(p.rows)
	note := p.list.StatusNote()
	if note == "" && len(p.snap.Sessions) > 1 {
		note = "sorted: " + p.order.label()
	}
	title := titleWithCount("Connected agents", len(p.snap.Sessions))
	return widget.Section{Title: title, Note: note, Min: min(max(2, n+1), 4), Preferred: max(2, n+1), Rows: func(w, h int) []string {
		if n == 0 && p.list.FilterText() == "" {
			return []string{t.Dim.Text("No agents yet. Choose a client to connect.")}
		}
		var head []string
		switch {
		case len(p.snap.Sessions) == 0 && len(p.known.list) > 0:
			head = []string{t.Dim.Text("No agent is connected now.")}
		case len(p.snap.Sessions) == 0:
			head = []string{t.Dim.Text("No agents yet. Choose a client to connect.")}
		case h > 3:
			head = []string{drawAgentColumnTitles(t, w)}
		}
		return append(head, p.list.Draw(t, w, h-len(head), func(t theme.Theme, i, w int) string { return p.row(t, p.rows[i], w) })...)
	}}
}

func (p Clients) row(t theme.Theme, r clientRow, w int) string {
	switch {
	case r.agent != nil:
		return drawAgent(t, p.snap, p.currentTime(), p.zone, *r.agent, w)
	case r.gone != nil:
		return drawGoneAgentRow(t, p.snap, p.zone, *r.gone, w)
	case r.folded > 0:
		return widget.FillRow(t, t.Dim.Text(fmt.Sprintf("  %d more that were not found here; enter lists them", r.folded)), w)
	}
	return drawInstallTargetRow(t, r.target, w)
}

func (p Clients) detailSection(t theme.Theme) widget.Section {
	one := p.selected()
	switch {
	case one.agent != nil:
		return widget.Section{
			Title: agentTitle(*one.agent), Note: "session " + one.agent.Name, Min: 3, Preferred: 16,
			Rows: func(w, h int) []string {
				return widget.TruncateRows(t, p.agentDetailRows(t, *one.agent, w), h)
			},
		}
	case one.gone != nil:
		return goneAgentSection(p, t, *one.gone)
	case one.target.title != "":
		return widget.Section{Title: connectTitle(one.target), Min: 3, Preferred: 16, Rows: func(w, h int) []string {
			return p.installTargetRows(t, one.target, w, h)
		}}
	case p.left:
		return widget.MessageSection("Agent", t.Warn.Text("That agent has left. Select another row."))
	case one.folded > 0:
		return widget.MessageSection("Connect another client",
			t.Dim.Text("Clients that were not found on this machine. / finds them by their names."))
	}
	return widget.MessageSection("Connect a client", t.Dim.Text("Waiting for the hub to report how to connect."))
}

// KeyDisabledReason implements [Pane].
func (p Clients) KeyDisabledReason(k tea.KeyPressMsg) string {
	one := p.selected()
	puts, takes := key.Matches(k, p.keys.Install), key.Matches(k, p.keys.Uninstall)
	ofAgent := key.Matches(k, p.keys.Remove, p.keys.PauseClient, p.keys.ReadOnly, p.keys.SeeCalls, p.keys.UndoSession, p.keys.Revoke,
		p.keys.AllowScope)
	switch {
	case p.list.IsTyping():
		return ""
	case one.agent != nil:
		return p.agentKeyDisabledReason(k, *one.agent)
	case one.gone != nil:
		return goneAgentKeyDisabledReason(p, k, *one.gone)
	case p.left && (puts || takes || ofAgent || key.Matches(k, p.keys.Enter, p.keys.Copy)):
		return "That agent has left. Select another row."
	case ofAgent:
		return "Select an agent first."
	case one.folded > 0 && (puts || takes || key.Matches(k, p.keys.Copy)):
		return "Select a client first; enter lists them."
	case one.target.title == "" && (puts || takes):
		return "No client found to install Lectern in."
	case (puts || takes || key.Matches(k, p.keys.Enter) && one.folded == 0) && one.target.install.ID == "":
		return "This client has no configuration file that Lectern can edit. Press c to copy the snippet."
	case (puts || key.Matches(k, p.keys.Enter)) && one.target.install.State == status.Ready:
		return "Lectern is installed in " + one.target.title + " already; nothing changes."
	case takes && one.target.install.State == status.Stopped:
		return "Lectern is not installed in " + one.target.title + "."
	case !key.Matches(k, p.keys.Copy):
		return ""
	case one.target.title == "":
		return snippetDisabledReason(p.snap)
	default:
		return reasonUnless(one.target.snippet.Text != "", "This client needs no snippet. Press i to install Lectern.")
	}
}

// SelectRow implements [RowSelector].
func (p Clients) SelectRow(i int) (Pane, bool) {
	next, again := p.list.SelectRow(i)
	p.list, p.left = next, false
	return p, again
}

// pendingApprovalsOfSession are the calls of a session that wait for a person.
func pendingApprovalsOfSession(s status.Snapshot, session string) []status.Approval {
	var all []status.Approval
	for _, a := range s.Approvals {
		if a.Session == session {
			all = append(all, a)
		}
	}
	return all
}

func agentTitle(s status.Session) string {
	return strings.TrimSpace(orNoName(s.Client) + " " + s.Version)
}
