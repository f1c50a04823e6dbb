package pane

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// maxListedPages is how many pages are kept. Of more, the source itself finds
// those that match the filter.
const maxListedPages = 5000

// A pageList is the first pages of a source, or the first whose names match, as a
// tree of folders, or the best matches of a filter.
type pageList struct {
	pages  []status.Page // only ever appended to
	total  int           // of all that match; 0: not known
	match  string        // what the source chooses by; empty: nothing
	next   string        // where the source goes on from
	done   bool          // nothing more is asked for
	cut    bool          // there are more pages than are kept
	err    error
	size   int64     // of all pages
	newest time.Time // of all changes

	filter   widget.FilterInput
	rows     []pageRow       // what is listed
	unfolded map[string]bool // folders; replaced, never changed
	order    pageOrder
	cursor   int    // among rows
	reselect string // the page to select when it comes
}

// A pageOrder is how pages are sorted.
type pageOrder int

const (
	byFolder   pageOrder = iota // as the source lists them, in folders
	byModified                  // the newest first
	bySize                      // the largest first
	pageOrderCount
)

func (o pageOrder) label() string { return [...]string{"", "newest first", "largest first"}[o] }

// maxUnfoldedPages is up to how many pages all folders are unfolded.
const maxUnfoldedPages = 30

func (l pageList) takeResult(f Result) pageList {
	if f.Err != nil {
		l.err, l.done = f.Err, true
		return l
	}
	from := len(l.pages)
	l.pages = append(l.pages, f.Pages.Pages...)
	l.total, l.next = f.Pages.Total, f.Pages.Next
	l.cut = l.next != "" && len(l.pages) >= maxListedPages
	l.done = l.next == "" || l.cut
	if l.cut && l.match == "" && l.filter.Value() != "" {
		return l.withFilter(l.filter) // which was typed before it was known that there are so many
	}
	for _, p := range l.pages[from:] {
		l.size += max(0, p.Size)
		if p.Modified.After(l.newest) {
			l.newest = p.Modified
		}
	}
	return l.arrangeRows()
}

// arrangeRows is l with its rows as the pages, the folders, the order and the filter
// are. The selection stays on its row.
func (l pageList) arrangeRows() pageList {
	before := l.selectedRow()
	selected := l.selected().Name
	switch {
	case l.filter.Value() != "":
		l.rows = filteredPageRows(l.pages, l.filter.Value())
	case l.order == byFolder:
		few := len(l.pages) <= maxUnfoldedPages
		l.rows = buildPageTree(l.pages).rows(l.pages, 0, func(path string) bool { return few != l.unfolded[path] })
	default:
		l.rows = sortedPages(l.pages, l.order)
	}
	if l.reselect != "" {
		if i := l.indexOfPage(l.reselect); i >= 0 {
			l.cursor, l.reselect = i, ""
			return l
		}
	}
	i := -1
	if selected != "" {
		i = l.indexOfPage(selected)
	} else if before.folder != "" {
		i = slices.IndexFunc(l.rows, func(r pageRow) bool { return r.page < 0 && r.folder == before.folder })
	}
	if i >= 0 {
		l.cursor = i
	}
	l.cursor = widget.Clamp(l.cursor, len(l.rows))
	return l
}

func sortedPages(pages []status.Page, order pageOrder) []pageRow {
	rows := make([]pageRow, len(pages))
	for i := range pages {
		rows[i] = pageRow{page: i, label: pages[i].Name}
	}
	slices.SortStableFunc(rows, func(a, b pageRow) int {
		if order == bySize {
			return cmp.Compare(pages[b.page].Size, pages[a.page].Size)
		}
		return pages[b.page].Modified.Compare(pages[a.page].Modified)
	})
	return rows
}

// indexOfPage is the row of the page with this name; -1: none.
func (l pageList) indexOfPage(name string) int {
	return slices.IndexFunc(l.rows, func(r pageRow) bool { return r.page >= 0 && l.pages[r.page].Name == name })
}

// reset is l before its first page came.
func (l pageList) reset() pageList {
	return pageList{match: l.match, reselect: cmp.Or(l.reselect, l.selected().Name), unfolded: l.unfolded, order: l.order}.withFilter(l.filter)
}

// withFilter shows the pages that the filter finds. The source chooses them if not all
// of its pages are here.
func (l pageList) withFilter(f widget.FilterInput) pageList {
	if (l.cut || l.match != "") && f.Value() != l.match {
		l = pageList{match: f.Value(), unfolded: l.unfolded, order: l.order}
	}
	switch selected := l.selected().Name; {
	case f.Value() == l.filter.Value():
	case f.Value() != "": // the best match is selected
		l.rows, l.cursor = nil, 0
	case selected != "": // it stays selected in its folder
		l = l.unfoldTo(selected)
	}
	l.filter = f
	return l.arrangeRows()
}

// unfoldTo unfolds the folders that a page is in.
func (l pageList) unfoldTo(page string) pageList {
	unfolded := map[string]bool{}
	maps.Copy(unfolded, l.unfolded)
	for dir := parentFolder(page); dir != ""; dir = parentFolder(dir) {
		unfolded[dir] = len(l.pages) > maxUnfoldedPages
	}
	l.unfolded, l.reselect = unfolded, page
	return l
}

// foldOrUnfold folds or unfolds the selected folder, or goes from a page to its folder; false:
// it does neither.
func (l pageList) foldOrUnfold(fold bool) (pageList, bool) {
	row := l.selectedRow()
	switch {
	case len(l.rows) == 0 || l.filter.Value() != "" || l.order != byFolder:
		return l, false
	case row.page < 0 && row.open == fold:
		unfolded := map[string]bool{}
		maps.Copy(unfolded, l.unfolded)
		unfolded[row.folder] = !unfolded[row.folder]
		l.unfolded = unfolded
		return l.arrangeRows(), true
	case !fold:
		return l, false
	}
	for i := l.cursor - 1; i >= 0; i-- {
		if up := l.rows[i]; up.page < 0 && up.depth < row.depth {
			l.cursor = i
			return l, true
		}
	}
	return l, false
}

// withNextOrder is l in the next order.
func (l pageList) withNextOrder() pageList {
	selected := l.selected().Name
	if l.order = (l.order + 1) % pageOrderCount; l.order == byFolder && selected != "" {
		l = l.unfoldTo(selected)
	}
	return l.arrangeRows()
}

func (l pageList) rowCount() int { return len(l.rows) }

// selectedRow is the row under the cursor; without a label: there is none.
func (l pageList) selectedRow() pageRow {
	if len(l.rows) == 0 {
		return pageRow{page: -1}
	}
	return l.rows[widget.Clamp(l.cursor, len(l.rows))]
}

// selected is the page under the cursor; without a name: there is none, or it is a
// folder.
func (l pageList) selected() status.Page {
	if row := l.selectedRow(); row.page >= 0 && row.page < len(l.pages) {
		return l.pages[row.page]
	}
	return status.Page{}
}

// screenReaderRows is how much of a list is read out to who hears the panel.
const screenReaderRows = 30

// pageRowsThatFit is how many pages are listed in h rows of which some are used.
func pageRowsThatFit(h, used int) int {
	if h >= widget.ScreenReaderHeight-10 {
		return screenReaderRows
	}
	return max(1, h-used)
}

// emptyText says why the list has no rows.
func (l pageList) emptyText() string {
	switch {
	case !l.done:
		return "Loading pages …"
	case l.filter.Value() != "":
		return "No pages match the filter."
	default:
		return "Agents see no pages in this source."
	}
}

func (l pageList) section(t theme.Theme, b sourceBrowser) widget.Section {
	title := "Pages of " + b.source
	if l.filter.Value() != "" && l.match == "" {
		title += fmt.Sprintf(" (%s of %s)", widget.FormatCount(l.rowCount()), widget.FormatCount(len(l.pages)))
	}
	note := "as agents see it"
	if l.rowCount() >= minRowsForPosition {
		note = fmt.Sprintf("%s of %s · %s", widget.FormatCount(l.cursor+1), widget.FormatCount(l.rowCount()), note)
	}
	return widget.Section{
		Title: title, Note: strings.Join(nonEmpty(l.order.label(), note), " · "), Min: 2, Preferred: 1 << 20,
		Rows: func(w, h int) []string {
			var rows []string
			if l.err == nil || len(l.pages) > 0 {
				rows = append(rows, t.Dim.Text(l.summary(b)))
			}
			if l.filter.Typing || l.filter.Value() != "" {
				rows = append(rows, t.Key.Text("/ ")+l.filter.Draw(t, w-2, l.filter.Typing, "letters of the name in their order"))
			}
			if l.err != nil {
				return append(rows, errorRows(t, l.err, w)...)
			}
			if l.rowCount() == 0 {
				return append(rows, t.Dim.Text(l.emptyText()))
			}
			left := pageRowsThatFit(h, len(rows))
			from, to := widget.VisibleRange(l.rowCount(), l.cursor, left)
			if to-from < l.rowCount() && left >= 3 && left != screenReaderRows {
				w--
			}
			shown := widget.VisibleRows(t, l.rowCount(), l.cursor, left, func(t theme.Theme, i int) string { return l.row(t, b, i, w) })
			if left != screenReaderRows {
				shown = widget.AddScrollBar(t, shown, w, from, l.rowCount())
			}
			return append(rows, shown...)
		},
	}
}

// minRowsForPosition is from how many rows on the list says which one is selected.
const minRowsForPosition = 10

// summary is what all pages come to, or how many are shown of too many.
func (l pageList) summary(b sourceBrowser) string {
	parts := []string{widget.CountWithNoun(len(l.pages), "page")}
	if l.match != "" {
		parts[0] += " with that in the name"
	}
	of := ""
	if l.total > 0 {
		of = " of " + widget.FormatCount(l.total)
	}
	switch {
	case l.cut:
		return "the first " + parts[0] + of + " · " + b.keys.Filter.Help().Key + " finds the others"
	case !l.done:
		parts[0] += of + " loaded"
	}
	if l.size > 0 {
		parts = append(parts, widget.FormatBytes(int(l.size)))
	}
	if !l.newest.IsZero() {
		parts = append(parts, "newest "+widget.FormatClockTime(l.newest, b.now, b.zone))
	}
	return strings.Join(parts, " · ")
}

func (l pageList) row(t theme.Theme, b sourceBrowser, i, w int) string {
	row := l.rows[i]
	lead := theme.Spaces(2 * min(row.depth, max(0, w/8)))
	if row.page < 0 {
		mark := "▸ "
		if row.open {
			mark = "▾ "
		}
		count := widget.FormatCount(row.count)
		if b.isSpoken() {
			mark, count = "", spokenFolderState(row)
		}
		name := t.Dim.Text(lead+mark) + t.Strong.Cut(row.label, max(1, w-len(lead)-3-len(count)))
		return name + t.Text.Fit("", w-theme.Width(name)-len(count)) + t.Dim.Text(count)
	}
	p, tail := l.pages[row.page], ""
	if w >= 36 {
		bytes := ""
		if p.Size > 0 {
			bytes = widget.FormatBytes(int(p.Size))
		}
		tail = t.Dim.FitRight(bytes, 10) + t.Dim.FitRight(widget.FormatShortTime(p.Modified, b.now, b.zone), 8)
	}
	room := w - theme.Width(tail)
	name := t.Text.Text(lead) + pageLabel(t, row.label, room-len(lead))
	return name + t.Text.Fit("", room-theme.Width(name)) + tail
}

// spokenFolderState is what is heard of a folder behind its name, in place of its sign.
func spokenFolderState(row pageRow) string {
	state := ", folded"
	if row.open {
		state = ", open"
	}
	return widget.CountWithNoun(row.count, "page") + state
}

// pageLabel is the name of a page in w cells, and behind it its folder as far as there
// is room.
func pageLabel(t theme.Theme, name string, w int) string {
	dir := parentFolder(name)
	if dir == "" {
		return t.Text.Cut(name, w)
	}
	base := t.Text.Cut(name[len(dir)+1:], w)
	if room := w - theme.Width(base) - 2; room >= 4 {
		return base + t.Text.Text("  ") + t.Dim.CutLeft(dir, room)
	}
	return base
}

// errorRows says why something is not there, and what to do.
func errorRows(t theme.Theme, err error, w int) []string {
	rows := t.Bad.Wrap(err.Error(), w)
	if e, ok := errors.AsType[*status.CallError](err); ok && e.Hint != "" {
		rows = append(rows, t.Dim.Wrap(e.Hint, w)...)
	}
	return rows
}
