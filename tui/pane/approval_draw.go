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

// approvalRows draw the selected approval: the others in one row, who wants what
// in up to three, and then what would change.
func (p Changes) approvalRows(t theme.Theme, w, h int) []string {
	a, _ := p.pending()
	rows := p.approvalHead(t, a, w, h)
	section := widget.Section{Title: p.textTitle(a), Note: p.textNote(w, h), Min: 1, Preferred: 1 << 20, Rows: func(w, h int) []string {
		return p.textRows(t, w, h)
	}}
	return append(rows, widget.Stack(t, w, h-len(rows), widget.Framed(w, h-len(rows)), section)...)
}

// approvalHead are the rows above the text; a low pane has fewer.
func (p Changes) approvalHead(t theme.Theme, a status.Approval, w, h int) []string {
	rows := []string{p.queueRow(t, w)}
	if h >= 7 {
		rows = append(rows, p.factRow(t, a, w))
	}
	if h >= 10 {
		rows = append(rows, p.targetRow(t, a, w))
	}
	if h >= 14 {
		rows = append(rows, theme.Fit(t.Dim.Text(" asked because "+a.AskReason), w))
	}
	return rows
}

// queueRow names all calls that wait in one row, the selected one in brackets.
func (p Changes) queueRow(t theme.Theme, w int) string {
	a, _ := p.pending()
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
func (p Changes) factRow(t theme.Theme, a status.Approval, w int) string {
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
func (p Changes) targetRow(t theme.Theme, a status.Approval, w int) string {
	row := " " + t.Strong.Text(cmp.Or(targetsText(a), "(unknown targets)"))
	says := t.Dim.Text("   gives no reason")
	if a.Reason != "" {
		says = t.Dim.Text("   says: ") + t.Text.Text(fmt.Sprintf("%q", a.Reason))
	}
	return theme.Fit(theme.Fit(row, min(theme.Width(row), w*2/3))+says, w)
}

func (p Changes) textTitle(a status.Approval) string {
	if len(a.Targets) == 1 && a.More == 0 {
		return a.Targets[0]
	}
	return "What would change"
}

// textNote says which rows of the text are visible in a pane of w by h cells.
func (p Changes) textNote(w, h int) string {
	text, known := p.reader.texts[p.selection.id]
	if !known || text.failed {
		return ""
	}
	tw, th := p.detailRoom(w, h)
	n, top := text.view.Height(tw), p.topRow(tw, th)
	top = max(0, min(top, n-th))
	note := fmt.Sprintf("rows %d–%d of %d", min(top+1, n), min(top+th, n), n)
	switch a, _ := p.pending(); {
	case text.hidden != "":
		return note + ", " + text.hidden + " not shown"
	case a.Shown || n <= th:
		return note + ", all shown"
	}
	return note
}

// textRows draw the text of the selected in w by h cells.
func (p Changes) textRows(t theme.Theme, w, h int) []string {
	return widget.ScrollRegions(t, p.detailText().Draw(t, p.topRow(w, h), w, h), w)
}

// endedRows draw that the selected approval is over, above the list.
func (p Changes) endedRows(t theme.Theme, w, h int) []string {
	rows := t.Warn.Wrap(" ○ "+p.endText(), w)
	rows = rows[:min(len(rows), max(1, h/3))]
	hint := "↓ selects the newest change."
	if len(p.snap.Approvals) > 0 {
		hint = "↓ goes to the next call that waits."
	}
	rows = append(rows, t.Dim.Text("   "+hint))
	return append(rows, widget.Stack(t, w, h-len(rows), widget.Framed(w, h-len(rows)), p.listSection(t))...)
}
