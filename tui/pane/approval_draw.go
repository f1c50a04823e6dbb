package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// approvalFillsPane reports whether the selected approval of p has the whole pane of w by h
// cells, and all others one row: what waits is to be read.
func approvalFillsPane(p Changes, w, h int) bool {
	_, waits := p.selectedApproval()
	return waits && w > 0 && h < widget.ScreenReaderHeight
}

// An approvalScreen draws the selected approval of a pane.
type approvalScreen struct {
	Changes

	a status.Approval
}

func newApprovalScreen(p Changes) approvalScreen {
	a, _ := p.selectedApproval()
	return approvalScreen{p, a}
}

// draw draws the others in one row, who wants what in up to three, and then what
// would change.
func (p approvalScreen) draw(t theme.Theme, w, h int) []string {
	rows := p.headRows(t, w, h)
	h -= len(rows)
	note := p.visibleRowsNote(w, h+len(rows))
	section := widget.Section{Title: p.title(), Note: note, Min: 1, Preferred: 1 << 20, Rows: func(w, h int) []string {
		return widget.MarkScrollRegions(t, p.detailText().Draw(t, p.topRow(w, h), w, h), w)
	}}
	side := queueColumnWidth(w, h)
	text := widget.Stack(t, w-side, h, widget.IsFramed(w, h), section)
	if side > 0 {
		for i, row := range widget.Stack(t, side, h, true, p.queueSection(t), p.whyAskedSection(t, side-4)) {
			text[i] += row
		}
	}
	return append(rows, text...)
}

// queueColumnWidth is how much of w cells the queue beside the text takes; 0: there is no
// room for it.
func queueColumnWidth(w, h int) int {
	if w < 120 || !widget.IsFramed(w, h) {
		return 0
	}
	return min(56, w*2/5)
}

// queueSection lists all calls that wait.
func (p approvalScreen) queueSection(t theme.Theme) widget.Section {
	n := len(p.snap.Approvals)
	return widget.Section{Title: titleWithCount("Waiting", n), Min: 1, Preferred: min(n, 12), Rows: func(w, h int) []string {
		return widget.VisibleRows(t, n, p.approvalIndex(p.a.ID), h, func(t theme.Theme, i int) string {
			return approvalRow(t, p.reader.withWrittenLines(p.snap.Approvals[i]), p.reader.now, p.zone, w)
		})
	}}
}

// whyAskedSection says why the person is asked, and what a yes does.
func (p approvalScreen) whyAskedSection(t theme.Theme, w int) widget.Section {
	rows := t.Text.Wrap(p.a.AskReason, w)
	if p.a.Proven {
		rows = append(rows, t.Good.Wrap("The client has proved its name. Session "+p.a.Session+".", w)...)
	} else {
		rows = append(rows, t.Warn.Wrap("Not proven: any program can call itself that. Session "+p.a.Session+".", w)...)
	}
	said := 0
	for _, c := range p.cache.changes {
		if c.Client == p.a.Client && c.Source == p.a.Source && said < 3 {
			rows = append(rows, t.Dim.Text(widget.FormatShortTime(c.Time, p.snap.Time, p.zone)+" "+pastAction(c)+" ")+t.Text.CutLeft(c.Target, w-15))
			said++
		}
	}
	return widget.Section{Title: "Why you are asked", Min: 3, Preferred: len(rows), Rows: func(_, h int) []string {
		return rows[:min(h, len(rows))]
	}}
}

// pastAction is what a Change did with its target.
func pastAction(c status.Change) string {
	switch {
	case c.Undoes != "":
		return "undid"
	case c.MovedFrom != "", c.MovedTo != "":
		return "moved"
	case c.Action == "create":
		return "created"
	case c.Action == "delete":
		return "deleted"
	}
	return "changed"
}

// headRows are the rows above the text; a low pane has fewer.
func (p approvalScreen) headRows(t theme.Theme, w, h int) []string {
	rows := []string{p.queueSummaryRow(t, w)}
	if h >= 7 {
		rows = append(rows, drawRequestRow(t, p.reader.withWrittenLines(p.a), w))
	}
	if h >= 10 {
		rows = append(rows, drawTargetsRow(t, p.a, w))
	}
	switch paused := p.pausedText(); {
	case paused != "" && h >= 7:
		rows = append(rows, theme.Fit(t.Bad.Text(" "+paused), w))
	case h >= 14 && queueColumnWidth(w, h-3) == 0:
		rows = append(rows, theme.Fit(t.Dim.Text(" asked because "+p.a.AskReason), w))
	}
	return rows
}

// pausedText says that an answer cannot let the call write now; empty: it can.
func (p approvalScreen) pausedText() string {
	i := slices.IndexFunc(p.snap.Sessions, func(s status.Session) bool { return s.Name == p.a.Session })
	switch {
	case i < 0 || p.snap.Sessions[i].WritesPaused.IsZero():
		return ""
	case !p.snap.Hub.WritesPaused.IsZero():
		return "‖ all writes are paused: if you allow this, it is refused; H ends the pause"
	default:
		return "‖ its writes are paused: if you allow this, it is refused; P in Clients ends the pause"
	}
}

// queueSummaryRow names all calls that wait in one row, the selected one in brackets.
func (p approvalScreen) queueSummaryRow(t theme.Theme, w int) string {
	a := p.a
	at, all := p.approvalIndex(a.ID), p.snap.Approvals
	until := " " + drawTimeLeft(t, a, p.reader.now, p.zone, w/5) + " "
	row := t.Warn.Text(fmt.Sprintf(" ▲ %d of %d ", at+1, len(all)))
	room := w - theme.Width(until)
	from := max(0, at-1)
	for i := from; i < len(all); i++ {
		name := t.Dim.Text(" " + clientName(all[i]) + " " + all[i].Tool + secondsLeftText(all[i], p.reader.now, w) + " ")
		if i == at {
			name = t.Strong.Text("[" + clientName(a) + " " + a.Tool + "]")
		}
		if theme.Width(row)+theme.Width(name) > room-4 && i > at {
			row += t.Dim.Text(fmt.Sprintf(" +%d", len(all)-i))
			break
		}
		row += t.MarkRowRegion(i, name)
	}
	return theme.Fit(theme.Fit(row, room)+until, w)
}

// drawRequestRow says who wants what, and how much.
func drawRequestRow(t theme.Theme, a status.Approval, w int) string {
	n := len(a.Targets) + a.More
	what := map[string]string{"write": " wants to write ", "delete": " wants to delete "}[a.Effect] + widget.CountWithNoun(n,
		"target") + " in " + a.Source
	if w >= widget.WideWidth { // else the row above names it
		what += " with " + a.Tool
	}
	size := ""
	if a.Added+a.Removed > 0 {
		size = formatLineChanges(a.Added, a.Removed) + " "
	}
	switch {
	case a.Move != nil:
		what = describeMove(a, w-theme.Width(drawClientWithProof(t, a))-theme.Width(size)-3)
	case n == 0 || a.Effect != "write" && a.Effect != "delete":
		what = " wants to call " + a.Tool + " in " + a.Source + " (" + a.Effect + ")"
	}
	left := " " + drawClientWithProof(t, a) + t.Text.Text(what)
	return theme.Fit(theme.Fit(left, w-theme.Width(size)-1)+" "+t.Strong.Text(size), w)
}

// describeMove says what a would move, in w cells: where these have no room for names, how many
// targets. The row below has the names, too.
func describeMove(a status.Approval, w int) string {
	say := func(name func(string) string) string { return " wants to " + a.Move.Describe(name) + " in " + a.Source }
	room := w - theme.Width(say(func(string) string { return "" }))
	if room < 20 {
		text := " wants to move " + widget.CountWithNoun(a.Move.Count, "target")
		switch links := a.Move.LinksText(); {
		case links != "":
			text += " and change " + links
		case a.Move.Changed > 0:
			text += fmt.Sprintf(" and change %d", a.Move.Changed)
		}
		return text + " in " + a.Source
	}
	longest := moveNameWidth(a.Move.From, a.Move.To, room)
	return say(func(name string) string { return theme.Style{}.CutLeft(name, longest) })
}

// moveNameWidth is how long each of two names can be so that both have room in w cells.
func moveNameWidth(from, to string, w int) int {
	return max(w/2, w-min(theme.Width(theme.Sanitize(from)), theme.Width(theme.Sanitize(to))))
}

// drawTargetsRow names the targets, and what the agent says.
func drawTargetsRow(t theme.Theme, a status.Approval, w int) string {
	row := " " + t.Strong.Text(cmp.Or(pagesFirstTargetsText(a), "(unknown targets)"))
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

// visibleRowsNote says which rows of the text are visible in a pane of w by h cells.
func (p approvalScreen) visibleRowsNote(w, h int) string {
	text, known := p.reader.texts[p.selection.id]
	if !known || text.failed {
		return ""
	}
	if note := p.reader.editSummaryText(p.a); note != "" {
		return note
	}
	tw, th := p.detailSize(w, h)
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

// drawEndedApproval draws that the selected approval of p is over, above the list.
func drawEndedApproval(p Changes, t theme.Theme, w, h int) []string {
	rows := t.Warn.Wrap(" ○ "+approvalEndText(p.reader, p.snap.Outcomes), w)
	rows = rows[:min(len(rows), max(1, h/3))]
	hint := "↓ selects the newest change."
	if len(p.snap.Approvals) > 0 {
		hint = "↓ goes to the next call that waits."
	}
	rows = append(rows, t.Dim.Text("   "+hint))
	return append(rows, widget.Stack(t, w, h-len(rows), widget.IsFramed(w, h-len(rows)), p.listSection(t))...)
}

// What is left of the time for an answer when it becomes short, and very short.
const (
	shortTimeLeft     = 15 * time.Second
	veryShortTimeLeft = 5 * time.Second
)

// minBarCells is the shortest bar that says how much time is left: its quarters.
const minBarCells = 4

// drawTimeLeft is a bar of cells and the seconds that are left to answer a, or until
// when that can be done where they are not counted down. Few cells are no bar.
func drawTimeLeft(t theme.Theme, a status.Approval, now time.Time, zone *time.Location, cells int) string {
	if now.IsZero() {
		return t.Dim.Text("until " + a.Until.In(zone).Format("15:04:05"))
	}
	left, style := max(0, a.Until.Sub(now)), t.Good
	switch {
	case left <= veryShortTimeLeft:
		style = t.Bad
	case left <= shortTimeLeft:
		style = t.Warn
	}
	seconds := fmt.Sprintf(" %4s", formatTimeLeft(left))
	whole := a.Until.Sub(a.Since)
	if cells = min(cells, 30); cells < minBarCells || whole <= 0 {
		return style.Text(seconds)
	}
	full := min(cells, int((left*time.Duration(cells)+whole-1)/whole))
	return style.Text(strings.Repeat("█", full)) + t.Dim.Text(strings.Repeat("░", cells-full)) + style.Text(seconds)
}

// formatTimeLeft is how long something lasts: in seconds, or in minutes that have begun where
// there are more than two.
func formatTimeLeft(left time.Duration) string {
	if left = max(0, left); left > 2*time.Minute {
		return fmt.Sprintf("%d min", int((left+time.Minute-1)/time.Minute))
	}
	return fmt.Sprintf("%d s", int(left.Seconds()))
}

// secondsLeftText is what another call that waits has left, where there is room for it.
func secondsLeftText(a status.Approval, now time.Time, w int) string {
	if now.IsZero() || w < widget.WideWidth {
		return ""
	}
	return " " + formatTimeLeft(a.Until.Sub(now))
}

// approvalRow is a call that waits in a list: who wants what, and how long that
// can be answered. t is that of the row.
func approvalRow(t theme.Theme, a status.Approval, now time.Time, zone *time.Location, w int) string {
	cells := 0
	switch {
	case w >= 90:
		cells = 8
	case w >= 50:
		cells = 4
	}
	end := " " + drawTimeLeft(t, a, now, zone, cells)
	if a.Added+a.Removed > 0 && w >= widget.MinFramedWidth {
		end = " " + t.Text.Text(formatLineChanges(a.Added, a.Removed)) + end
	}
	room := max(1, w-theme.Width(end))
	name, tool := min(20, w/4), min(14, w/5)
	if cells > 0 && cells < 8 { // what would be changed needs the room more
		name = min(16, w/5)
	}
	if a.Move != nil && w < 90 { // two names need the room
		tool = 6
	}
	source := ""
	if w >= 54 { // the queue beside a change has less
		source = t.Dim.Cut(" in "+a.Source, w/5)
		if w < 60 {
			name, tool = 11, 6 // the effect
		}
	}
	line := t.Warn.Text("▲ ") + t.Strong.Fit(clientName(a), name) + t.Text.Text(" ") +
		widget.FillRow(t, drawToolName(t, a, tool), tool) + t.Text.Text(" ") +
		drawApprovalTarget(t.Strong, a, room-name-tool-4-theme.Width(source)) + source
	return widget.FillRow(t, widget.FillRow(t, line, room)+end, w)
}

// drawApprovalTarget is the first of the targets of a in w cells, of a move both names.
func drawApprovalTarget(s theme.Style, a status.Approval, w int) string {
	m, more := a.Move, len(a.Targets)+a.More-1
	switch {
	case m == nil:
		return drawFirstTarget(s, a.Targets, more, w)
	case w < 20:
		return drawFirstTarget(s, []string{m.From}, more, w)
	}
	rest := ""
	if more = m.Count - 1 + m.Changed; more > 0 {
		rest = fmt.Sprintf(" +%d", more)
	}
	if links := m.LinksText(); links != "" && w >= 40 {
		rest += " and " + links
	}
	return drawMovedNames(s, m.From, m.To, w-len(rest)) + s.Text(rest)
}

// drawMovedNames are the two names of what was moved, in w cells.
func drawMovedNames(s theme.Style, from, to string, w int) string {
	const arrow = " → "
	longest := moveNameWidth(from, to, w-theme.Width(arrow))
	return s.CutLeft(from, longest) + s.Text(arrow) + s.CutLeft(to, longest)
}

// drawFirstTarget is the first of the targets, a page before the folders that come with it, in w cells
// with how many more there are. It loses its beginning.
func drawFirstTarget(s theme.Style, targets []string, more, w int) string {
	rest := ""
	switch {
	case len(targets) == 0:
		return ""
	case more > 0:
		rest = fmt.Sprintf(" +%d", more)
	}
	return s.CutLeft(pagesFirst(targets)[0], max(1, w-len(rest))) + s.Text(rest)
}

// drawToolName is the tool of a call that waits in w cells: a long name says at its end what is done,
// and where there is no room for that the effect says it.
func drawToolName(t theme.Theme, a status.Approval, w int) string {
	if w < 12 && theme.Width(theme.Sanitize(a.Tool)) > w {
		if a.Move != nil {
			return t.Text.Cut("move", w)
		}
		return t.Text.Cut(a.Effect, w)
	}
	return t.Text.CutLeft(a.Tool, w)
}

// pagesFirstTargetsText is [targetsText] with the folders that come with the rest behind it, and what
// moves first.
func pagesFirstTargetsText(a status.Approval) string {
	a.Targets = pagesFirst(a.Targets)
	if a.Move != nil {
		slices.SortStableFunc(a.Targets, func(x, y string) int { return moveRank(x) - moveRank(y) })
	}
	return targetsText(a)
}

// moveRank puts what moves before what only changes.
func moveRank(target string) int {
	if strings.Contains(target, " → ") {
		return 0
	}
	return 1
}

// pagesFirst are targets with the folders that come with the rest behind it.
func pagesFirst(targets []string) []string {
	isFolder := func(name string) int {
		if strings.HasSuffix(name, "/") {
			return 1
		}
		return 0
	}
	sorted := slices.Clone(targets)
	slices.SortStableFunc(sorted, func(x, y string) int { return isFolder(x) - isFolder(y) })
	return sorted
}

// textSize is the room for the text in a pane of w by h cells.
func (p approvalScreen) textSize(w, h int) (int, int) {
	h -= len(p.headRows(theme.Theme{}, w, h))
	tw, th := widget.InsideSize(w, h)
	return tw - queueColumnWidth(w, h), th
}
