package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A dayChangesView shows everything that agents changed on one day in one text, page by page
// with the diffs. Changes shows it in place of its list.
type dayChangesView struct {
	open    bool
	begins  time.Time // the day
	refresh int
	read    DayChangesQuery // what text is of
	changes []status.Change // that text shows, newest first
	text    widget.TextView
	top     int // the first visible row
}

// openDay is p with the day of the selected change, or today.
func openDay(p Changes) Changes {
	at := p.snap.Time
	if c, ok := p.cache.get(p.selection.id); ok && !p.selection.pending {
		at = c.Time
	}
	p.day = dayChangesView{open: true, begins: startOfDay(at, p.zone), refresh: p.day.refresh + 1}
	return p
}

func startOfDay(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

func (d dayChangesView) query() DayChangesQuery {
	return DayChangesQuery{From: d.begins.Unix(), To: d.begins.AddDate(0, 0, 1).Unix(), Refresh: d.refresh}
}

// takeDayChanges shows what was read, as far as the filter of the list selects it.
func takeDayChanges(p Changes, q DayChangesQuery, r Result) Changes {
	if !p.day.open || q != p.day.query() {
		return p
	}
	if p.day.read.From != q.From {
		p.day.top = 0
	}
	p.day.read, p.day.changes = q, nil
	if r.Err != nil {
		p.day.text = widget.NewTextView().AppendText(widget.RiskLine, "Cannot read the changes: "+r.Err.Error())
		return p
	}
	want := strings.TrimSpace(p.cache.filter.Value())
	for _, c := range r.Changes.Changes {
		if want == "" || widget.FuzzyScore(changeSearchText(c), want) > 0 {
			p.day.changes = append(p.day.changes, c)
		}
	}
	p.day.text = widget.NewTextView().AppendBlocks(dayTextBlocks(p.day.changes, r.Changes, p.zone)...)
	return p
}

// dayTextBlocks are all changes by page, the page that was changed last first, and of each page
// the oldest change first.
func dayTextBlocks(changes []status.Change, read status.Changes, zone *time.Location) []widget.TextBlock {
	type pageKey struct{ source, target string }
	var pages []pageKey
	byPage := map[pageKey][]status.Change{}
	for _, c := range status.MergeMoves(changes) {
		page := pageKey{c.Source, c.Target}
		if byPage[page] == nil {
			pages = append(pages, page)
		}
		byPage[page] = append(byPage[page], c)
	}
	var parts []widget.TextBlock
	add := func(kind widget.LineKind, text string) {
		parts = append(parts, widget.TextBlock{Kind: kind, Text: text})
	}
	if read.More {
		add(widget.RiskLine, "Not all changes of this day are here: "+widget.CountWithNoun(len(changes), "change")+" at most are shown.")
	}
	for i, page := range pages {
		if i > 0 {
			add(widget.TextLine, "")
		}
		all := byPage[page]
		add(widget.TitleLine, fmt.Sprintf("%s in %s: %s", page.target, page.source, widget.CountWithNoun(len(all), "change")))
		for _, c := range slices.Backward(all) {
			add(widget.DimLine, dayChangeHeading(c, zone))
			switch diff, read := read.Diffs[c.ID]; {
			case diff != "":
				const most = 128 << 10 // bytes
				if add(widget.DiffLine, theme.TruncateBytes(diff, most)); len(diff) > most {
					add(widget.RiskLine, "… the rest is too long to show here")
				}
			case read:
				add(widget.DimLine, "There is no diff for this change.")
			default:
				add(widget.DimLine, "There is no room for its diff; enter on its row shows it.")
			}
		}
	}
	return parts
}

// dayChangeHeading says when who did what, and whether it stands.
func dayChangeHeading(c status.Change, zone *time.Location) string {
	did := c.Action
	switch {
	case c.MovedFrom != "":
		did = c.Summary()
	case c.MovedTo != "":
		did = "move to " + c.MovedTo
	}
	if c.Undoes != "" {
		did = "undo of " + c.Undoes
	}
	text := fmt.Sprintf("%s %s: %s, %s → %s, change %s", c.Time.In(zone).Format("15:04"), orNoName(c.Client), did,
		widget.FormatBytes(c.Before), widget.FormatBytes(c.After), c.ID)
	switch {
	case c.Outcome == status.Undone:
		text += ", undone since"
	case c.Outcome == status.OutcomeUnknown:
		text += ", outcome unknown"
	}
	return text
}

// handleDayKey answers a key while a day is shown.
func handleDayKey(p Changes, k Press) (Pane, Intent) {
	w, h := widget.InsideSize(k.W, k.H)
	d := widget.Detail{Open: true, Top: p.day.top}
	switch {
	case key.Matches(k, p.keys.Back, p.keys.DayChanges, p.keys.Enter):
		p.day.open = false
	case key.Matches(k, p.keys.OlderDay, p.keys.NewerDay):
		next := neighbourDay(p, key.Matches(k, p.keys.OlderDay))
		if next.After(p.snap.Time) {
			return p, ShowMessage{"This is today. " + p.keys.OlderDay.Help().Key + " goes to the day before."}
		}
		p.day = dayChangesView{open: true, begins: next, refresh: p.day.refresh}
	case key.Matches(k, p.keys.Refresh):
		p.day.refresh++
	case key.Matches(k, p.keys.Copy):
		return p, CopyText{What: "the changes of " + p.day.begins.Format("2 January"), Text: p.day.text.String()}
	default:
		next, _, ok := d.HandleKey(k.KeyPressMsg, p.keys.NavKeys, p.day.text, w, h, k.H-4, 0, 1)
		if !ok {
			return p, Unhandled{}
		}
		p.day.top = next.Top
	}
	return p, nil
}

// neighbourDay is the next older or newer day with changes, as far as the list has been
// read; else the day before or after.
func neighbourDay(p Changes, older bool) time.Time {
	var nearest time.Time
	for _, c := range p.cache.changes { // newest first
		switch day := startOfDay(c.Time, p.zone); {
		case older && day.Before(p.day.begins):
			return day
		case !older && day.After(p.day.begins):
			nearest = day
		}
	}
	switch {
	case !nearest.IsZero():
		return nearest
	case older:
		return p.day.begins.AddDate(0, 0, -1)
	default:
		return p.day.begins.AddDate(0, 0, 1)
	}
}

func daySection(p Changes, t theme.Theme) widget.Section {
	agents := map[string]bool{}
	for _, c := range p.day.changes {
		agents[c.Client] = true
	}
	note := widget.CountWithNoun(len(p.day.changes), "change") + " by " + widget.CountWithNoun(len(agents), "agent")
	if filter := p.cache.filter.Value(); filter != "" {
		note = "/" + filter + " · " + note
	}
	reading := p.day.read.From != p.day.query().From
	if reading {
		note = ""
	}
	title := "Changes of " + p.day.begins.Format("Mon 2 Jan")
	return widget.Section{Title: title, Note: note, Min: 1, Preferred: 1 << 20, Rows: func(w, h int) []string {
		switch {
		case reading:
			return []string{t.Dim.Text("Reading the changes …")}
		case len(p.day.changes) == 0 && p.day.text.Height(w) == 0:
			return t.Dim.Wrap("Agents changed nothing on this day. ] goes to the day before, esc back to the list.", w)
		}
		d := widget.Detail{Top: max(0, min(p.day.top, p.day.text.Height(w)-h))}
		return widget.MarkScrollRegions(t, d.Draw(t, p.day.text, w, h), w)
	}}
}

func dayBindings(p Changes) []key.Binding {
	help := widget.WithHelp
	keys := []key.Binding{help(p.keys.OlderDay, neighbourDay(p, true).Format("Mon 2 Jan"))}
	if newer := neighbourDay(p, false); !newer.After(p.snap.Time) {
		keys = append(keys, help(p.keys.NewerDay, newer.Format("Mon 2 Jan")))
	}
	return append(keys, help(p.keys.Back, "back to the list"), help(p.keys.PageDown, "read on"), p.keys.Copy)
}
