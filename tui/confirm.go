package tui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

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
	titled widget.TextView // text below the title, for a dialog whose edge is too short for that
	then   pane.Intent     // what yes means
	top    int             // the first visible row
}

func newConfirmDialog(k KeyMap, plan status.Plan, then pane.Intent) confirmDialog {
	body := func(text widget.TextView) widget.TextView {
		if text = text.AppendText(widget.TextLine, ""); len(plan.Steps) == 0 {
			text = text.AppendText(widget.DimLine, "No file changes.")
		}
		return pane.AppendPlanText(text, plan).AppendText(widget.TextLine, " ")
	}
	return confirmDialog{
		keyMap: k, title: plan.Title, text: body(widget.NewTextView()),
		titled: body(widget.NewTextView().AppendText(widget.TitleLine, plan.Title+"?")), then: then,
	}
}

// titleAndText are what stands in the edge of a dialog of w cells, and in it: all of the
// title, whatever its length.
func (c confirmDialog) titleAndText(w int) (string, widget.TextView) {
	if title := c.title + "?"; theme.Width(theme.Sanitize(title)) <= w-6 {
		return title, c.text
	}
	return "Confirm", c.titled
}

func (c confirmDialog) handleKey(k pane.Press) (overlay, pane.Intent) {
	switch {
	case key.Matches(k, c.keyMap.Yes):
		return nil, c.then
	case key.Matches(k, c.keyMap.No):
		return nil, nil
	}
	w, h := confirmDialogSize(k.W, k.H)
	_, text := c.titleAndText(w)
	c.top, _ = c.keyMap.Pane.RowAfterKey(k.KeyPressMsg, c.top, max(1, text.Height(w-4)-h+1), k.H/2)
	return c, nil
}

func (c confirmDialog) keys() []key.Binding {
	return []key.Binding{c.keyMap.Yes, c.keyMap.No, widget.WithHelp(c.keyMap.Pane.Down, "scroll")}
}

// A heldKey is one that was taken and may still be held down: when it comes again soon, it means
// nothing more, and is not typed into the form that the question was about.
type heldKey struct {
	key   string // empty: none
	until time.Time
}

func (h heldKey) isRepeated(k tea.KeyPressMsg, now time.Time) bool {
	return h.key != "" && k.String() == h.key && now.Before(h.until)
}

// confirmDialogSize is the outer width and the inner height it may take.
func confirmDialogSize(w, h int) (int, int) { return overlayWidth(w, 84), max(1, h-3) }

func (c confirmDialog) view(t theme.Theme, w, h int) []string {
	w, h = confirmDialogSize(w, h)
	foot := t.MarkKeyRegion('y', t.Key.Text("y")+t.Dim.Text(" yes")) + "  " + t.MarkKeyRegion('n', t.Key.Text("n")+t.Dim.Text(" no"))
	title, text := c.titleAndText(w)
	if text.Height(w-4) > h {
		foot += t.Dim.Text("  ↓ more")
	}
	return drawTitledBox(t, title, foot, text.Draw(t, c.top, w-4, h), w, min(h, text.Height(w-4)))
}
