package pane

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// onlyCalls is calls without the events between them.
func onlyCalls(calls []status.Call) []status.Call {
	kept := make([]status.Call, 0, len(calls))
	for _, c := range calls {
		if c.Event == "" {
			kept = append(kept, c)
		}
	}
	return kept
}

// eventWord is the one word for an event: who or what caused it.
func eventWord(c *status.Call) string {
	switch c.Event {
	case status.AgentConnected:
		return "connected"
	case status.AgentLeft:
		return "left"
	case status.HubStarted:
		return "hub"
	default:
		return "you"
	}
}

// describeEvent is an event in words, with what it was about and whom.
func describeEvent(c *status.Call) string {
	text := strings.Join(append([]string{c.Message}, c.Targets...), " ")
	switch {
	case c.Client == "" || strings.Contains(text, c.Client):
		return text
	case c.ByPerson():
		return text + " (" + c.Client + ")"
	default:
		return c.Client + " " + text
	}
}

// eventRow draws an event: as a call, but for what only a call has.
func eventRow(t theme.Theme, c callColumns, call *status.Call, at string, w int) string {
	style := t.Dim
	if call.ByPerson() {
		style = t.Strong
	}
	line := at + t.Accent.Text("◆") + t.Text.Text(" ") + style.Fit(eventWord(call), c.tool) + t.Text.Text(" ")
	return widget.FillRow(t, line+style.Text(describeEvent(call)), w)
}

// eventSection is all there is to say of an event.
func eventSection(p Activity, t theme.Theme, c status.Call) widget.Section {
	return widget.Section{Title: "Event", Min: 4, Preferred: 10, Rows: func(w, h int) []string {
		var rows []string
		field := func(name, value string) { rows = append(rows, widget.PropertyRows(t, 10, name, value, w)...) }
		field("what", c.Message)
		field("by", map[bool]string{true: "you", false: ""}[c.ByPerson()])
		switch {
		case c.Client == "":
		case c.ByPerson() && c.Session == "": // a person means whoever is called so
			field("agent", c.Client)
		default:
			field("agent", c.Client+proofSuffix(c.Proven))
		}
		field("session", c.Session)
		field("source", c.Source)
		field("targets", strings.Join(c.Targets, ", "))
		field("at", c.Time.In(p.zone).Format("Mon 2 Jan 15:04:05"))
		return widget.TruncateRows(t, rows, h)
	}}
}

func proofSuffix(yes bool) string {
	if yes {
		return ", proven"
	}
	return ", not proven"
}

// isNewCall reports whether a call came after the person last looked.
func isNewCall(p Activity, c *status.Call) bool { return !p.looked.IsZero() && c.Time.After(p.looked) }

// unseenCallsNote says how much came since the person last looked; empty: nothing, or they
// never have.
func unseenCallsNote(p Activity) string {
	if p.looked.IsZero() {
		return ""
	}
	n := p.ring.countSince(p.looked)
	if n == 0 {
		return ""
	}
	return widget.FormatCount(n) + " new since " + widget.FormatClockTime(p.looked, p.snap.Time, p.zone) + " (•)"
}

// moveByDay goes to the first row of the day before or after the selected one; what
// came since the person looked counts as a day of its own.
func moveByDay(p Activity, k Press) (Activity, bool) {
	older := key.Matches(k, p.keys.OlderDay)
	if !older && !key.Matches(k, p.keys.NewerDay) {
		return p, false
	}
	order := p.ring.orderedCallNumbers(p.errors)
	block := func(i int) string {
		c := p.ring.call(order[i])
		day := c.Time.In(p.zone).Format(time.DateOnly)
		if isNewCall(p, c) {
			day += " new"
		}
		return day
	}
	at := p.selectedEndedIndex()
	switch {
	case len(order) == 0:
	case older:
		for from := block(at); at < len(order)-1 && block(at) == from; {
			at++
		}
	case at > 0:
		at--
		for from := block(at); at > 0 && block(at-1) == from; {
			at--
		}
	}
	p.chosen = status.RunningCall{}
	return p.selectEndedCallAt(at), true
}
