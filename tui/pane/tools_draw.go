package pane

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// View implements [Pane].
func (p Tools) View(t theme.Theme, w, h int) string {
	line := 0
	if p.typing {
		line = 1
	}
	lines := p.sections(t, w, h-line)
	if line == 1 {
		lines = append(lines, theme.Fill(t.Key.Text(" / ")+p.filter.View(t, w-4, true, "name, effect or description"), w))
	}
	return strings.Join(lines, "\n")
}

func (p Tools) sections(t theme.Theme, w, h int) []string {
	frame := framed(w, h)
	switch {
	case p.form != nil && frame && w >= wideWidth:
		return beside(t, w, h, []section{p.list(t)}, p.form.sections(t))
	case p.form != nil:
		return stack(t, w, h, frame, p.form.sections(t)...)
	case len(p.shown()) == 0:
		return stack(t, w, h, frame, p.list(t))
	case p.open:
		return stack(t, w, h, frame, p.side(t))
	case frame && w >= wideWidth:
		return beside(t, w, h, []section{p.list(t)}, []section{p.side(t)})
	case h < 12:
		return stack(t, w, h, frame, p.list(t))
	default:
		list := p.list(t)
		list.want = min(list.want, h/2-2)
		return stack(t, w, h, frame, list, p.side(t))
	}
}

// inside is the room for what is said of a tool in a pane of w by h cells.
func (p Tools) inside(w, h int) (int, int) {
	frame := framed(w, h)
	switch {
	case p.open:
	case frame && w >= wideWidth:
		w -= w / 2
	default:
		h -= min(len(p.shown())+1, h/2-2) + 2
	}
	if frame {
		return w - 4, max(1, h-2)
	}
	return w, max(1, h-1)
}

func (p Tools) list(t theme.Theme) section {
	shown, bytes := p.shown(), 0
	for _, tool := range p.tools {
		bytes += tool.Bytes
	}
	n := len(shown)
	note := fmt.Sprintf("%s, about %s tokens", size(bytes), count(uint64(max(0, bytes/4))))
	if n != len(p.tools) {
		note = fmt.Sprintf("%d of %d", n, len(p.tools))
	}
	return section{title: titled("Tools", n) + p.of(), note: note, need: 3, want: n + 1, rows: func(w, h int) []string {
		if n == 0 {
			return p.nothing(t, w)
		}
		rows := []string{t.Dim.Fit("  tool", w-22) + t.Dim.Fit("effect", 8) + t.Dim.Right("tokens", 8)}
		from, to := window(n, p.position(), h-1)
		for i := from; i < to; i++ {
			rows = append(rows, t.Spot(i, p.row(t, shown[i], w)))
		}
		return rows
	}}
}

// of says whose tools are shown.
func (p Tools) of() string {
	words := ""
	if p.scope.Source != "" {
		words += " of " + p.scope.Source
	}
	if p.scope.Client != "" {
		words += " for " + p.scope.Client
	}
	return words
}

func (p Tools) nothing(t theme.Theme, w int) []string {
	switch {
	case p.err != nil:
		return t.Bad.Wrapped("✗ The tools cannot be read: "+p.err.Error(), w)
	case !Running(p.snap):
		return t.Dim.Wrapped("No hub runs, so no tool is published.", w)
	case p.got == nil:
		return []string{t.Dim.Text("Reading the tools …")}
	case len(p.tools) > 0:
		return []string{t.Dim.Text("No tool passes the filter.")}
	default:
		return t.Dim.Wrapped("No tool is published"+p.of()+". What agents may do decides it: see Sources.", w)
	}
}

func (p Tools) row(t theme.Theme, tool status.Tool, w int) string {
	lead := "  "
	if tool.Name == p.cursor {
		t, lead = t.On(), "▸ "
	}
	return t.Strong.Fit(lead+tool.Name, w-22) + effect(t, tool.Effect).Fit(tool.Effect, 8) + t.Dim.Right(count(uint64(max(0, tool.Bytes/4))), 8) +
		t.Text.Fit("", 6)
}

func (p Tools) side(t theme.Theme) section {
	return section{title: p.cursor, need: 3, want: 1 << 20, rows: func(w, h int) []string {
		rows := p.page.draw(t, p.top, w, h)
		if rest := p.page.height(w) - p.top - len(rows); rest > 0 && len(rows) > 1 {
			rows[len(rows)-1] = t.Dim.Text(fmt.Sprintf("… %s below; pgdn", many(uint64(rest+1), "row")))
		}
		return besides(t, rows, w)
	}}
}
