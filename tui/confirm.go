package tui

import (
	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// confirm shows the Plan of an Action and waits for a yes.
type confirm struct {
	keyMap KeyMap
	action status.Action
	plan   status.Plan
	yes    pane.Intent // what a yes means
	top    int         // the first row in sight
}

func newConfirm(k KeyMap, a status.Action, p status.Plan) confirm {
	return confirm{keyMap: k, action: a, plan: p, yes: pane.Do{Action: a}}
}

func (c confirm) handleKey(k pane.Press) (overlay, pane.Intent) {
	switch p := c.keyMap.Pane; {
	case key.Matches(k, c.keyMap.Yes):
		return nil, c.yes
	case key.Matches(k, c.keyMap.No):
		return nil, nil
	case key.Matches(k, p.Down):
		c.top++
	case key.Matches(k, p.Up):
		c.top--
	case key.Matches(k, p.PageDown):
		c.top += k.H / 2
	case key.Matches(k, p.PageUp):
		c.top -= k.H / 2
	}
	w, h := confirmRoom(k.W, k.H)
	c.top = max(0, min(c.top, len(c.rows(theme.Theme{}, w-4))-h))
	return c, nil
}

func (c confirm) keys() []key.Binding {
	return []key.Binding{c.keyMap.Yes, c.keyMap.No, widget.WithHelp(c.keyMap.Pane.Down, "scroll")}
}

// confirmRoom is the outer width and the inner height it may take.
func confirmRoom(w, h int) (int, int) { return overlayWidth(w, 84), max(1, h-3) }

func (c confirm) view(t theme.Theme, w, h int) []string {
	w, h = confirmRoom(w, h)
	rows := c.rows(t, w-4)
	foot := t.KeyRegion('y', t.Key.Text("y")+t.Dim.Text(" yes, do it")) + "  " + t.KeyRegion('n', t.Key.Text("n")+t.Dim.Text(" no"))
	if len(rows) > h {
		foot += t.Dim.Text("  ↓ more")
	}
	from := min(c.top, max(0, len(rows)-h))
	return frame(t, c.plan.Title+"?", foot, rows[from:], w, min(h, len(rows)))
}

func (c confirm) rows(t theme.Theme, w int) []string {
	rows := []string{""}
	if len(c.plan.Steps) == 0 {
		rows = append(rows, t.Dim.Text("It changes no file."))
	}
	for _, s := range c.plan.Steps {
		rows = append(rows, bulleted(t.Text.Wrap(s.What, w-2), t.Accent.Text("• "))...)
		rows = append(rows, diffRows(t, s.Diff, w)...)
	}
	if len(c.plan.Risks) > 0 {
		rows = append(rows, "")
	}
	for _, risk := range c.plan.Risks {
		rows = append(rows, bulleted(t.Warn.Wrap(risk, w-2), t.Warn.Text("▲ "))...)
	}
	return append(rows, "")
}

func bulleted(lines []string, first string) []string {
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = "  " + lines[i]
		}
	}
	return lines
}

// diffRows draws a unified diff.
func diffRows(t theme.Theme, diff string, w int) []string {
	if diff == "" {
		return nil
	}
	var rows []string
	for _, line := range theme.SplitLines(diff) {
		rows = append(rows, "  "+t.Diff(line).Cut(line, w-2))
	}
	return rows
}
