package pane

import (
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// View implements [Pane].
func (p Activity) View(t theme.Theme, w, h int) string {
	return p.filter.DrawBelow(t, w, h, "tool, client, source, effect or error", func(h int) []string { return p.sections(t, w, h) })
}

func (p Activity) sections(t theme.Theme, w, h int) []string {
	frame := widget.Framed(w, h)
	list := p.listSection(t)
	switch {
	case p.detailOpen:
		return widget.Stack(t, w, h, frame, p.callSection(t))
	case frame && w >= widget.WideWidth:
		return widget.Columns(t, w, h, []widget.Section{list},
			[]widget.Section{p.callSection(t), p.totalsSection(t, "By tool", p.ring.tools), p.totalsSection(t, "By client", p.ring.clients)})
	case p.totals:
		tools, clients := p.totalsSection(t, "By tool", p.ring.tools), p.totalsSection(t, "By client", p.ring.clients)
		tools.Preferred = min(tools.Preferred, h*2/3-2)
		return widget.Stack(t, w, h, frame, tools, clients)
	default:
		return widget.Stack(t, w, h, frame, list)
	}
}

// note says what is shown of all calls, and what is not.
func (p Activity) note() string {
	s := p.ring.filter
	words := []string{"paused"}
	if p.follow {
		words[0] = "following"
	}
	if p.errors {
		words = append(words, "failed first")
	}
	if s.text != "" {
		words = append(words, "“"+s.text+"”")
	}
	if s.source != "" {
		words = append(words, "in "+s.source)
	}
	all := p.ring.next - p.ring.first
	if n := uint64(len(p.ring.passing)); n != all {
		return strings.Join(append(words, fmt.Sprintf("%s of %s", widget.Count(n), widget.Plural(all, "call"))), " · ")
	}
	return strings.Join(append(words, widget.Plural(all, "call")), " · ")
}

func (p Activity) listSection(t theme.Theme) widget.Section {
	return widget.Section{Title: "Activity", Note: p.note(), Min: 2, Preferred: 1 << 20, Rows: func(w, h int) []string {
		order, at := p.ring.order(p.errors), p.position()
		if len(order) == 0 {
			return t.Dim.Wrap(p.emptyText(), w)
		}
		rows := []string{callHeading(t, w)}
		return append(rows, widget.VisibleRows(t, len(order), at, h-1, func(t theme.Theme, i int) string {
			return p.row(t, p.ring.call(order[i]), w)
		})...)
	}}
}

func (p Activity) emptyText() string {
	switch {
	case p.ring.next > p.ring.first:
		return "No calls match the filter."
	case !Running(p.snap):
		return "The hub is not running."
	default:
		return "No calls yet. Each tool call appears here when it ends: the client, the tool, how long it took and the size of the result. Contents are not recorded."
	}
}

// callColumns are the widths of the columns of a row; 0: left out.
type callColumns struct{ tool, client, source, effect, answer, result int }

func callColumnsFor(w int) callColumns {
	switch {
	case w >= 112:
		return callColumns{tool: 26, client: 18, source: 14, effect: 7, answer: 9, result: 14}
	case w >= 72:
		return callColumns{tool: w - 60, client: 12, effect: 7, answer: 9, result: 11}
	case w >= 50:
		return callColumns{tool: w - 44, client: 12, result: 11}
	default:
		return callColumns{tool: w - 20}
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

func callHeading(t theme.Theme, w int) string {
	c := callColumnsFor(w)
	line := t.Dim.Fit("time", 9) + t.Dim.Fit("  tool", c.tool+3) + optionalCell(t, t.Dim, "client", c.client) + optionalCell(t,
		t.Dim, "source", c.source) +
		optionalCell(t, t.Dim, "effect", max(0, c.effect-1)) + t.Dim.FitRight("took", 8)
	if c.answer > 0 {
		line += t.Dim.FitRight("size", c.answer)
	}
	if c.result > 0 {
		line += t.Dim.Text("  result")
	}
	return theme.Fit(line, w)
}

func (p Activity) row(t theme.Theme, call *status.Call, w int) string {
	c := callColumnsFor(w)
	glyph, style, result := "●", t.Good, "ok"
	switch {
	case call.Code == status.Asked:
		glyph, style, result = "?", t.Busy, call.Code
	case call.Failed():
		glyph, style, result = "✗", t.Bad, call.Code
	}
	line := t.Dim.Fit(call.Time.In(p.zone).Format("15:04:05"), 9) + style.Text(glyph) + t.Text.Text(" ") + t.Strong.Fit(call.Tool, c.tool) + t.Text.Text(" ") +
		optionalCell(t, t.Text, call.Client, c.client) + optionalCell(t, t.Dim, call.Source, c.source) +
		optionalCell(t, effectStyle(t, call.Effect), call.Effect, max(0, c.effect-1)) + t.Text.FitRight(widget.Duration(call.Duration), 8)
	if c.answer > 0 {
		line += t.Dim.FitRight(widget.Bytes(call.ResponseBytes), c.answer)
	}
	if c.result > 0 {
		line += t.Text.Text("  ") + style.Text(result)
	}
	return widget.FillRow(t, line, w)
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

// callSection is all there is to say of the selected call.
func (p Activity) callSection(t theme.Theme) widget.Section {
	c, ok := p.selected()
	if !ok {
		return widget.Message("Call", t.Dim.Text("No call selected."))
	}
	return widget.Section{Title: "Call " + widget.Count(c.Seq), Min: 4, Preferred: 11, Rows: func(w, h int) []string {
		field := func(name, value string) string { return widget.Property(t, 10, name, value) }
		result := t.Good.Text("● ok")
		switch {
		case c.Code == status.Asked:
			result = t.Busy.Text("? asked the user; the client will retry")
		case c.Failed():
			result = t.Bad.Text("✗ " + c.Code)
		}
		rows := []string{
			t.Dim.Fit("tool", 10) + t.Strong.Text(c.Tool) + t.Text.Text(" ") + effectStyle(t, c.Effect).Text(c.Effect),
			t.Dim.Fit("result", 10) + result,
			field("client", c.Client+", session "+widget.OrDash(c.Session)),
			field("source", widget.OrDash(c.Source)),
			field("ended", c.Time.In(p.zone).Format("2 Jan 15:04:05.000")),
			field("took", widget.Duration(c.Duration)+p.comparedToMean(c)),
			field("arguments", widget.Bytes(c.RequestBytes)),
			field("response", widget.Bytes(c.ResponseBytes)+", "+widget.Tokens(c.ResponseBytes)),
		}
		if len(c.Changes) > 0 {
			rows = append(rows, field("changes", strings.Join(c.Changes, ", ")), t.Dim.Text("          see Changes for the diffs"))
		}
		if c.Missed > 0 {
			rows = append(rows, t.Warn.Text("▲ "+widget.Plural(c.Missed, "call")+" before this one were skipped: too many at once"))
		}
		return widget.TruncateRows(t, rows, h)
	}}
}

// comparedToMean compares what c took with the other calls of its tool.
func (p Activity) comparedToMean(c status.Call) string {
	t := p.ring.tools[c.Tool]
	if t == nil || t.calls < 2 {
		return ""
	}
	return ", " + widget.Duration(t.took/time.Duration(t.calls)) + " on average"
}

// totalsSection are totals since the panel began to follow.
func (p Activity) totalsSection(t theme.Theme, title string, totals map[string]*total) widget.Section {
	return widget.Section{Title: title, Note: widget.Plural(len(totals), "name"), Min: 2, Preferred: len(totals) + 1, Rows: func(w, h int) []string {
		all, name := sortedTotals(totals), max(8, w-38)
		rows := []string{t.Dim.Fit("  name", name) + t.Dim.FitRight("calls", 7) + t.Dim.FitRight("failed",
			8) + t.Dim.FitRight("mean", 10) + t.Dim.FitRight("data", 11)}
		for _, one := range all {
			failed := t.Dim
			if one.failures > 0 {
				failed = t.Bad
			}
			rows = append(rows, t.Text.Fit("  "+one.name, name)+t.Text.FitRight(widget.Count(one.calls),
				7)+failed.FitRight(widget.Count(one.failures), 8)+
				t.Text.FitRight(widget.Duration(one.took/time.Duration(max(1, one.calls))),
					10)+t.Dim.FitRight(widget.Bytes(one.answered), 11))
		}
		return widget.TruncateRows(t, rows, h)
	}}
}
