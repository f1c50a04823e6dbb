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

// Overview is the first pane: what waits for a person, what is wrong, what
// happens, who is connected, what is open, and how the first agent gets in. How
// these share the pane is in overview_layout.go.
type Overview struct {
	keys    Keys
	zone    *time.Location
	snap    status.Snapshot
	problem int // the selected one
	snippet int // the one that is shown
	traffic traffic
	recent  []status.Call // oldest first
	now     time.Time     // zero: what waits is not counted down
	known   knownAgents
	unseen  unseenActivity
}

// NewOverview returns an Overview that shows times of zone.
func NewOverview(k Keys, zone *time.Location) Pane { return Overview{keys: k, zone: zone} }

// overviewHelp lists the keys of [Overview].
func overviewHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Enter, "fix the selected problem"), help(k.Copy, "copy the snippet"),
		help(k.Left, "previous client"), help(k.Right, "next client"), help(k.Install, "update Lectern"),
		help(k.Filter, "search all sources"), help(k.MarkSeen, "mark all as seen"),
	}}}
}

// SetSnapshot implements [Pane].
func (p Overview) SetSnapshot(s status.Snapshot) Pane {
	p.known = p.known.markOutdatedOnChange(p.snap, s)
	p.snap = s
	p.problem = widget.Clamp(p.problem, len(s.Problems))
	p.snippet = widget.Clamp(p.snippet, len(s.Snippets))
	return p
}

// WantedQuery implements [Querier].
func (p Overview) WantedQuery() Query {
	if q := p.known.wantedQuery(); q != nil {
		return q
	}
	return p.unseen.wantedQuery()
}

// TakeResult implements [Querier].
func (p Overview) TakeResult(r Result) Pane {
	if _, ok := r.Query.(AgentsQuery); ok {
		p.known = p.known.takeResult(r)
		return p
	}
	p.unseen = p.unseen.takeResult(r, p.recent)
	return p
}

// hasHadNoAgent reports whether no agent has connected yet: what is not known yet is
// no reason to say so.
func (p Overview) hasHadNoAgent() bool {
	return p.known.answered > 0 && len(p.snap.Sessions)+len(p.recent)+len(p.known.list) == 0
}

// ObserveCalls implements [CallObserver].
func (p Overview) ObserveCalls(calls []status.Call) Pane {
	const kept = 100
	calls = onlyCalls(calls)
	p.traffic = p.traffic.add(calls)
	p.unseen = p.unseen.observeCalls(calls)
	p.recent = append(slices.Clip(p.recent), calls...)
	p.recent = p.recent[max(0, len(p.recent)-kept):]
	return p
}

// SetTime implements [TimeObserver].
func (p Overview) SetTime(now time.Time) Pane {
	p.now = now
	return p
}

// SetLastLook implements [LastLookObserver].
func (p Overview) SetLastLook(at time.Time) Pane {
	p.unseen = unseenActivity{since: at}
	return p
}

// HandleKey implements [Pane].
func (p Overview) HandleKey(k Press) (Pane, Intent) {
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	switch {
	case key.Matches(k, p.keys.Up):
		p.problem = widget.Clamp(p.problem-1, len(p.snap.Problems))
	case key.Matches(k, p.keys.Down):
		p.problem = widget.Clamp(p.problem+1, len(p.snap.Problems))
	case key.Matches(k, p.keys.Left):
		p.snippet = widget.Clamp(p.snippet-1, len(p.snap.Snippets))
	case key.Matches(k, p.keys.Right):
		p.snippet = widget.Clamp(p.snippet+1, len(p.snap.Snippets))
	case key.Matches(k, p.keys.Enter):
		return p, IntentFor(*p.snap.Problems[p.problem].Action)
	case key.Matches(k, p.keys.Copy):
		return p, intentToCopySnippet(p.snap.Snippets[p.snippet])
	case key.Matches(k, p.keys.Install):
		return p, updateKeyIntent(p.snap)
	case key.Matches(k, p.keys.MarkSeen):
		return p, MarkSeen{}
	case key.Matches(k, p.keys.Filter):
		return p, OpenPane{Pane: SourcesPane, Focus: SearchAllFocus}
	default:
		return p, Unhandled{}
	}
	return p, nil
}

// Bindings implements [Pane].
func (p Overview) Bindings() []key.Binding {
	var keys []key.Binding
	if len(p.snap.Problems) > 0 {
		if a := p.snap.Problems[p.problem].Action; a != nil {
			keys = append(keys, widget.WithHelp(p.keys.Enter, DescribeAction(*a, p.snap)))
		}
		if len(p.snap.Problems) > 1 {
			keys = append(keys, widget.WithHelp(p.keys.Down, "next problem"))
		}
	}
	if availableVersion(p.snap) != "" {
		keys = append(keys, widget.WithHelp(p.keys.Install, "update"))
	}
	if len(p.snap.Sources) > 0 {
		keys = append(keys, widget.WithHelp(p.keys.Filter, "search"))
	}
	if len(p.snap.Snippets) > 0 {
		keys = append(keys, widget.WithHelp(p.keys.Copy, "copy the snippet"))
	}
	if len(p.snap.Snippets) > 1 {
		keys = append(keys, widget.WithHelp(p.keys.Right, "next client"))
	}
	return keys
}

// stderrSection is what a hub that failed said, its end where there is no room
// for all. Inside it is w cells wide.
func stderrSection(t theme.Theme, said []string, w int) widget.Section {
	var rows []string
	for _, line := range said {
		rows = append(rows, t.Text.Wrap(line, w)...)
	}
	return widget.Section{
		Title: "Last output of the hub", Note: "stderr", Min: min(len(rows), 3), Preferred: min(len(rows), 8),
		Rows: func(_, h int) []string {
			return rows[max(0, len(rows)-h):]
		},
	}
}

// hubSection is about the hub itself; brief in three rows that need no labels.
func (p Overview) hubSection(t theme.Theme, brief bool) widget.Section {
	hub := p.snap.Hub
	glyph, style := t.StateStyle(hub.State)
	state := style.Text(glyph + " " + string(hub.State))
	if hub.Note != "" {
		state += " " + t.Dim.Text(hub.Note)
	}
	failures := ""
	if hub.Failures > 0 {
		failures = fmt.Sprintf(" · %s failed", widget.FormatCount(hub.Failures))
	}
	endpoint := hub.Endpoint
	switch {
	case !IsHubRunning(p.snap):
		endpoint = "–"
	case endpoint == "":
		endpoint = "no HTTP"
	}
	if brief {
		if hub.Note == "" {
			state += t.Dim.Text(" · " + p.uptime())
		}
		if v := availableVersion(p.snap); v != "" {
			failures += " · " + v + ", press i"
		}
		rows := []string{
			state, t.Text.Text(strings.TrimPrefix(endpoint, "http://")) + t.Dim.Text(" · "+widget.FormatMegabytes(hub.Memory)),
			t.Text.Text(widget.CountWithNoun(hub.Calls, "call")+failures) + t.Dim.Text(" · "+widget.CountWithNoun(len(p.snap.Sessions), "agent")),
		}
		return widget.Section{Min: 1, Preferred: len(rows), Rows: func(_, h int) []string { return rows[:min(h, len(rows))] }}
	}
	field := func(name, value, rest string) string {
		return t.Dim.Fit(name, 9) + t.Text.Text(value) + t.Dim.Text(rest)
	}
	since := ""
	if !hub.Started.IsZero() && IsHubRunning(p.snap) {
		since = " · since " + widget.FormatClockTime(hub.Started, p.snap.Time, p.zone)
		if hub.AfterCrash {
			since += ", after a crash"
		}
	}
	rows := []string{
		state,
		field("endpoint", endpoint, ""),
		field("up", p.uptime(), since),
		field("calls", widget.FormatCount(hub.Calls), failures),
		field("memory", widget.FormatMegabytes(hub.Memory), restartsText(hub.Restarts)),
		field("version", widget.OrDash(hub.Version), updateVersionsText(p.snap)+pidText(hub.PID)),
		field("config", hub.Config, ""),
	}
	if hub.Remote != "" {
		rows = slices.Insert(rows, 2, field("open at", hub.Remote, " to other machines"))
	}
	return widget.Section{Title: "Hub", Min: 3, Preferred: len(rows), Rows: func(_, h int) []string { return rows[:min(h, len(rows))] }}
}

// uptime is how long the hub has run as of the snapshot: it moves on with the
// next one, not with the clock, so that an idle screen stays still.
func (p Overview) uptime() string {
	if p.snap.Hub.Started.IsZero() || !IsHubRunning(p.snap) {
		return "not running"
	}
	return widget.FormatElapsed(p.snap.Time.Sub(p.snap.Hub.Started))
}

// problemsSection shows each with what fixes it, in full, and when there is no
// room for all so many that the selected one is among them. Inside it is w
// cells wide.
func (p Overview) problemsSection(t theme.Theme, w int) widget.Section {
	n := len(p.snap.Problems)
	var rows []string
	begin := make([]int, n+1) // the first row of each, and the end
	for i := range n {
		rows = append(rows, p.problemRows(t, i, w)...)
		begin[i+1] = len(rows)
	}
	note := ""
	if n > 1 {
		note = fmt.Sprintf("%d of %d", p.problem+1, n)
	}
	return widget.Section{
		Title: fmt.Sprintf("Problems %d", n), Note: note, Min: 2, Preferred: min(len(rows), 8),
		Rows: func(_, h int) []string {
			first := 0
			for first < p.problem && begin[p.problem+1]-begin[first] > h {
				first++
			}
			return rows[begin[first]:min(len(rows), begin[first]+h)]
		},
	}
}

func (p Overview) problemRows(t theme.Theme, i, w int) []string {
	problem := p.snap.Problems[i]
	row := t
	if i == p.problem && len(p.snap.Problems) > 1 {
		row = t.ForSelectedRow()
	}
	glyph, style := row.SeverityStyle(problem.Severity)
	mark := style.Text(glyph + " " + string(problem.Severity) + "  ")
	lead := theme.Width(mark)
	var rows []string
	for j, line := range theme.WrapText(problem.Title, w-lead) {
		if j > 0 {
			mark = row.Strong.Fit("", lead)
		}
		rows = append(rows, t.MarkRowRegion(i, mark+row.Strong.Fit(line, w-lead)))
	}
	for _, line := range theme.WrapText(problem.Fix, w-2) {
		rows = append(rows, t.MarkRowRegion(i, "  "+t.Dim.Text(line)))
	}
	if problem.Action == nil {
		return rows
	}
	does := t.Key.Text("enter") + t.Dim.Cut(" "+DescribeAction(*problem.Action, p.snap), w-8)
	if last := rows[len(rows)-1]; theme.Width(last)+2+theme.Width(does) <= w {
		rows[len(rows)-1] = theme.Fit(last, w-theme.Width(does)) + does
		return rows
	}
	return append(rows, "  "+does)
}

func (p Overview) sourcesSection(t theme.Theme) widget.Section {
	return listSection("Sources", len(p.snap.Sources), func(w, h int) []string {
		switch {
		case len(p.snap.Sources) > 0:
		case !IsHubRunning(p.snap):
			return []string{t.Dim.Text("The hub is not running.")}
		default:
			return []string{t.Dim.Text("No sources yet. Press ") + t.Key.Text("2") + t.Dim.Text(", then ") + t.Key.Text("a") + t.Dim.Text(".")}
		}
		return widget.FirstRows(t, len(p.snap.Sources), h, func(i int) string {
			s := p.snap.Sources[i]
			glyph, style := t.StateStyle(s.State)
			row := style.Text(glyph) + " " + t.Strong.Fit(s.Name, nameWidth(w)) + " " + t.Dim.Fit(s.Kind, 9) + " " + style.Text(string(s.State))
			if w >= 50 {
				row = theme.Fit(row, nameWidth(w)+23) + " " + t.Dim.CutLeft(s.Location, w-nameWidth(w)-24)
			}
			return row
		})
	})
}

// noAgentText says that no agent is connected, and what to do about it.
func (p Overview) noAgentText() string {
	switch s := p.snap; {
	case p.known.answered == 0:
		return "Looking for known agents …"
	case !IsHubRunning(s):
		return "The hub is not running."
	case len(s.Snippets) == 0:
		return "No agents yet."
	default:
		return "No agents yet. Paste the snippet into a client."
	}
}

func (p Overview) connectSection(t theme.Theme, inside int) widget.Section {
	if len(p.snap.Snippets) == 0 {
		return widget.MessageSection("Connect an agent", t.Dim.Text("Waiting for the hub to report how to connect."))
	}
	s := p.snap.Snippets[p.snippet]
	return widget.Section{
		Title: "Connect " + s.Client, Note: fmt.Sprintf("‹ %d of %d ›", p.snippet+1, len(p.snap.Snippets)),
		Min: 2, Preferred: len(snippetRows(t, s, inside, maxSnippetRows)),
		Rows: func(w, h int) []string { return snippetRows(t, s, w, h) },
	}
}

// maxSnippetRows is as much of a snippet as there may ever be room for.
const maxSnippetRows = 60

// snippetRows are where a snippet goes, then its text. Long lines go on in the
// next row: what cannot be copied by key must be there to be copied by hand.
func snippetRows(t theme.Theme, s status.Snippet, w, h int) []string {
	rows := []string{t.Dim.Text(s.Destination)}
	text := theme.SplitLines(s.Text)
	if h > len(text)+1 {
		rows = append(rows, "")
	}
	for _, line := range text {
		if theme.Width(theme.Sanitize(line)) <= w {
			rows = append(rows, t.Accent.Text(line))
		} else {
			rows = append(rows, t.Accent.Wrap(line, w)...)
		}
	}
	return widget.TruncateRows(t, rows, h)
}

func intentToCopySnippet(s status.Snippet) Intent {
	return CopyText{What: "the snippet for " + s.Client, Text: s.Text}
}

// listSection is a section with a row for each of n things, or one that says why
// there is none.
func listSection(title string, n int, rows func(w, h int) []string) widget.Section {
	return widget.Section{Title: titleWithCount(title, n), Min: min(2, max(1, n)), Preferred: max(1, n), Rows: rows}
}

func titleWithCount(title string, n int) string {
	if n == 0 {
		return title
	}
	return fmt.Sprintf("%s %d", title, n)
}

func nameWidth(w int) int { return min(24, max(8, w/3)) }

func pidText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" · pid %d", n)
}

func restartsText(n int) string {
	if n == 0 {
		return ""
	}
	return " · " + widget.CountWithNoun(n, "restart")
}

// KeyDisabledReason implements [Pane].
func (p Overview) KeyDisabledReason(k tea.KeyPressMsg) string {
	switch n := len(p.snap.Problems); {
	case key.Matches(k, p.keys.Enter) && n == 0:
		return "There are no problems."
	case key.Matches(k, p.keys.Enter):
		return fixDisabledReason(p.snap, p.snap.Problems[p.problem].Action, p.snap.Problems[p.problem].Fix)
	case key.Matches(k, p.keys.Copy):
		return snippetDisabledReason(p.snap)
	case key.Matches(k, p.keys.Left, p.keys.Right):
		return reasonUnless(len(p.snap.Snippets) > 1, "There are no other snippets.")
	case key.Matches(k, p.keys.Filter):
		return searchAllDisabledReason(p.snap)
	case key.Matches(k, p.keys.Install) && availableVersion(p.snap) != "" && p.snap.Update.Note != "":
		return "Cannot update from here: " + p.snap.Update.Note + " " + p.snap.Update.URL
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Overview) SelectRow(i int) (Pane, bool) {
	again := p.problem == i
	p.problem = widget.Clamp(i, len(p.snap.Problems))
	return p, again
}

func snippetDisabledReason(s status.Snapshot) string {
	return reasonUnless(len(s.Snippets) > 0, "There is no snippet yet. Wait until the hub is ready.")
}
