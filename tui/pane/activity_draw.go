package pane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// View implements [Pane].
func (p Activity) View(t theme.Theme, w, h int) string {
	return p.filter.DrawBelowRows(t, w, h, "word, client:, source:, tool:, target:, effect:, is:, on:, since:, until:",
		func(h int) []string { return p.drawSections(t, w, h) })
}

func (p Activity) drawSections(t theme.Theme, w, h int) []string {
	frame := widget.IsFramed(w, h)
	list := p.listSection(t)
	switch {
	case p.detailOpen:
		sections := []widget.Section{p.callSection(t)}
		if c, ok := p.selectedEndedCall(); ok && len(c.Changes) > 0 {
			sections = append(sections, callChangesSection(p, t, c))
		}
		return widget.Stack(t, w, h, frame, sections...)
	case frame && w >= widget.WideWidth:
		if c, ok := p.selectedEndedCall(); ok && len(c.Changes) > 0 {
			return widget.Columns(t, w, h, []widget.Section{list}, []widget.Section{p.callSection(t), callChangesSection(p, t, c)})
		}
		return widget.Columns(t, w, h, []widget.Section{list},
			[]widget.Section{
				p.callSection(t), p.totalsSection(t, "By tool", p.ring.totalsByTool()),
				p.totalsSection(t, "By client", p.ring.totalsByClient()),
			})
	case p.totals:
		tools, clients := p.totalsSection(t, "By tool", p.ring.totalsByTool()), p.totalsSection(t, "By client", p.ring.totalsByClient())
		tools.Preferred = min(tools.Preferred, h*2/3-2)
		return widget.Stack(t, w, h, frame, tools, clients)
	default:
		return widget.Stack(t, w, h, frame, list)
	}
}

// Which parts of the note above the list are worth more where there is no room for all.
const (
	followNoteValue = iota // the footer says it, too
	countNoteValue
	orderNoteValue
	runningNoteValue
	unseenNoteValue
	dayNoteValue
	readErrorNoteValue
	positionNoteValue
	filterNoteValue
)

// listNote says what is shown of all calls, and what is not.
func (p Activity) listNote() []widget.NotePart {
	var parts []widget.NotePart
	say := func(value int, text string) {
		if text != "" {
			parts = append(parts, widget.NotePart{Text: text, Value: value})
		}
	}
	if p.badFilter != nil {
		say(filterNoteValue, p.badFilter.Error())
		return parts
	}
	say(followNoteValue, map[bool]string{true: "following", false: "paused"}[p.follow])
	if p.errors {
		say(orderNoteValue, "failed first")
	}
	switch text := p.filter.Value(); {
	case p.unknownFilter != "":
		short, _, _ := strings.Cut(p.unknownFilter, ",")
		say(filterNoteValue, short)
	case text != "":
		say(filterNoteValue, "“"+text+"”")
	}
	if p.source != "" {
		say(filterNoteValue, "in "+p.source)
	}
	say(unseenNoteValue, unseenCallsNote(p))
	say(countNoteValue, callCountText(p))
	if n := len(p.runningCalls()); n > 0 {
		say(runningNoteValue, widget.FormatCount(n)+" under way")
	}
	if p.ring.failed != nil {
		say(readErrorNoteValue, "older ones cannot be read")
	}
	if c, ok := p.selectedEndedCall(); ok && !p.follow {
		say(dayNoteValue, c.Time.In(p.zone).Format("Mon 2 Jan"))
	}
	say(positionNoteValue, positionText(p))
	return parts
}

// callCountText says how many calls are listed, and how far back a filter has looked.
func callCountText(p Activity) string {
	calls := p.ring.counts.calls
	counted := widget.CountWithNoun(calls, "call")
	if p.ring.more {
		counted = widget.FormatCount(calls) + "+ calls"
	}
	switch events := p.ring.counts.events; {
	case events > 0 && calls == 0 && !p.ring.more:
		counted = widget.CountWithNoun(events, "event")
	case events > 0:
		counted += ", " + widget.CountWithNoun(events, "event")
	}
	if back := p.searchProgressNote(); back != "" && p.ring.search != (status.CallSearch{}) {
		counted += " " + back
	}
	return counted
}

// positionText says which row of many is selected; empty: the list follows, or has few.
func positionText(p Activity) string {
	underWay := p.runningCalls()
	rows := len(p.ring.passing.all()) + len(underWay)
	if p.follow || rows < widget.MinRowsForPosition {
		return ""
	}
	text := widget.FormatCount(p.selectedRowIndex(underWay)+1) + " of " + widget.FormatCount(rows)
	if p.ring.more {
		text += "+"
	}
	return text
}

// searchProgressNote says how far back a filter has looked, while it looks further.
func (p Activity) searchProgressNote() string {
	if !p.ring.more || p.ring.reached.IsZero() {
		return ""
	}
	return "back to " + p.ring.reached.In(p.zone).Format("2 Jan 15:04")
}

func (p Activity) listSection(t theme.Theme) widget.Section {
	return widget.Section{Title: "Activity", NoteParts: p.listNote(), Min: 2, Preferred: 1 << 20, Rows: func(w, h int) []string {
		underWay, order := p.runningCalls(), p.ring.orderedCallNumbers(p.errors)
		if len(underWay)+len(order) == 0 {
			return t.Dim.Wrap(p.emptyText(), w)
		}
		n, at := len(underWay)+len(order), p.selectedRowIndex(underWay)
		title := drawCallColumnTitles(t, w)
		w = widget.ListRowWidth(w, h-1, n)
		from, _ := widget.VisibleRange(n, at, h-1)
		clients := rowClientNames{snap: &p.snap}
		return append([]string{title}, widget.AddScrollBar(t, widget.VisibleRows(t, n, at, h-1, func(t theme.Theme, i int) string {
			if i < len(underWay) {
				return p.runningRow(t, underWay[i], w)
			}
			i -= len(underWay)
			call, first := p.ring.call(order[i]), i == 0 || !sameDay(p, order[i-1], order[i])
			client := clients.name(call)
			draw := func() string { return p.row(t, call, client, w, first) }
			if first || i+len(underWay) == at {
				return draw()
			}
			return p.ring.rows.getOrDraw(t, w, drawnRowKey{order[i], isNewCall(p, call), client}, draw)
		}), w, from, n)...)
	}}
}

// sameDay reports whether two calls began on one day.
func sameDay(p Activity, a, b uint64) bool {
	day := func(n uint64) string { return p.ring.call(n).Time.In(p.zone).Format(time.DateOnly) }
	return day(a) == day(b)
}

func (p Activity) emptyText() string {
	switch {
	case p.ring.more:
		if back := p.searchProgressNote(); back != "" {
			return "No call matches yet, " + back + ". Looking further …"
		}
		return "Reading the recorded calls …"
	case p.ring.failed != nil:
		return "The recorded calls cannot be read: " + p.ring.failed.Error()
	case p.unknownFilter != "":
		return "No calls match: " + p.unknownFilter + ". " + clearFilterHint(p)
	case p.ring.search != status.CallSearch{}:
		return "The filter hides every call. " + clearFilterHint(p)
	case !IsHubRunning(p.snap):
		return "No agent has called a tool yet. The hub is not running."
	default:
		return "No calls yet. Each tool call appears here: the client, the tool, what it touched, how long it took and the size of the " +
			"result. Contents are not recorded."
	}
}

// clearFilterHint says which key shows more.
func clearFilterHint(p Activity) string {
	switch back, source := p.keys.Back.Help().Key, p.keys.NextComponent.Help().Key; {
	case p.source != "" && p.filter.Value() != "":
		return back + " clears “" + p.filter.Value() + "”, " + source + " goes on from source " + p.source + "."
	case p.source != "":
		return source + " goes on from source " + p.source + "."
	default:
		return back + " clears “" + p.filter.Value() + "”."
	}
}

// callColumns are the widths of the columns of a row; 0: left out.
type callColumns struct{ time, tool, target, client, source, effect, took, answer, result int }

func callColumnsFor(w int) callColumns {
	switch {
	case w >= 112:
		return callColumns{time: 13, tool: 16, target: w - 96, client: 12, source: 10, effect: 7, took: 8, answer: 9, result: 10}
	case w >= 72:
		return callColumns{time: 13, tool: 14, target: w - 52, client: 12, took: 8}
	case w >= 46: // beside the call, which says how long it took
		client, at := max(8, (w+5)/6), 10
		if w >= 60 {
			at = 13
		}
		return callColumns{time: at, tool: 12, target: w - 17 - at - client, client: client}
	default:
		return callColumns{time: 10, tool: min(11, w-21), target: max(0, w-25)}
	}
}

// optionalCell is a cell of a column and a space, or nothing where there is no
// such column.
func optionalCell(t theme.Theme, s theme.Style, text string, w int) string {
	if w == 0 {
		return ""
	}
	return s.Fit(text, w) + t.Text.Text(" ")
}

// targetCell is a cell with what a call touched: names of pages alone are cut at their beginning,
// whatever begins with another word at its end.
func targetCell(t theme.Theme, s theme.Style, call *status.Call, text string, w int) string {
	if len(call.Targets) == 0 || call.Code != "" || call.PersonEdit.Note() != "" {
		return optionalCell(t, s, text, w)
	}
	return widget.FillRow(t, s.CutLeft(text, w), w) + t.Text.Text(" ")
}

func drawCallColumnTitles(t theme.Theme, w int) string {
	c := callColumnsFor(w)
	line := t.Dim.Fit("time", c.time) + t.Dim.Fit("  tool", c.tool+3) + optionalCell(t, t.Dim, "target", c.target) +
		optionalCell(t, t.Dim, "client", c.client) + optionalCell(t, t.Dim, "source", c.source) +
		optionalCell(t, t.Dim, "effect", max(0, c.effect-1)) + t.Dim.FitRight("took", c.took)
	if c.answer > 0 {
		line += t.Dim.FitRight("size", c.answer)
	}
	if c.result > 0 {
		line += t.Dim.Text("  result")
	}
	return theme.Fit(line, w)
}

// row draws a call of a client; the first of a day with the day.
func (p Activity) row(t theme.Theme, call *status.Call, client string, w int, firstOfDay bool) string {
	c := callColumnsFor(w)
	glyph, style, result := "●", t.Good, "ok"
	switch {
	case call.Code == status.Asked:
		glyph, style, result = "?", t.Busy, call.Code
	case call.Failed():
		glyph, style, result = "✗", t.Bad, call.Code
	}
	began := call.Time.In(p.zone)
	at := began.Format("15:04:05")
	switch wide := c.time > len("21 Nov 15:04"); {
	case wide && firstOfDay:
		at = began.Format("_2 Jan 15:04")
	case wide:
		at = "    " + at
	case firstOfDay && began.Format(time.DateOnly) != p.snap.Time.In(p.zone).Format(time.DateOnly):
		at = began.Format("Mon 15:04") // the title has the whole date of the selected row
	}
	shown := t.Dim.Fit(at, c.time)
	if isNewCall(p, call) {
		shown = t.Busy.Fit(at, c.time-1) + t.Busy.Text("•")
	}
	if call.Event != "" {
		return eventRow(t, c, call, shown, w)
	}
	line := shown + style.Text(glyph) + t.Text.Text(" ") + t.Strong.Fit(call.Tool, c.tool) + t.Text.Text(" ") +
		targetCell(t, t.Text, call, describeTargets(call, c.result == 0), c.target) +
		optionalCell(t, t.Text, client, c.client) +
		optionalCell(t, t.Dim, call.Source, c.source) +
		optionalCell(t, effectStyle(t, call.Effect), call.Effect, max(0, c.effect-1)) +
		t.Text.FitRight(widget.FormatDuration(call.Worked()), c.took)
	if c.answer > 0 {
		line += t.Dim.FitRight(widget.FormatBytes(call.ResponseBytes), c.answer)
	}
	if c.result > 0 {
		line += t.Text.Text("  ") + style.Text(result)
	}
	return widget.FillRow(t, line, w)
}

// describeTargets is what a call touched or found, and where that is not known why it failed;
// withCode: after the code of the error.
func describeTargets(c *status.Call, withCode bool) string {
	words := nonEmpty(c.Message)
	switch targets := pagesFirst(c.Targets); {
	case len(targets) > 1:
		words = []string{fmt.Sprintf("%s +%d", targets[0], len(targets)-1)}
	case len(targets) == 1:
		words = targets
	case c.Found != nil && c.Words != "":
		words = []string{describeHitCount(c), strconv.Quote(c.Words)}
	case c.Found != nil:
		words = []string{describeHitCount(c)}
	}
	if note := c.PersonEdit.Note(); note != "" {
		words = append([]string{note}, words...)
	}
	if withCode && c.Code != "" {
		words = append([]string{c.Code}, words...)
	}
	return strings.Join(words, ": ")
}

// effectStyle is the style of an effect: what changes something stands out.
func effectStyle(t theme.Theme, e string) theme.Style {
	switch e {
	case "read":
		return t.Dim
	case "delete", "admin", "run":
		return t.Warn
	default:
		return t.Busy
	}
}

func callOutcomeText(t theme.Theme, c status.Call) string {
	switch {
	case c.Code == status.Asked:
		return t.Busy.Text("? asked the user; the client will retry")
	case c.Failed():
		return t.Bad.Text("✗ " + c.Code)
	default:
		return t.Good.Text("● ok")
	}
}

// callSection is all there is to say of the selected call.
func (p Activity) callSection(t theme.Theme) widget.Section {
	if r, ok := p.selectedRunning(); ok {
		return p.runningCallSection(t, r)
	}
	c, ok := p.selectedEndedCall()
	if !ok {
		return widget.MessageSection("Call", t.Dim.Text("No call selected."))
	}
	if c.Event != "" {
		return eventSection(p, t, c)
	}
	title := "Call"
	if c.Seq > 0 {
		title += " " + widget.FormatCount(c.Seq)
	}
	return widget.Section{Title: title, Min: 4, Preferred: 14, Rows: func(w, h int) []string {
		field := func(name, value string) string { return widget.PropertyRow(t, 10, name, value) }
		client, took := orNoName(c.Client)+", not proven", widget.FormatDuration(c.Worked())+p.durationVersusMeanText(c)
		if c.Proven {
			client = c.Client + ", proven"
		}
		if c.Waited > 0 {
			took += ", after " + widget.FormatDuration(c.Waited) + " for a person"
		}
		rows := []string{
			t.Dim.Fit("tool", 10) + t.Strong.Text(c.Tool) + t.Text.Text(" ") + effectStyle(t, c.Effect).Text(c.Effect),
			t.Dim.Fit("result", 10) + callOutcomeText(t, c),
			field("client", client+", session "+widget.OrDash(c.Session)),
			field("source", widget.OrDash(c.Source)),
			field("began", c.Time.In(p.zone).Format("2 Jan 15:04:05.000")),
			field("took", took),
			field("arguments", widget.FormatBytes(c.RequestBytes)),
			field("response", widget.FormatBytes(c.ResponseBytes)+", "+widget.FormatTokenEstimate(c.ResponseBytes)),
		}
		rows = append(rows, callErrorRows(t, c.Message, w)...)
		rows = append(rows, searchAndEditRows(t, c, w)...)
		for i, target := range c.Targets {
			name := "targets"
			if i > 0 {
				name = ""
			}
			rows = append(rows, field(name, target))
		}
		if len(c.Changes) > 0 {
			rows = append(rows, field("changes", strings.Join(c.Changes, ", ")))
		}
		if c.Missed > 0 {
			rows = append(rows, t.Warn.Text("▲ "+widget.CountWithNoun(c.Missed, "call")+" before this one were skipped: too many at once"))
		}
		return widget.TruncateRows(t, rows, h)
	}}
}

// searchAndEditRows are what a search found, and what a person has made of a write; none for other
// calls.
func searchAndEditRows(t theme.Theme, c status.Call, w int) (rows []string) {
	if c.Found != nil {
		text := widget.CountWithNoun(*c.Found, "result")
		if c.FoundTotal > *c.Found {
			text = widget.FormatCount(*c.Found) + " of " + widget.CountWithNoun(c.FoundTotal, "result")
		}
		rows = append(rows, widget.PropertyRow(t, 10, "found", text))
	}
	if c.Words != "" {
		rows = append(rows, widget.PropertyRows(t, 10, "searched", strconv.Quote(c.Words), w)...)
	}
	return append(rows, widget.PropertyRows(t, 10, "written", c.PersonEdit.Note(), w)...)
}

// callErrorRows are the error of a call; none where it had none.
func callErrorRows(t theme.Theme, message string, w int) []string {
	if message == "" {
		return nil
	}
	rows := widget.PropertyRows(t, 10, "error", message, w)
	if strings.Contains(message, "…") {
		rows = append(rows, widget.PropertyRow(t, 10, "", "(… stands for quoted text, which is not recorded)"))
	}
	return rows
}

// durationVersusMeanText compares what c took with the other calls of its tool.
func (p Activity) durationVersusMeanText(c status.Call) string {
	tools := p.ring.totalsByTool()
	i := slices.IndexFunc(tools, func(t callTotal) bool { return t.name == c.Tool })
	if i < 0 || tools[i].calls < 2 {
		return ""
	}
	return ", " + widget.FormatDuration(tools[i].worked/time.Duration(tools[i].calls)) + " on average"
}

// totalsSection are totals of the calls that the list has.
func (p Activity) totalsSection(t theme.Theme, title string, totals []callTotal) widget.Section {
	return widget.Section{
		Title: title, Note: widget.CountWithNoun(len(totals), "name"), Min: 2, Preferred: len(totals) + 1,
		Rows: func(w, h int) []string {
			name := max(8, w-38)
			rows := []string{t.Dim.Fit("  name", name) + t.Dim.FitRight("calls", 7) + t.Dim.FitRight("failed",
				8) + t.Dim.FitRight("mean", 10) + t.Dim.FitRight("data", 11)}
			for _, one := range totals {
				failed := t.Dim
				if one.failures > 0 {
					failed = t.Bad
				}
				rows = append(rows, t.Text.Fit("  "+one.name, name)+t.Text.FitRight(widget.FormatCount(one.calls),
					7)+failed.FitRight(widget.FormatCount(one.failures), 8)+
					t.Text.FitRight(widget.FormatDuration(one.worked/time.Duration(max(1, one.calls))),
						10)+t.Dim.FitRight(widget.FormatBytes(one.answered), 11))
			}
			return widget.TruncateRows(t, rows, h)
		},
	}
}
