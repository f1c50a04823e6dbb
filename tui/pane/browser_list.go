package pane

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// maxListedPages is how many pages are kept. Of more, the source itself finds
// those that match the filter.
const maxListedPages = 5000

// A pageList is the first pages of a source, or the first whose names match.
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
	needle   string  // what the filter is, harmless to a terminal
	shown    []int32 // those that pass the filter; nil without one
	cursor   int     // among those that are shown
	reselect string  // the page to select when it comes
}

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
		return l.filtered(l.filter) // which was typed before it was known that there are so many
	}
	for i, p := range l.pages[from:] {
		l.size += max(0, p.Size)
		if p.Modified.After(l.newest) {
			l.newest = p.Modified
		}
		at := from + i
		if l.shown != nil {
			if !widget.Matches(p.Name, l.needle) {
				continue
			}
			at, l.shown = len(l.shown), append(l.shown, int32(from+i))
		}
		if l.reselect != "" && p.Name == l.reselect {
			l.cursor, l.reselect = at, ""
		}
	}
	return l
}

// reset is l before its first page came.
func (l pageList) reset() pageList {
	return pageList{match: l.match, reselect: cmp.Or(l.reselect, l.selected().Name)}.filtered(l.filter)
}

// filtered shows the pages whose name has the text of f in it. The source chooses
// them if not all of its pages are here.
func (l pageList) filtered(f widget.FilterInput) pageList {
	if l.cut || l.match != "" {
		if f.Value() != l.match {
			l = pageList{match: f.Value()}
		}
		l.filter, l.needle, l.cursor = f, theme.Sanitize(f.Value()), 0
		return l
	}
	l.filter, l.needle, l.cursor = f, theme.Sanitize(f.Value()), 0
	if l.needle == "" {
		l.shown = nil
		return l
	}
	kept := []int32{}
	for i, p := range l.pages {
		if widget.Matches(p.Name, l.needle) {
			kept = append(kept, int32(i))
		}
	}
	l.shown = kept
	return l
}

func (l pageList) len() int {
	if l.shown != nil {
		return len(l.shown)
	}
	return len(l.pages)
}

func (l pageList) at(i int) status.Page {
	if l.shown != nil {
		return l.pages[l.shown[i]]
	}
	return l.pages[i]
}

// selected is the page under the cursor; without a name: there is none.
func (l pageList) selected() status.Page {
	if l.len() == 0 {
		return status.Page{}
	}
	return l.at(widget.Clamp(l.cursor, l.len()))
}

// screenReaderRows is how much of a list is read out to who hears the panel.
const screenReaderRows = 30

func (l pageList) section(t theme.Theme, b browser) widget.Section {
	title := "Pages of " + b.source
	if l.needle != "" && l.match == "" {
		title += fmt.Sprintf(" (%s of %s)", widget.Count(l.len()), widget.Count(len(l.pages)))
	}
	return widget.Section{Title: title, Note: "as agents see it", Min: 2, Preferred: 1 << 20, Rows: func(w, h int) []string {
		var rows []string
		if l.err == nil || len(l.pages) > 0 {
			rows = append(rows, t.Dim.Text(l.summary(b)))
		}
		if l.filter.Typing || l.needle != "" {
			rows = append(rows, t.Key.Text("/ ")+l.filter.Draw(t, w-2, l.filter.Typing, "part of the name"))
		}
		switch {
		case l.err != nil:
			return append(rows, errorRows(t, l.err, w)...)
		case l.len() == 0 && !l.done:
			return append(rows, t.Dim.Text("Loading pages …"))
		case l.len() == 0 && l.needle != "":
			return append(rows, t.Dim.Text("No pages match the filter."))
		case l.len() == 0:
			return append(rows, t.Dim.Text("Agents see no pages in this source."))
		}
		left := h - len(rows)
		if h >= widget.ScreenReaderHeight-10 {
			left = screenReaderRows
		}
		return append(rows, widget.VisibleRows(t, l.len(), l.cursor, max(1, left), func(t theme.Theme, i int) string { return l.row(t, b, i, w) })...)
	}}
}

// summary is what all pages come to, or how many are shown of too many.
func (l pageList) summary(b browser) string {
	parts := []string{widget.Plural(len(l.pages), "page")}
	if l.match != "" {
		parts[0] += " with that in the name"
	}
	of := ""
	if l.total > 0 {
		of = " of " + widget.Count(l.total)
	}
	switch {
	case l.cut:
		return "the first " + parts[0] + of + " · " + b.keys.Filter.Help().Key + " finds the others"
	case !l.done:
		parts[0] += of + " loaded"
	}
	if l.size > 0 {
		parts = append(parts, widget.Bytes(int(l.size)))
	}
	if !l.newest.IsZero() {
		parts = append(parts, "newest "+widget.ClockTime(l.newest, b.now, b.zone))
	}
	return strings.Join(parts, " · ")
}

func (l pageList) row(t theme.Theme, b browser, i, w int) string {
	p, tail := l.at(i), ""
	if w >= 36 {
		bytes := ""
		if p.Size > 0 {
			bytes = widget.Bytes(int(p.Size))
		}
		tail = t.Dim.FitRight(bytes, 10) + t.Dim.FitRight(widget.ShortTime(p.Modified, b.now, b.zone), 8)
	}
	name := t.Text.CutLeft(p.Name, w-theme.Width(tail))
	return name + t.Text.Fit("", w-theme.Width(name)-theme.Width(tail)) + tail
}

// errorRows says why something is not there, and what to do.
func errorRows(t theme.Theme, err error, w int) []string {
	rows := t.Bad.Wrap(err.Error(), w)
	if e, ok := errors.AsType[*status.CallError](err); ok && e.Hint != "" {
		rows = append(rows, t.Dim.Wrap(e.Hint, w)...)
	}
	return rows
}
