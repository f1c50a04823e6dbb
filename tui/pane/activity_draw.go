package pane

import (
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// View implements [Pane].
func (p Activity) View(t theme.Theme, w, h int) string {
	line := 0
	if p.typing {
		line = 1
	}
	lines := p.sections(t, w, h-line)
	if line == 1 {
		lines = append(lines, theme.Fill(t.Key.Text(" / ")+p.filter.View(t, w-4, true, "tool, client, source, effect or error"), w))
	}
	return strings.Join(lines, "\n")
}

func (p Activity) sections(t theme.Theme, w, h int) []string {
	frame := framed(w, h)
	list := p.list(t)
	switch {
	case p.open:
		return stack(t, w, h, frame, p.call(t))
	case frame && w >= wideWidth:
		return beside(t, w, h, []section{list}, []section{p.call(t), p.sums(t, "By tool", p.ring.tools), p.sums(t, "By client", p.ring.clients)})
	case p.totals:
		tools, clients := p.sums(t, "By tool", p.ring.tools), p.sums(t, "By client", p.ring.clients)
		tools.want = min(tools.want, h*2/3-2)
		return stack(t, w, h, frame, tools, clients)
	default:
		return stack(t, w, h, frame, list)
	}
}

// note says what is shown of all calls, and what is not.
func (p Activity) note() string {
	s := p.ring.sieve
	words := []string{"paused"}
	if p.follow {
		words[0] = "following"
	}
	if p.errors {
		words = append(words, "errors first")
	}
	if s.needle != "" {
		words = append(words, "“"+s.needle+"”")
	}
	if s.source != "" {
		words = append(words, "in "+s.source)
	}
	all := p.ring.next - p.ring.first
	if n := uint64(len(p.ring.all)); n != all {
		return strings.Join(append(words, fmt.Sprintf("%s of %s", count(n), many(all, "call"))), " · ")
	}
	return strings.Join(append(words, many(all, "call")), " · ")
}

func (p Activity) list(t theme.Theme) section {
	o := p.order()
	return section{title: "Activity", note: p.note(), need: 2, want: 1 << 20, rows: func(w, h int) []string {
		if o.len() == 0 {
			return t.Dim.Wrapped(p.nothing(), w)
		}
		rows := []string{callHeading(t, w)}
		from, to := window(o.len(), p.position(), h-1)
		for i := from; i < to; i++ {
			row := t
			if i == p.position() {
				row = t.On()
			}
			rows = append(rows, t.Spot(i, p.row(row, p.ring.at(o.at(i)), w)))
		}
		return rows
	}}
}

func (p Activity) nothing() string {
	switch {
	case p.ring.next > p.ring.first:
		return "No call passes the filter."
	case !Running(p.snap):
		return "No hub runs, so no agent calls."
	default:
		return "No agent has called a tool yet. Each call is listed here as it ends: who called what, how long it took and how much was answered. What was said is not kept."
	}
}

// callColumns are the widths of the columns of a row; 0: left out.
type callColumns struct{ tool, client, source, effect, answer, result int }

func columnsOf(w int) callColumns {
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

// optional is a cell of a column and a space, or nothing where there is no such
// column.
func optional(t theme.Theme, s theme.Style, text string, w int) string {
	if w == 0 {
		return ""
	}
	return s.Fit(text, w) + t.Text.Text(" ")
}

func callHeading(t theme.Theme, w int) string {
	c := columnsOf(w)
	line := t.Dim.Fit("time", 9) + t.Dim.Fit("  tool", c.tool+3) + optional(t, t.Dim, "client", c.client) + optional(t, t.Dim, "source", c.source) +
		optional(t, t.Dim, "effect", max(0, c.effect-1)) + t.Dim.Right("took", 8)
	if c.answer > 0 {
		line += t.Dim.Right("answer", c.answer)
	}
	if c.result > 0 {
		line += t.Dim.Text("  result")
	}
	return theme.Fill(line, w)
}

func (p Activity) row(t theme.Theme, call *status.Call, w int) string {
	c := columnsOf(w)
	glyph, style, result := "●", t.Good, "ok"
	switch {
	case call.Code == status.Asked:
		glyph, style, result = "?", t.Busy, call.Code
	case call.Failed():
		glyph, style, result = "✗", t.Bad, call.Code
	}
	line := t.Dim.Fit(call.Time.In(p.zone).Format("15:04:05"), 9) + style.Text(glyph) + t.Text.Text(" ") + t.Strong.Fit(call.Tool, c.tool) + t.Text.Text(" ") +
		optional(t, t.Text, call.Client, c.client) + optional(t, t.Dim, call.Source, c.source) +
		optional(t, effect(t, call.Effect), call.Effect, max(0, c.effect-1)) + t.Text.Right(lasting(call.Duration), 8)
	if c.answer > 0 {
		line += t.Dim.Right(size(call.ResponseBytes), c.answer)
	}
	if c.result > 0 {
		line += t.Text.Text("  ") + style.Text(result)
	}
	return filled(t, line, w)
}

// effect is the style of an effect: what changes something stands out.
func effect(t theme.Theme, e string) theme.Style {
	switch e {
	case "read":
		return t.Dim
	case "delete", "admin", "run":
		return t.Warn
	default:
		return t.Busy
	}
}

// call is all there is to say of the selected call.
func (p Activity) call(t theme.Theme) section {
	c, ok := p.selected()
	if !ok {
		return section{title: "Call", need: 1, want: 1, rows: func(int, int) []string { return []string{t.Dim.Text("None is selected.")} }}
	}
	return section{title: "Call " + count(c.Seq), need: 4, want: 11, rows: func(w, h int) []string {
		field := func(name, value string) string { return t.Dim.Fit(name, 10) + t.Text.Text(value) }
		result := t.Good.Text("● it went well")
		switch {
		case c.Code == status.Asked:
			result = t.Busy.Text("? asked its user, and comes again")
		case c.Failed():
			result = t.Bad.Text("✗ " + c.Code)
		}
		rows := []string{
			t.Dim.Fit("tool", 10) + t.Strong.Text(c.Tool) + t.Text.Text(" ") + effect(t, c.Effect).Text(c.Effect),
			t.Dim.Fit("result", 10) + result,
			field("client", c.Client+", session "+orNone(c.Session)),
			field("source", orNone(c.Source)),
			field("ended", c.Time.In(p.zone).Format("2 Jan 15:04:05.000")),
			field("took", lasting(c.Duration)+p.against(c)),
			field("arguments", size(c.RequestBytes)),
			field("answer", fmt.Sprintf("%s, about %s tokens", size(c.ResponseBytes), count(uint64(max(0, c.ResponseBytes/4))))),
		}
		if len(c.Changes) > 0 {
			rows = append(rows, field("changes", strings.Join(c.Changes, ", ")), t.Dim.Text("          what it wrote stands in Changes"))
		}
		if c.Missed > 0 {
			rows = append(rows, t.Warn.Text("▲ "+many(c.Missed, "call")+" before it came too fast to show"))
		}
		return atMost(t, rows, h)
	}}
}

// against compares what c took with the other calls of its tool.
func (p Activity) against(c status.Call) string {
	t := p.ring.tools[c.Tool]
	if t == nil || t.calls < 2 {
		return ""
	}
	return ", " + lasting(t.took/time.Duration(t.calls)) + " is usual"
}

// sums are totals since the panel began to follow.
func (p Activity) sums(t theme.Theme, title string, totals map[string]*total) section {
	return section{title: title, note: many(uint64(len(totals)), "name"), need: 2, want: len(totals) + 1, rows: func(w, h int) []string {
		all, name := most(totals), max(8, w-38)
		rows := []string{t.Dim.Fit("  name", name) + t.Dim.Right("calls", 7) + t.Dim.Right("failed", 8) + t.Dim.Right("mean", 10) + t.Dim.Right("answers", 11)}
		for _, one := range all {
			failed := t.Dim
			if one.failures > 0 {
				failed = t.Bad
			}
			rows = append(rows, t.Text.Fit("  "+one.name, name)+t.Text.Right(count(uint64(one.calls)), 7)+failed.Right(count(uint64(one.failures)), 8)+
				t.Text.Right(lasting(one.took/time.Duration(max(1, one.calls))), 10)+t.Dim.Right(size(one.answered), 11))
		}
		return atMost(t, rows, h)
	}}
}
