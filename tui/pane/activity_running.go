package pane

import (
	"fmt"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// runningCalls are the calls that have not ended and that the search selects, oldest
// first. They stand above those that have ended.
func (p Activity) runningCalls() []status.RunningCall {
	search := p.ring.search
	if search.HasOutcome() || len(p.snap.Running) == 0 || !IsHubRunning(p.snap) {
		return nil
	}
	var calls []status.RunningCall
	for _, r := range p.snap.Running {
		if search.Matches(&status.Call{
			Time: r.Began, Session: r.Session, Client: r.Client, Source: r.Source, Tool: r.Tool, Effect: r.Effect, Targets: r.Targets,
		}) {
			calls = append(calls, r)
		}
	}
	return calls
}

// selectedRowIndex is the selected row among all: the calls under way, and those that have
// ended. A call that ends while it is selected stays selected.
func (p Activity) selectedRowIndex(underWay []status.RunningCall) int {
	if p.chosen.Name != "" {
		if i := slices.IndexFunc(underWay, func(r status.RunningCall) bool { return r.Name == p.chosen.Name }); i >= 0 {
			return i
		}
		ended := func(n uint64) bool { return p.chosen.ID != 0 && p.ring.call(n).ID == p.chosen.ID }
		if i := slices.IndexFunc(p.ring.orderedCallNumbers(p.errors), ended); i >= 0 {
			return len(underWay) + i
		}
	}
	return min(len(underWay)+p.selectedEndedIndex(), max(0, len(underWay)+len(p.ring.passing.all())-1))
}

// selectRowAt selects a row among all.
func (p Activity) selectRowAt(i int) Activity {
	underWay := p.runningCalls()
	if i = max(i, 0); i < len(underWay) {
		p.chosen, p.follow = underWay[i], false
		return p
	}
	p.chosen = status.RunningCall{}
	return p.selectEndedCallAt(i - len(underWay))
}

// selectedRunning is the selected call if it is under way.
func (p Activity) selectedRunning() (status.RunningCall, bool) {
	underWay := p.runningCalls()
	if i := p.selectedRowIndex(underWay); i < len(underWay) {
		return underWay[i], true
	}
	return status.RunningCall{}, false
}

// selectedEndedCall is the selected call if it has ended.
func (p Activity) selectedEndedCall() (status.Call, bool) {
	underWay, order := p.runningCalls(), p.ring.orderedCallNumbers(p.errors)
	i := p.selectedRowIndex(underWay) - len(underWay)
	if i < 0 || len(order) == 0 {
		return status.Call{}, false
	}
	return *p.ring.call(order[i]), true
}

// runningTimeText is how long a call is under way by now.
func runningTimeText(p Activity, r status.RunningCall) string {
	return formatRunningTime(r, laterTime(p.now, p.snap.Time))
}

// laterTime is now, unless a snapshot is newer.
func laterTime(now, snapshot time.Time) time.Time {
	if now.Before(snapshot) {
		return snapshot
	}
	return now
}

func formatRunningTime(r status.RunningCall, now time.Time) string {
	switch d := max(0, now.Sub(r.Began)); {
	case d < time.Minute:
		return widget.FormatDuration(d.Truncate(100 * time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%dm %ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return widget.FormatElapsed(d)
	}
}

func (p Activity) runningRow(t theme.Theme, r status.RunningCall, w int) string {
	c := callColumnsFor(w)
	lead := ""
	if c.took == 0 {
		lead = runningTimeText(p, r) + " "
	}
	about := t.Busy.Text(lead) + t.Busy.CutLeft(describeRunningCall(r, c.target-len(lead)), c.target-len(lead))
	line := t.Dim.Fit("now", c.time) + t.Busy.Text(runningCallGlyph(r)) + t.Text.Text(" ") + t.Strong.Fit(r.Tool, c.tool) + t.Text.Text(" ") +
		widget.FillRow(t, about, c.target) + t.Text.Text(" ") +
		optionalCell(t, t.Text, quotePossibleImpostor(p.snap, r.Client, r.Proven), c.client) + optionalCell(t, t.Dim, r.Source, c.source) +
		optionalCell(t, effectStyle(t, r.Effect), r.Effect, max(0, c.effect-1)) + t.Busy.FitRight(runningTimeText(p, r), c.took)
	return widget.FillRow(t, line, w)
}

// runningCallGlyph tells a call that works from one that waits for a person.
func runningCallGlyph(r status.RunningCall) string {
	if r.Waiting {
		return "?"
	}
	return "◌"
}

// describeRunningCall is what a call under way is about, or its state where that is not known or
// there is room for both in w cells.
func describeRunningCall(r status.RunningCall, w int) string {
	about := describeTargets(&status.Call{Targets: r.Targets}, false)
	switch {
	case about == "" && r.Waiting:
		return "waits for you"
	case about == "":
		return "under way"
	case r.Waiting && theme.Width(about)+len("waits: ") <= w:
		return "waits: " + about
	default:
		return about
	}
}

// runningCallSection is all there is to say of a call under way.
func (p Activity) runningCallSection(t theme.Theme, r status.RunningCall) widget.Section {
	return widget.Section{Title: "Call under way", Min: 4, Preferred: 10, Rows: func(_, h int) []string {
		field := func(name, value string) string { return widget.PropertyRow(t, 10, name, value) }
		state := t.Busy.Text("◌ under way for " + runningTimeText(p, r))
		if r.Waiting {
			state = t.Busy.Text("? waits for your approval for " + runningTimeText(p, r))
		}
		client := r.Client + ", not proven"
		if r.Proven {
			client = r.Client + ", proven"
		}
		rows := []string{
			t.Dim.Fit("tool", 10) + t.Strong.Text(r.Tool) + t.Text.Text(" ") + effectStyle(t, r.Effect).Text(r.Effect),
			t.Dim.Fit("state", 10) + state,
			field("client", client+", session "+widget.OrDash(r.Session)),
			field("source", widget.OrDash(r.Source)),
			field("began", r.Began.In(p.zone).Format("2 Jan 15:04:05.000")),
		}
		for i, target := range r.Targets {
			rows = append(rows, field([]string{"targets", ""}[min(i, 1)], target))
		}
		return widget.TruncateRows(t, append(rows, "", t.Dim.Text(p.keys.Remove.Help().Key+" cancels it. Nothing is left half written.")), h)
	}}
}
