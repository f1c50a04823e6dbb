package pane

import (
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// From this width on the Overview has a third column.
const minThreeColumnWidth = 180

// View implements [Pane]. What runs out stands first, then what is wrong, then what
// happens, then what there is.
func (p Overview) View(t theme.Theme, w, h int) string {
	framed := widget.IsFramed(w, h)
	left, last := w, w // the widths of the first column and of the last
	switch {
	case framed && w >= minThreeColumnWidth:
		left = w * 2 / 5
		last = w - left - w*3/10
	case framed && w >= widget.WideWidth:
		left = w * 11 / 20
		last = w - left
	}
	inside := left
	if framed {
		inside, last = inside-4, last-4
	}
	first, live := p.alertSections(t, inside), p.recentCallsSection(t)
	hub, sources, agents, connect := p.hubSection(t, !framed), p.sourcesSection(t), p.agentsSection(t), p.connectSections(t, last)
	var lines []string
	switch {
	case !framed:
		hub.Title = "Hub"
		lines = widget.Stack(t, w, h, false, append(append(first, hub, agents, sources, live), connect...)...)
	case left == w:
		hub = p.hubSection(t, true)
		hub.Title = "Hub"
		sections := append(append(first, agents, live, sources), connect...)
		if p.hasHadNoAgent() {
			sections = append(append(append(first, agents), connect...), sources, live)
		}
		lines = widget.Stack(t, w, h, true, append(sections, hub)...)
		if h < 30 && len(p.recent)+len(p.snap.Approvals) > 0 { // the header says that it is ready
			lines = widget.Stack(t, w, h, true, sections...)
		}
	case w >= minThreeColumnWidth:
		middle := w * 3 / 10
		lines = joinColumns(widget.Stack(t, left, h, true, append(first, live)...),
			widget.Stack(t, middle, h, true, append([]widget.Section{agents, sources}, p.applicationSections(t)...)...),
			widget.Stack(t, last+4, h, true, append(append([]widget.Section{hub}, p.trafficSections(t)...), connect...)...))
	default:
		right := append(append(append([]widget.Section{agents, sources}, connect...), p.applicationSections(t)...), p.trafficSections(t)...)
		lines = joinColumns(widget.Stack(t, left, h, true, append(first, live)...), widget.Stack(t, last+4, h, true, append(right, hub)...))
	}
	return strings.Join(lines[:min(h, len(lines))], "\n")
}

func joinColumns(columns ...[]string) []string {
	lines := columns[0]
	for _, column := range columns[1:] {
		for i := range lines {
			lines[i] += column[i]
		}
	}
	return lines
}

// alertSections are the sections about what a person has to look at.
func (p Overview) alertSections(t theme.Theme, inside int) []widget.Section {
	var all []widget.Section
	if n := len(p.snap.Approvals); n > 0 {
		all = append(all, widget.Section{
			Title: titleWithCount("Waiting for you", n), Note: "time left · ! answers", Min: 1, Preferred: min(n, 5),
			Rows: func(w, h int) []string {
				return widget.FirstRows(t, n, h, func(i int) string { return approvalRow(t, p.snap.Approvals[i], p.now, p.zone, w) })
			},
		})
	}
	if n := len(p.snap.Permits); n > 0 {
		all = append(all, widget.Section{
			Title: titleWithCount("Allowed without asking", n), Note: "Y in Clients ends it", Min: 1, Preferred: min(n, 3),
			Rows: func(w, h int) []string {
				return widget.FirstRows(t, n, h, func(i int) string { return drawPermitRow(t, p.snap.Permits[i], p.currentTime(), w) })
			},
		})
	}
	if len(p.snap.Problems) > 0 {
		all = append(all, p.problemsSection(t, inside))
	}
	if isUpdateUnfinished(p.snap.Update) {
		all = append(all, selfUpdateProgressSection(t, p.snap.Update))
	}
	if said := p.snap.Hub.Stderr; len(said) > 0 && !IsHubRunning(p.snap) {
		all = append(all, stderrSection(t, said, inside))
	}
	return all
}

// currentTime is what the rows take as now.
func (p Overview) currentTime() time.Time {
	if p.now.IsZero() {
		return p.snap.Time
	}
	return p.now
}

// drawPermitRow says who may do what without asking, and how long still.
func drawPermitRow(t theme.Theme, p status.Permit, now time.Time, w int) string {
	left := " " + FormatPermitTimeLeft(p, now) + " left"
	who := t.Strong.Text(status.ClientLabel(p.Client, p.Proven)) + t.Text.Text(" may "+p.ScopeText())
	return theme.Fit(who, max(1, w-len(left))) + t.Warn.Text(left)
}

// trafficSections is the section about traffic, if there was any.
func (p Overview) trafficSections(t theme.Theme) []widget.Section {
	if p.traffic.last.IsZero() {
		return nil
	}
	return []widget.Section{p.traffic.section(t, p.snap.Time, p.zone)}
}

// recentCallsSection is what agents do: the calls, the newest first.
func (p Overview) recentCallsSection(t theme.Theme) widget.Section {
	n, note := len(p.recent), "3 all calls"
	if unseen := p.unseen.summaryText(p.snap.Time, p.zone); unseen != "" {
		note = unseen + " · 3 all"
	}
	return widget.Section{Title: "Live", Note: note, Min: 2, Preferred: max(2, n+len(p.snap.Running)), Rows: func(w, h int) []string {
		rows := p.runningCallRows(t, w)
		switch {
		case len(rows) > 0:
		case n == 0 && !IsHubRunning(p.snap):
			return t.Dim.Wrap("The hub is not running. 3 shows what was recorded.", w)
		case n == 0 && p.snap.Hub.AfterCrash:
			return p.crashRows(t, w)
		case n == 0:
			return t.Dim.Wrap("No call since the hub was started; 3 shows earlier ones. Each call of an agent appears here as it ends.", w)
		}
		crash := p.crashRows(t, w)
		if p.snap.Hub.Started.After(p.unseen.since) { // it stays on top until the person has looked
			rows, crash = append(rows, crash...), nil
		}
		for i := n - 1; i >= 0 && len(rows) < h; i-- {
			c := p.recent[i]
			if c.Time.Before(p.snap.Hub.Started) {
				rows, crash = append(rows, crash...), nil
			}
			rows = append(rows, callMark(t, c)+t.Dim.Text(" "+c.Time.In(p.zone).Format("15:04:05")+" ")+
				t.Text.Fit(quotePossibleImpostor(p.snap, c.Client, c.Proven), liveNameWidth(w))+" "+
				drawCallInSource(t, c, c.Source, w-liveNameWidth(w)-12))
		}
		rows = append(rows, crash...)
		return rows[:min(h, len(rows))]
	}}
}

// liveNameWidth is the room for the name of the agent in a row of w cells.
func liveNameWidth(w int) int { return min(18, max(8, w/5)) }

// runningCallRows are the calls under way with how long by now, oldest first. Those that wait for
// the person stand in a section of their own.
func (p Overview) runningCallRows(t theme.Theme, w int) []string {
	const shown = 3
	var rows []string
	for _, r := range p.snap.Running {
		if r.Waiting || len(rows) == shown || !IsHubRunning(p.snap) {
			continue
		}
		c := status.Call{Tool: r.Tool, Targets: r.Targets}
		rows = append(rows, t.Busy.Text(runningCallGlyph(r)+" ")+t.Busy.FitRight(formatRunningTime(r, laterTime(p.now, p.snap.Time)), 8)+
			t.Text.Text(" ")+
			t.Text.Fit(quotePossibleImpostor(p.snap, r.Client, r.Proven), liveNameWidth(w))+" "+
			drawToolAndTargets(t, c, r.Source, t.Busy.Text(" under way"), w-liveNameWidth(w)-12))
	}
	return rows
}

// crashRows say that the hub before this one crashed.
func (p Overview) crashRows(t theme.Theme, w int) []string {
	if !p.snap.Hub.AfterCrash || !IsHubRunning(p.snap) {
		return nil
	}
	at := widget.FormatClockTime(p.snap.Hub.Started, p.snap.Time, p.zone)
	return []string{t.Bad.Cut("◆ "+at+" the hub crashed and was started again; 7 says why", w)}
}

// orNoName is the name of a client in a row: blanks are none.
func orNoName(client string) string {
	if strings.TrimSpace(client) == "" {
		return "(no name)"
	}
	return client
}

func (p Overview) agentsSection(t theme.Theme) widget.Section {
	return listSection("Agents", len(p.snap.Sessions), func(w, h int) []string {
		if len(p.snap.Sessions) == 0 {
			gone := p.known.gone(nil)
			if len(gone) == 0 {
				return []string{t.Dim.Text(p.noAgentText())}
			}
			return widget.FirstRows(t, len(gone), h, func(i int) string {
				return t.Dim.Fit("○ "+gone[i].Client, nameWidth(w)+2) + " " +
					t.Dim.Cut("left, last seen "+widget.FormatClockTime(gone[i].LastSeen, p.snap.Time, p.zone), w-nameWidth(w)-3)
			})
		}
		agents := append([]status.Session{}, p.snap.Sessions...)
		sortWaitingFirst(agents, p.snap)
		return widget.FirstRows(t, len(agents), h, func(i int) string { return drawAgent(t, p.snap, p.snap.Time, p.zone, agents[i], w) })
	})
}

// connectSections say how an agent gets in: all of it until one has been there,
// then in one row.
func (p Overview) connectSections(t theme.Theme, inside int) []widget.Section {
	if p.hasHadNoAgent() {
		return []widget.Section{p.connectSection(t, inside)}
	}
	if len(p.snap.Snippets) == 0 {
		return nil
	}
	one := p.snap.Snippets[p.snippet]
	return []widget.Section{widget.MessageSection("Connect another agent", t.Text.Text(one.Client+": ")+t.Key.Text("c")+
		t.Dim.Text(fmt.Sprintf(" copies its snippet  ‹ %d of %d ›", p.snippet+1, len(p.snap.Snippets))))}
}
