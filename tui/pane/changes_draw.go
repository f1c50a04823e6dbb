package pane

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// View implements [Pane].
func (p Changes) View(t theme.Theme, w, h int) string {
	rows := func(h int) []string {
		rows := chooserRows(p, t, w, h)
		return append(p.drawSections(t, w, heightBesideChooser(h, rows)), rows...)
	}
	if p.cache.filter.Typing {
		return p.cache.filter.DrawBelowRows(t, w, h, "letters of the target, agent, source or action", rows)
	}
	return widget.DrawWithInput(t, w, h, p.refusing != "", " reason: ", p.reason, "optional; the agent sees it", rows)
}

// chooserRows are the rows of the open chooser, of h rows in all.
func chooserRows(p Changes, t theme.Theme, w, h int) []string {
	a, open := chooserApproval(p)
	if !open || h < 2 {
		return nil
	}
	rows := drawChooser(t, p.chooser, a, w)
	return rows[:min(len(rows), h-1)]
}

func (p Changes) drawSections(t theme.Theme, w, h int) []string {
	frame := widget.IsFramed(w, h)
	switch {
	case p.day.open:
		return widget.Stack(t, w, h, frame, daySection(p, t))
	case p.selectedHasEnded():
		return drawEndedApproval(p, t, w, h)
	case p.itemCount() == 0:
		return widget.Stack(t, w, h, frame, emptyChangesSection(p, t))
	case approvalFillsPane(p, w, h):
		return newApprovalScreen(p).draw(t, w, h)
	case p.detail.Open:
		return widget.Stack(t, w, h, frame, p.detailSection(t))
	case h < 8:
		return widget.Stack(t, w, h, frame, p.listSection(t))
	default:
		return widget.ListWithDetail(t, w, h, p.listHeight(h), p.listSection(t), p.detailSection(t))
	}
}

// heightBesideChooser is how many of h rows the rest has; what is read aloud has no end.
func heightBesideChooser(h int, rows []string) int {
	if h >= widget.ScreenReaderHeight {
		return h
	}
	return h - len(rows)
}

// detailSize is the room for the text of the selected in a pane of w by h cells,
// as sections lays it out.
func (p Changes) detailSize(w, h int) (int, int) {
	if p.IsTyping() {
		h--
	}
	h = heightBesideChooser(h, chooserRows(p, theme.Theme{}, w, h))
	switch {
	case approvalFillsPane(p, w, h):
		return newApprovalScreen(p).textSize(w, h)
	case p.detail.Open:
		w, h = widget.InsideSize(w, h)
	default:
		w, h = widget.InsideDetailSize(w, h, p.listHeight(h), p.listSection(theme.Theme{}))
	}
	return w, max(1, h-len(p.detailRows(theme.Theme{}, w)))
}

// listHeight is how many of h rows the list may take: what waits is to be read.
func (p Changes) listHeight(h int) int {
	if p.selection.pending {
		return h/3 - 1
	}
	return h/2 - 2
}

func emptyChangesSection(p Changes, t theme.Theme) widget.Section {
	return widget.Section{Title: "Changes", Min: 1, Preferred: 3, Rows: func(w, _ int) []string {
		switch {
		case p.cache.err != nil:
			return t.Bad.Wrap("✗ Cannot read the journal: "+p.cache.err.Error(), w)
		case !IsHubRunning(p.snap):
			return t.Dim.Wrap("The hub is not running. Start it to see pending approvals and changes.", w)
		case p.cache.loaded != p.cache.refresh:
			return []string{t.Dim.Text("Loading the journal …")}
		case p.cache.filter.Value() != "" && p.cache.more && len(p.cache.changes) < maxCachedChanges:
			return []string{t.Dim.Text("Looking through older changes …")}
		case p.cache.filter.Value() != "":
			return t.Dim.Wrap("No change matches /"+p.cache.filter.Value()+". esc drops the filter.", w)
		default:
			return t.Dim.Wrap("No changes yet, and no pending approvals. "+
				"Everything agents write appears here with its diff and can be undone. Calls that need your approval appear here too.", w)
		}
	}}
}

// listSection is what waits and what was written, with a heading for each
// session.
func (p Changes) listSection(t theme.Theme) widget.Section {
	waiting, n := len(p.snap.Approvals), p.itemCount()
	title := titleWithCount("Changes", p.cache.count)
	if p.cache.more {
		title += "+"
	}
	note := ""
	if waiting > 0 {
		note = fmt.Sprintf("%d pending", waiting)
	}
	note = strings.Join(nonEmpty(p.cache.filterStatusText(), note, unseenChangesNote(p)), " · ")
	if at := p.selectedIndex(); note == "" && n >= 10 && at >= 0 {
		note = fmt.Sprintf("%s of %s rows", widget.FormatCount(at+1), widget.FormatCount(n))
	}
	if p.cache.err != nil {
		note = "cannot read the journal: " + p.cache.err.Error()
	}
	rows, cursor := p.rows()
	return widget.Section{Title: title, Note: note, Min: min(4, n+1), Preferred: len(rows), Rows: func(w, h int) []string {
		from, to := widget.VisibleRange(len(rows), cursor, h)
		w = widget.ListRowWidth(w, h, len(rows))
		drawn := make([]string, 0, h)
		for _, r := range rows[from:to] {
			drawn = append(drawn, p.row(t, r, w))
		}
		return widget.AddScrollBar(t, drawn, w, from, len(rows))
	}}
}

// A changesRow is the row of what stands at a position, or the heading above it.
type changesRow struct {
	i       int
	heading bool
}

// rows are all rows of the list, and which of them is selected.
func (p Changes) rows() (rows []changesRow, cursor int) {
	waiting, n, at := len(p.snap.Approvals), p.itemCount(), p.selectedIndex()
	rows = make([]changesRow, 0, n+16)
	for i := range n {
		if i == 0 && waiting > 0 || i >= waiting && p.cache.startsSession(i-waiting) {
			rows = append(rows, changesRow{i, true})
		}
		if i == at {
			cursor = len(rows)
		}
		rows = append(rows, changesRow{i, false})
	}
	return rows, cursor
}

func (p Changes) row(t theme.Theme, r changesRow, w int) string {
	waiting := len(p.snap.Approvals)
	switch {
	case r.i < waiting && r.heading:
		return t.Warn.Fit("Pending approvals", w)
	case r.i < waiting:
		return t.MarkRowRegion(r.i, approvalRow(p.rowTheme(t, changeSelection{true, p.snap.Approvals[r.i].ID}),
			p.reader.withWrittenLines(p.snap.Approvals[r.i]), p.reader.now,
			p.zone, w))
	case r.heading:
		return drawSessionHeading(p, t, p.cache.rowAt(r.i-waiting).Change, w)
	default:
		return t.MarkRowRegion(r.i, changeRow(p, t, p.cache.rowAt(r.i-waiting), w))
	}
}

func drawSessionHeading(p Changes, t theme.Theme, c status.Change, w int) string {
	who := widget.OrDash(c.Client)
	return theme.Fit(t.Strong.Text(who)+t.Dim.Text(" session "+widget.OrDash(c.Session)+" · latest "+widget.FormatClockTime(c.Time,
		p.snap.Time, p.zone)), w)
}

func changeRow(p Changes, t theme.Theme, c foldedChange, w int) string {
	t = p.rowTheme(t, changeSelection{false, c.ID})
	glyph, style := changeOutcomeGlyph(t, c.Change)
	lead := " "
	if c.inner {
		lead = "   "
	}
	when, room := widget.FormatShortTime(c.Time, p.snap.Time, p.zone), 7
	if w >= 50 {
		when, room = widget.FormatClockTime(c.Time, p.snap.Time, p.zone), 13
	}
	at := t.Dim.Fit(when, room)
	if !p.looked.IsZero() && c.Time.After(p.looked) {
		at = t.Busy.Fit(when+"•", room)
	}
	line, end := style.Text(lead+glyph+" ")+at+t.Text.Fit(changeAction(c.Change), 8), ""
	if n := len(c.older); n > 0 {
		end += t.Busy.Text(fmt.Sprintf(" ×%d", n+1))
	}
	if note := c.PersonEdit.Note(); note != "" {
		end += t.Busy.Text(" " + note)
	}
	if links := (status.TargetMove{Links: c.MovedLinks}).LinksText(); links != "" && w >= 48 {
		end += t.Text.Text(" and " + links)
	}
	if w >= 60 || w >= 48 && len(p.snap.Sources) > 1 {
		end += t.Dim.Cut(" "+c.Source, w/4)
	}
	line += drawChangeTarget(t.Strong, c.Change, max(12, w-theme.Width(line)-theme.Width(end)))
	return widget.FillRow(t, line+end, w)
}

// changeAction is the word for what a Change did.
func changeAction(c status.Change) string {
	if c.MovedFrom+c.MovedTo != "" {
		return "move"
	}
	return c.Action
}

// drawChangeTarget is the target of a Change in w cells, of a move both names.
func drawChangeTarget(s theme.Style, c status.Change, w int) string {
	switch {
	case c.MovedFrom != "":
		return drawMovedNames(s, c.MovedFrom, c.Target, w)
	case c.MovedTo != "":
		return drawMovedNames(s, c.Target, c.MovedTo, w)
	default:
		return s.CutLeft(c.Target, w)
	}
}

// unseenChangesNote says how many changes came since the person last looked; empty: none.
func unseenChangesNote(p Changes) string {
	n := 0
	for _, c := range p.cache.changes {
		if p.looked.IsZero() || !c.Time.After(p.looked) {
			break
		}
		n++
	}
	if n == 0 {
		return ""
	}
	return widget.FormatCount(n) + " new since " + widget.FormatClockTime(p.looked, p.snap.Time, p.zone) + " (•)"
}

func changeOutcomeGlyph(t theme.Theme, c status.Change) (string, theme.Style) {
	switch {
	case c.Undoes != "":
		return "↶", t.Busy
	case c.Outcome == status.Undone:
		return "⨯", t.Dim
	case c.Outcome == status.OutcomeUnknown:
		return "?", t.Warn
	default:
		return "●", t.Good
	}
}

// detailSection is all there is to say of the selected.
func (p Changes) detailSection(t theme.Theme) widget.Section {
	title := "Change"
	if p.selection.pending {
		title = "Pending approval"
	}
	return widget.Section{Title: title, Min: 3, Preferred: 1 << 20, Rows: func(w, h int) []string {
		rows := p.detailRows(t, w)
		rows = rows[:max(0, min(len(rows), h-1))]
		detail := p.detail
		detail.Top = p.topRow(w, h-len(rows))
		return widget.MarkScrollRegions(t, append(rows, detail.Draw(t, p.detailText(), w, h-len(rows))...), w)
	}}
}

// detailRows are the rows above the text.
func (p Changes) detailRows(t theme.Theme, w int) []string {
	field := func(name, value string) string { return theme.Fit(widget.PropertyRow(t, 9, name, value), w) }
	if !p.selection.pending {
		c, ok := p.cache.get(p.selection.id)
		if !ok {
			return nil
		}
		target, sizes := c.Target, widget.FormatBytes(c.Before)+" → "+widget.FormatBytes(c.After)
		if c.MovedFrom != "" {
			target, sizes = c.MovedFrom+" → "+c.Target, widget.FormatBytes(c.After)
		}
		if links := (status.TargetMove{Links: c.MovedLinks}).LinksText(); links != "" {
			sizes += ", with " + links
		}
		rows := []string{
			field("target", target),
			field("action", fmt.Sprintf("%s by %s, %s", changeAction(c), c.Tool, sizes)),
			field("who", widget.OrDash(c.Client)+" in "+c.Source+", "+widget.FormatClockTime(c.Time, p.snap.Time, p.zone)+", change "+c.ID),
		}
		rows = append(rows, widget.PropertyRows(t, 9, "reason", c.Reason, w)...)
		if i := p.cache.rowIndex(c.ID); i >= 0 && len(p.cache.rowAt(i).older) > 0 && !p.cache.unfolded[foldGroupID(c)] {
			rows = append(rows, field("also", widget.CountWithNoun(len(p.cache.rowAt(i).older), "earlier change")+" to it; → lists them"))
		}
		switch {
		case c.LeftOut > 0:
			rows = append(rows, field("edited", fmt.Sprintf("you left out %d of the %d hunks that the agent asked for", c.LeftOut, c.Hunks)))
		case c.Edited:
			rows = append(rows, field("edited", "you changed what the agent asked for before you allowed it"))
		}
		return append(rows, undoStateRows(t, c)...)
	}
	a, waits := p.selectedApproval()
	if !waits {
		return nil
	}
	a = p.reader.withWrittenLines(a)
	rows := []string{
		theme.Fit(t.Dim.Fit("who", 9)+drawClientWithProof(t, a)+t.Dim.Text(", session "+a.Session), w),
		field("wants", a.Tool+" in "+a.Source+" ("+a.Effect+"), "+formatLineChanges(a.Added, a.Removed)),
	}
	rows = append(rows, widget.PropertyRows(t, 9, "targets", widget.OrDash(targetsText(a)), w)...)
	rows = append(rows, widget.PropertyRows(t, 9, "rule", a.AskReason, w)...)
	rows = append(rows, widget.PropertyRows(t, 9, "reason", a.Reason, w)...)
	return append(rows, field("until", a.Until.In(p.zone).Format("15:04:05")+", then it is denied"))
}

// undoStateRows says what became of c, when that is worth a row.
func undoStateRows(t theme.Theme, c status.Change) []string {
	switch {
	case c.Undoes != "":
		return []string{t.Dim.Fit("undoes", 9) + t.Text.Text(c.Undoes)}
	case c.Outcome == status.Undone:
		return []string{t.Dim.Text("Undone.")}
	case c.Outcome == status.OutcomeUnknown && c.CannotUndo == "":
		return []string{t.Warn.Text("▲ Outcome unknown: writing it was interrupted, and the target was edited since. The edit was kept.")}
	case c.CannotUndo != "":
		return []string{t.Dim.Text("Cannot undo: " + c.CannotUndo)}
	default:
		return nil
	}
}

func targetsText(a status.Approval) string {
	all := strings.Join(a.Targets, ", ")
	if a.More > 0 {
		all += fmt.Sprintf(" and %d more", a.More)
	}
	return all
}
