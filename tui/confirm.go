package tui

import (
	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// confirmDialog shows a Plan and asks a person whether to do it.
type confirmDialog struct {
	keyMap KeyMap
	title  string
	text   widget.TextView
	then   pane.Intent // what yes means
	top    int         // the first visible row
}

func newConfirmDialog(k KeyMap, plan status.Plan, then pane.Intent) confirmDialog {
	text := widget.NewTextView().Add(widget.TextLine, "")
	if len(plan.Steps) == 0 {
		text = text.Add(widget.DimLine, "No file changes.")
	}
	return confirmDialog{keyMap: k, title: plan.Title, text: pane.AddPlan(text, plan).Add(widget.TextLine, " "), then: then}
}

func (c confirmDialog) handleKey(k pane.Press) (overlay, pane.Intent) {
	switch {
	case key.Matches(k, c.keyMap.Yes):
		return nil, c.then
	case key.Matches(k, c.keyMap.No):
		return nil, nil
	}
	w, h := confirmDialogSize(k.W, k.H)
	c.top, _ = c.keyMap.Pane.RowAfterKey(k.KeyPressMsg, c.top, max(1, c.text.Height(w-4)-h+1), k.H/2)
	return c, nil
}

func (c confirmDialog) keys() []key.Binding {
	return []key.Binding{c.keyMap.Yes, c.keyMap.No, widget.WithHelp(c.keyMap.Pane.Down, "scroll")}
}

// confirmDialogSize is the outer width and the inner height it may take.
func confirmDialogSize(w, h int) (int, int) { return overlayWidth(w, 84), max(1, h-3) }

func (c confirmDialog) view(t theme.Theme, w, h int) []string {
	w, h = confirmDialogSize(w, h)
	foot := t.MarkKeyRegion('y', t.Key.Text("y")+t.Dim.Text(" yes")) + "  " + t.MarkKeyRegion('n', t.Key.Text("n")+t.Dim.Text(" no"))
	if c.text.Height(w-4) > h {
		foot += t.Dim.Text("  ↓ more")
	}
	return drawFrame(t, c.title+"?", foot, c.text.Draw(t, c.top, w-4, h), w, min(h, c.text.Height(w-4)))
}
