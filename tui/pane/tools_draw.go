package pane

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// View implements [Pane].
func (p Tools) View(t theme.Theme, w, h int) string {
	return p.list.DrawFilterBelowRows(t, w, h, func(h int) []string { return p.drawSections(t, w, h) })
}

func (p Tools) drawSections(t theme.Theme, w, h int) []string {
	frame := widget.IsFramed(w, h)
	switch {
	case p.form != nil && frame && w >= widget.WideWidth:
		return widget.Columns(t, w, h, []widget.Section{p.listSection(t)}, p.form.sections(t))
	case p.form != nil:
		return widget.Stack(t, w, h, frame, p.form.sections(t)...)
	case p.list.ShownCount() == 0:
		return widget.Stack(t, w, h, frame, p.listSection(t))
	case p.detail.Open:
		return widget.Stack(t, w, h, frame, p.detailSection(t))
	case h < 12:
		return widget.Stack(t, w, h, frame, p.listSection(t))
	default:
		return widget.ListWithDetail(t, w, h, h/2-2, p.listSection(t), p.detailSection(t))
	}
}

// detailSize is the room for what is said of a tool in a pane of w by h cells.
func (p Tools) detailSize(w, h int) (int, int) {
	if p.detail.Open {
		return widget.InsideSize(w, h)
	}
	return widget.InsideDetailSize(w, h, h/2-2, p.listSection(theme.Theme{}))
}

func (p Tools) listSection(t theme.Theme) widget.Section {
	bytes := 0
	for _, tool := range p.tools {
		bytes += tool.Bytes
	}
	n := p.list.ShownCount()
	note := fmt.Sprintf("%s, about %s tokens", widget.FormatBytes(bytes), widget.FormatCount(max(0, bytes/4)))
	note = strings.Join(nonEmpty(p.order.label(), p.list.StatusNote(), note), " · ")
	return widget.Section{
		Title: titleWithCount("Tools", len(p.tools)) + p.sourceAndClientText(), Note: note, Min: 3, Preferred: n + 1,
		Rows: func(w, h int) []string {
			if n == 0 {
				return p.emptyRows(t, w)
			}
			rows := []string{t.Dim.Fit("  tool", w-22) + t.Dim.Fit("effect", 8) + t.Dim.FitRight("tokens", 8)}
			return append(rows, p.list.Draw(t, w, h-1, func(t theme.Theme, i, w int) string {
				return toolRow(t, p.tools[i], i == p.list.SelectedIndex(), w)
			})...)
		},
	}
}

// sourceAndClientText says whose tools are shown.
func (p Tools) sourceAndClientText() string {
	words := ""
	if p.scope.Source != "" {
		words += " of " + p.scope.Source
	}
	if p.scope.Client != "" {
		words += " for " + p.scope.Client
	}
	return words
}

func (p Tools) emptyRows(t theme.Theme, w int) []string {
	switch {
	case p.err != nil:
		return t.Bad.Wrap("✗ Cannot load the tools: "+p.err.Error(), w)
	case !IsHubRunning(p.snap):
		return t.Dim.Wrap("The hub is not running.", w)
	case p.loaded == nil:
		return []string{t.Dim.Text("Loading the tools …")}
	case len(p.tools) > 0:
		return p.list.Draw(t, w, 1, nil)
	default:
		return t.Dim.Wrap("No tools published"+p.sourceAndClientText()+". See the permissions in Sources.", w)
	}
}

func toolRow(t theme.Theme, tool status.Tool, selected bool, w int) string {
	lead := "  "
	if selected {
		lead = "▸ "
	}
	return t.Strong.Fit(lead+tool.Name, w-22) + effectStyle(t, tool.Effect).Fit(tool.Effect,
		8) + t.Dim.FitRight(widget.FormatCount(max(0, tool.Bytes/4)), 8) +
		t.Text.Fit("", 6)
}

func (p Tools) detailSection(t theme.Theme) widget.Section {
	return widget.Section{Title: p.cursor, Min: 3, Preferred: 1 << 20, Rows: func(w, h int) []string {
		return widget.MarkScrollRegions(t, p.detail.Draw(t, p.page, w, h), w)
	}}
}
