package pane

import (
	"cmp"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// fillsPane reports whether the selected approval has the whole pane of w by h
// cells, and all others one row: what waits is to be read.
func (p Changes) fillsPane(w, h int) bool {
	_, waits := p.pending()
	columns := widget.Framed(w, h) && w >= widget.WideWidth
	return waits && h < widget.ScreenReaderHeight && (p.detail.Open || !columns)
}

// An approvalScreen draws the selected approval of a pane.
type approvalScreen struct {
	Changes

	a status.Approval
}

func (p Changes) approvalScreen() approvalScreen {
	a, _ := p.pending()
	return approvalScreen{p, a}
}

// draw draws the others in one row, who wants what in up to three, and then what
// would change.
func (p approvalScreen) draw(t theme.Theme, w, h int) []string {
	rows := p.head(t, w, h)
	section := widget.Section{Title: p.title(), Note: p.note(w, h), Min: 1, Preferred: 1 << 20, Rows: func(w, h int) []string {
		return widget.ScrollRegions(t, p.detailText().Draw(t, p.topRow(w, h), w, h), w)
	}}
	return append(rows, widget.Stack(t, w, h-len(rows), widget.Framed(w, h-len(rows)), section)...)
}

// head are the rows above the text; a low pane has fewer.
func (p approvalScreen) head(t theme.Theme, w, h int) []string {
	rows := []string{p.queueRow(t, w)}
	if h >= 7 {
		rows = append(rows, factRow(t, p.a, w))
	}
	if h >= 10 {
		rows = append(rows, targetRow(t, p.a, w))
	}
	if h >= 14 {
		rows = append(rows, theme.Fit(t.Dim.Text(" asked because "+p.a.AskReason), w))
	}
	return rows
}

// queueRow names all calls that wait in one row, the selected one in brackets.
func (p approvalScreen) queueRow(t theme.Theme, w int) string {
	a := p.a
	at, all := p.approval(a.ID), p.snap.Approvals
	until := t.Dim.Text(" until " + a.Until.In(p.zone).Format("15:04:05") + " ")
	row := t.Warn.Text(fmt.Sprintf(" ▲ %d of %d ", at+1, len(all)))
	room := w - theme.Width(until)
	from := max(0, at-1)
	for i := from; i < len(all); i++ {
		name := t.Dim.Text(" " + clientName(all[i]) + " " + all[i].Tool + " ")
		if i == at {
			name = t.Strong.Text("[" + clientName(a) + " " + a.Tool + "]")
		}
		if theme.Width(row)+theme.Width(name) > room-4 && i > at {
			row += t.Dim.Text(fmt.Sprintf(" +%d", len(all)-i))
			break
		}
		row += t.RowRegion(i, name)
	}
	return theme.Fit(theme.Fit(row, room)+until, w)
}

// factRow says who wants what, and how much.
func factRow(t theme.Theme, a status.Approval, w int) string {
	n := len(a.Targets) + a.More
	what := map[string]string{"write": " wants to write ", "delete": " wants to delete "}[a.Effect] + widget.Plural(n, "target") + " in " + a.Source + " with " + a.Tool
	if n == 0 || a.Effect != "write" && a.Effect != "delete" {
		what = " wants to call " + a.Tool + " in " + a.Source + " (" + a.Effect + ")"
	}
	size := ""
	if a.Added+a.Removed > 0 {
		size = lineChanges(a.Added, a.Removed) + " "
	}
	left := " " + who(t, a) + t.Text.Text(what)
	return theme.Fit(theme.Fit(left, w-theme.Width(size)-1)+" "+t.Strong.Text(size), w)
}

// targetRow names the targets, and what the agent says.
func targetRow(t theme.Theme, a status.Approval, w int) string {
	row := " " + t.Strong.Text(cmp.Or(targetsText(a), "(unknown targets)"))
	says := t.Dim.Text("   gives no reason")
	if a.Reason != "" {
		says = t.Dim.Text("   says: ") + t.Text.Text(fmt.Sprintf("%q", a.Reason))
	}
	return theme.Fit(theme.Fit(row, min(theme.Width(row), w*2/3))+says, w)
}

func (p approvalScreen) title() string {
	if len(p.a.Targets) == 1 && p.a.More == 0 {
		return p.a.Targets[0]
	}
	return "What would change"
}

// note says which rows of the text are visible in a pane of w by h cells.
func (p approvalScreen) note(w, h int) string {
	text, known := p.reader.texts[p.selection.id]
	if !known || text.failed {
		return ""
	}
	tw, th := p.detailRoom(w, h)
	n, top := text.view.Height(tw), p.topRow(tw, th)
	top = max(0, min(top, n-th))
	note := fmt.Sprintf("rows %d–%d of %d", min(top+1, n), min(top+th, n), n)
	switch {
	case text.hidden != "":
		return note + ", " + text.hidden + " not shown"
	case p.a.Shown || n <= th:
		return note + ", all shown"
	}
	return note
}

// drawEnd draws that the selected approval of p is over, above the list.
func drawEnd(p Changes, t theme.Theme, w, h int) []string {
	rows := t.Warn.Wrap(" ○ "+endText(p.reader.ended, p.snap.Outcomes), w)
	rows = rows[:min(len(rows), max(1, h/3))]
	hint := "↓ selects the newest change."
	if len(p.snap.Approvals) > 0 {
		hint = "↓ goes to the next call that waits."
	}
	rows = append(rows, t.Dim.Text("   "+hint))
	return append(rows, widget.Stack(t, w, h-len(rows), widget.Framed(w, h-len(rows)), p.listSection(t))...)
}
