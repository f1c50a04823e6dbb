package pane

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// An agentOrder is how agents are sorted, behind those that wait for a person.
type agentOrder int

const (
	byConnection agentOrder = iota // as they connected
	byCalls                        // most first
	byLastCall                     // latest first
	byName
	agentOrderCount
)

func (o agentOrder) label() string {
	return [...]string{"waiting first", "most calls", "last call", "name"}[o]
}

func (o agentOrder) sort(all []status.Session) {
	sort.SliceStable(all, func(i, j int) bool {
		switch a, b := &all[i], &all[j]; o {
		case byCalls:
			return a.Calls > b.Calls
		case byLastCall:
			return a.LastCall.After(b.LastCall)
		case byName:
			return strings.ToLower(a.Client) < strings.ToLower(b.Client)
		default:
			return false
		}
	})
}

// proofWord says whether s has shown who it is.
func proofWord(s status.Session) string {
	if s.Proven {
		return "proven"
	}
	return "unproven"
}

// agentBindings are the keys of a selected agent.
func (p Clients) agentBindings(s status.Session) []key.Binding {
	help := widget.WithHelp
	pause := help(p.keys.PauseClient, "pause writes")
	if !s.WritesPaused.IsZero() {
		pause = help(pause, "let it write")
	}
	var end []key.Binding
	if len(sessionPermits(p.snap, s)) > 0 {
		end = append(end, help(p.keys.AllowScope, "end its ten minutes"))
	}
	return append(end,
		help(p.keys.Enter, "its calls"), pause, toggleReadOnlyBinding(p, s.Client), help(p.keys.Remove, "disconnect"),
		p.keys.Revoke, p.keys.UndoSession, p.keys.SortRows, p.keys.Filter)
}

// agentKeyIntent is what a key does to an agent; nil: nothing.
func (p Clients) agentKeyIntent(k Press, s status.Session) Intent {
	switch {
	case key.Matches(k, p.keys.Remove):
		return IntentFor(status.Action{Verb: status.Disconnect, Target: s.Name})
	case key.Matches(k, p.keys.UndoSession):
		return IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: s.Name}})
	case key.Matches(k, p.keys.AllowScope):
		return IntentFor(status.Action{Verb: status.EndPermit, Target: sessionPermits(p.snap, s)[0].ID})
	case key.Matches(k, p.keys.SeeCalls, p.keys.Enter):
		return OpenPane{Pane: ActivityPane, Focus: "client:" + s.Client}
	default:
		return agentKeyIntent(p.keys, k.KeyPressMsg, p.snap, s.Client)
	}
}

// agentKeyDisabledReason is KeyDisabledReason while an agent is selected.
func (p Clients) agentKeyDisabledReason(k tea.KeyPressMsg, s status.Session) string {
	switch {
	case key.Matches(k, p.keys.Remove) && s.Transport == status.Route:
		return "This program only sends requests to a route of a source, so it has no connection to end."
	case key.Matches(k, p.keys.Remove) && s.Transport == status.Own:
		return "The source itself makes these calls, so there is no connection to end."
	case key.Matches(k, p.keys.PauseClient, p.keys.ReadOnly, p.keys.Revoke) && s.Client == "":
		return "This agent has no name. Press H to pause all writes."
	case key.Matches(k, p.keys.PauseClient) && !p.snap.Hub.WritesPaused.IsZero():
		return "The writes of all agents are paused. Press H to end that."
	case key.Matches(k, p.keys.Remove, p.keys.PauseClient, p.keys.ReadOnly, p.keys.Revoke, p.keys.UndoSession):
		return actionDisabledReason(p.snap, status.Disconnect)
	case key.Matches(k, p.keys.AllowScope):
		return reasonUnless(len(sessionPermits(p.snap, s)) > 0, "Nothing is allowed to this agent for ten minutes.")
	case key.Matches(k, p.keys.Install, p.keys.Copy):
		return "Select a client in the list below first."
	}
	return ""
}

// An agentColumn is a column of the agents: which of the six, and its cells.
type agentColumn struct{ i, w int }

// agentColumns are those that fit into w cells: name, proof, transport, sources,
// calls, and what it does now, which gets the rest.
func agentColumns(w int) []agentColumn {
	columns := []agentColumn{{0, min(26, max(12, w/3))}, {1, 10}}
	if w >= 90 {
		columns = append(columns, agentColumn{2, 7})
	}
	if w >= 72 {
		columns = append(columns, agentColumn{3, 13})
	}
	if w >= 48 {
		columns = append(columns, agentColumn{4, 7})
	}
	for _, c := range columns {
		w -= c.w
	}
	return append(columns, agentColumn{5, max(0, w)})
}

func drawAgentColumnTitles(t theme.Theme, w int) string {
	names, line := [...]string{"  agent", " who", " by", " sees", "calls", "  now"}, ""
	for _, c := range agentColumns(w) {
		if c.i == 4 {
			line += t.Dim.FitRight(names[c.i], c.w)
			continue
		}
		line += t.Dim.Fit(names[c.i], c.w)
	}
	return theme.Fit(line, w)
}

// drawAgent is the row of one agent of snap: who it is, what it sees and did, and
// what it does now.
func drawAgent(t theme.Theme, snap status.Snapshot, at time.Time, zone *time.Location, s status.Session, w int) string {
	glyph, style := t.StateStyle(s.State)
	now, nowStyle := "no call yet", t.Dim
	switch waits, limits := pendingApprovalsOfSession(snap, s.Name), agentAccessLimitsOf(snap, s).text(); {
	case !s.WritesPaused.IsZero():
		glyph, style = "‖", t.Bad
		now, nowStyle = "writes paused", t.Bad
		if len(waits) > 0 { // a yes would be refused
			now = fmt.Sprintf("paused, %d held back", len(waits))
		}
	case len(waits) > 0:
		glyph, style = "▲", t.Warn
		now, nowStyle = fmt.Sprintf("%d waiting for you", len(waits)), t.Warn
	case limits != "":
		now, nowStyle = limits, t.Warn
	case len(sessionPermits(snap, s)) > 0:
		one := sessionPermits(snap, s)[0]
		now, nowStyle = "may "+one.Effect+" for "+FormatPermitTimeLeft(one, at), t.Warn
	case s.Calls > 0:
		now = widget.FormatClockTime(s.LastCall, snap.Time, zone) + " " + s.LastTool
	}
	proof := t.Warn
	if s.Proven {
		proof = t.Good
	}
	var line strings.Builder
	for _, c := range agentColumns(w) {
		switch c.i {
		case 0:
			line.WriteString(style.Text(glyph) + t.Strong.Fit(" "+agentTitle(s), c.w-1))
		case 1:
			line.WriteString(proof.Fit(" "+proofWord(s), c.w))
		case 2:
			line.WriteString(t.Dim.Fit(" "+string(s.Transport), c.w))
		case 3:
			line.WriteString(t.Dim.Fit(" "+cmp.Or(s.Scope, "all sources"), c.w))
		case 4:
			line.WriteString(t.Text.FitRight(widget.FormatCount(s.Calls), c.w))
		default:
			line.WriteString(nowStyle.Fit("  "+now, c.w))
		}
	}
	return widget.FillRow(t, line.String(), w)
}

// agentDetailRows is all there is to say of an agent: what it may, wants and did.
func (p Clients) agentDetailRows(t theme.Theme, s status.Session, w int) []string {
	const label = 9
	field := func(name, value string) string { return theme.Fit(widget.PropertyRow(t, label, name, value), w) }
	rows := []string{}
	if s.Proven {
		rows = append(rows, t.Good.Cut("proven by its token", w))
	} else {
		rows = append(rows, t.Warn.Cut("not proven: any program can call itself that", w))
	}
	rows = append(rows, field("may", cmp.Or(s.Grants, "what the sources grant")+" · sees "+cmp.Or(s.Scope, "all sources")))
	did := widget.CountWithNoun(s.Calls, "call")
	if s.Calls > 0 {
		did += ", the last at " + widget.FormatClockTime(s.LastCall, p.snap.Time, p.zone)
	}
	rows = append(rows, field("did", did+p.failuresAndWritesText(s)))
	by := "over " + string(s.Transport)
	if s.PID > 0 {
		by += fmt.Sprintf(", process %d", s.PID)
	}
	rows = append(rows, field("is", by+", since "+widget.FormatClockTime(s.Since, p.snap.Time, p.zone)))
	if !s.WritesPaused.IsZero() {
		held := ""
		if len(pendingApprovalsOfSession(p.snap, s.Name)) > 0 {
			held = "; what waits is refused even if you allow it"
		}
		rows = append(rows, t.Bad.Wrap("Its writes are paused since "+widget.FormatClockTime(s.WritesPaused, p.snap.Time, p.zone)+held+
			". P ends that.", w)...)
	}
	for i, one := range sessionPermits(p.snap, s) {
		text := "may " + one.ScopeText() + " for " + FormatPermitTimeLeft(one, p.currentTime()) + ", without asking"
		if one.Calls > 0 {
			text += ", " + widget.CountWithNoun(one.Calls, "call") + " so far"
		}
		if i == 0 {
			text += ". Y ends that"
		}
		rows = append(rows, t.Warn.Wrap(text+".", w)...)
	}
	for _, a := range pendingApprovalsOfSession(p.snap, s.Name) {
		mark, hint := t.Warn.Fit("▲ waits", label), "  ! answers"
		if !s.WritesPaused.IsZero() {
			mark, hint = t.Bad.Fit("‖ held", label), ""
		}
		rows = append(rows, theme.Fit(mark+t.Strong.Text(a.Tool+" "+pagesFirstTargetsText(a))+t.Dim.Text(hint), w))
	}
	return append(append(rows, ""), p.recentCallRows(t, s, w)...)
}

// failuresAndWritesText says how many of the calls that were seen have failed.
func (p Clients) failuresAndWritesText(s status.Session) string {
	failed, wrote := 0, 0
	for i := range p.recent {
		if c := &p.recent[i]; c.Session == s.Name {
			if c.Failed() {
				failed++
			}
			wrote += len(c.Changes)
		}
	}
	text := ""
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if wrote > 0 {
		text += fmt.Sprintf(", %s written", widget.CountWithNoun(wrote, "target"))
	}
	return text
}

// maxRecentCalls is how many calls of an agent are listed.
const maxRecentCalls = 8

// recentCallRows are the latest calls of an agent, the newest first.
func (p Clients) recentCallRows(t theme.Theme, s status.Session, w int) []string {
	var rows []string
	for i := len(p.recent) - 1; i >= 0 && len(rows) < maxRecentCalls; i-- {
		if c := p.recent[i]; c.Session == s.Name {
			rows = append(rows, callRow(t, c, p.zone, w))
		}
	}
	if len(rows) == 0 {
		return []string{t.Dim.Text("No calls since this panel was opened; enter shows the recorded ones.")}
	}
	return rows
}

// callRow is one call in a row: when, what it did to what, and what came of it.
func callRow(t theme.Theme, c status.Call, zone *time.Location, w int) string {
	when := " " + c.Time.In(zone).Format("15:04:05") + " "
	return callMark(t, c) + t.Dim.Text(when) + drawCallText(t, c, w-1-len(when))
}

func callMark(t theme.Theme, c status.Call) string {
	switch {
	case c.Failed():
		return t.Bad.Text("✗")
	case len(c.Changes) > 0:
		return t.Good.Text("~")
	}
	return t.Dim.Text("·")
}

// drawCallText is what a call did to what, and at the right end of w cells what came
// of it. A read that went well is dim.
func drawCallText(t theme.Theme, c status.Call, w int) string { return drawCallInSource(t, c, "", w) }

// drawCallInSource is drawCallText with the source of the call, unless it is empty.
func drawCallInSource(t theme.Theme, c status.Call, source string, w int) string {
	style, result := t.Dim, ""
	switch {
	case c.Failed():
		style, result = t.Bad, c.Code
	case len(c.Changes) > 0:
		style, result = t.Good, cmp.Or(c.PersonEdit.Note(), "written")
	case c.Code == status.Asked:
		result = "asked"
	case c.Found != nil:
		result = describeHitCount(&c)
	case c.ResponseBytes > 0:
		result = widget.FormatBytes(c.ResponseBytes)
	}
	return drawToolAndTargets(t, c, source, style.Text(" "+result), w)
}

// minSourceWidth is the room of a call in which its source is named.
const minSourceWidth = 32

// drawToolAndTargets is the tool of a call and what it is about, and result at the right end of
// w cells.
func drawToolAndTargets(t theme.Theme, c status.Call, source, result string, w int) string {
	target, about := t.Text, ""
	if len(c.Changes) > 0 {
		target = t.Strong
	}
	switch {
	case len(c.Targets) > 0:
		about = pagesFirst(c.Targets)[0]
	case c.Message != "": // it failed before it was known what it is about
		target, about = t.Dim, c.Message
	case c.Words != "":
		target, about = t.Dim, strconv.Quote(c.Words)
	}
	where := ""
	if source != "" && w >= minSourceWidth {
		where = t.Dim.Cut(" in "+source, max(8, w/4)+1)
	}
	room := max(1, w-theme.Width(result)-theme.Width(where))
	line := t.Dim.Cut(c.Tool, room)
	if about != "" {
		line += t.Dim.Text(" ") + cutTargets(target, c, about, room-theme.Width(line)-1)
	}
	return theme.Fit(theme.Fit(line, min(theme.Width(line), room))+where, w-theme.Width(result)) + result
}

// cutTargets is what a call is about in w cells: a name loses its beginning, words their end.
func cutTargets(s theme.Style, c status.Call, about string, w int) string {
	if len(c.Targets) > 0 {
		return drawFirstTarget(s, c.Targets, len(c.Targets)-1, w)
	}
	return s.Cut(about, w)
}

// describeHitCount is how many results a search had, of how many if not all are in its answer.
func describeHitCount(c *status.Call) string {
	if c.FoundTotal > *c.Found {
		return widget.FormatCount(*c.Found) + " of " + widget.FormatCount(c.FoundTotal) + " found"
	}
	return widget.FormatCount(*c.Found) + " found"
}

// sortWaitingFirst sorts agents that wait for a person before the others.
func sortWaitingFirst(all []status.Session, s status.Snapshot) {
	sort.SliceStable(all, func(i, j int) bool {
		return len(pendingApprovalsOfSession(s, all[i].Name)) > 0 && len(pendingApprovalsOfSession(s, all[j].Name)) == 0
	})
}
