package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// An overlay lies over the panes and takes all keys.
type overlay interface {
	// handleKey answers a key. A nil overlay: it is done.
	handleKey(k pane.Press) (overlay, pane.Intent)
	// view draws it, in at most w by h cells.
	view(t theme.Theme, w, h int) []string
	// keys are the keys that mean something in it.
	keys() []key.Binding
}

// A rowSelector is an overlay with rows to click on.
type rowSelector interface {
	// selectRow selects the row that was drawn as region i. again: it was before.
	selectRow(i int) (next overlay, again bool)
}

// centeredPosition is where box lies on a screen of w by h cells.
func centeredPosition(box []string, w, h int) (x, y int) {
	return (w - theme.Width(box[0])) / 2, max(0, (h-len(box))/2)
}

// drawOverlay draws box in the middle of the screen below, which steps back.
func drawOverlay(t theme.Theme, below, box []string, w, h int) []string {
	for i := range below {
		below[i] = t.Line.Text(ansi.Strip(below[i]))
	}
	x, y := centeredPosition(box, w, h)
	all := lipgloss.NewCompositor(
		lipgloss.NewLayer(strings.Join(below, "\n")),
		lipgloss.NewLayer(strings.Join(box, "\n")).X(x).Y(y).Z(1),
	)
	return strings.Split(all.Render(), "\n")
}

// drawFrame draws rows in a border with a title. Rows beyond h are cut off at
// offset, and what is hidden is said at the lower edge.
func drawFrame(t theme.Theme, title, foot string, rows []string, w, h int) []string {
	edge := t.Accent
	lines := []string{edge.Text("╭─ ") + t.Strong.Cut(title, w-6) + " "}
	lines[0] += edge.Text(strings.Repeat("─", max(0, w-1-theme.Width(lines[0]))) + "╮")
	for i := range h {
		row := ""
		if i < len(rows) {
			row = rows[i]
		}
		lines = append(lines, edge.Text("│")+" "+theme.Fit(row, w-4)+" "+edge.Text("│"))
	}
	end := edge.Text("╰─ ") + theme.Fit(foot, min(theme.Width(foot), w-6)) + " "
	return append(lines, end+edge.Text(strings.Repeat("─", max(0, w-1-theme.Width(end)))+"╯"))
}

// overlayWidth is how wide an overlay is that would like to be most cells: the
// whole of a narrow screen, for a sliver of what is below helps no one, and of
// what is heard.
func overlayWidth(w, most int) int {
	if w < 60 || w == screenReaderWidth {
		return w
	}
	return min(w-6, most)
}
