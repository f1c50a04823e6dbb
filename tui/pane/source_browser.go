package pane

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A sourceBrowser looks through one source as an agent sees it: its pages, one of
// them as it is meant to look, and what its own search finds. Sources shows it.
type sourceBrowser struct {
	keys   Keys
	zone   *time.Location
	source string
	w, h   int // of the pane
	now    time.Time

	list    pageList
	search  sourceSearch
	page    pageView
	links   pageLinks
	trail   []visitedPage // the pages from which links led to the open one
	focus   browserFocus
	refresh int
}

// A browserFocus is where in a browser a person is.
type browserFocus uint8

const (
	focusPages browserFocus = iota
	focusHits
	focusPage // of what lies below
)

func newSourceBrowser(k Keys, zone *time.Location, source string, w, h int) sourceBrowser {
	return sourceBrowser{keys: k, zone: zone, source: source, w: w, h: h, search: sourceSearch{keys: k}}
}

// minWidthForPreview is the width of a pane from which on the selected page is shown
// beside the list.
const minWidthForPreview = 100

// showsPreview reports whether a page is shown beside the list. Who hears the panel
// is read the list alone.
func (b sourceBrowser) showsPreview() bool {
	return b.w >= minWidthForPreview && !b.isSpoken()
}

// isSpoken reports whether the pane is read aloud instead of drawn.
func (b sourceBrowser) isSpoken() bool { return b.h >= widget.ScreenReaderHeight }

// pageWidth is how wide the text of a page is drawn.
func (b sourceBrowser) pageWidth() int {
	if b.page.open && b.showsLinksBeside() && b.linksOfPage().len() > 0 {
		return b.w - linksWidth(b.w) - 4
	}
	if b.page.open || !b.showsPreview() {
		return b.w - 4
	}
	return b.w - b.w/2 - 4
}

// currentPage is the page that is meant: the one that is open, else the selected one.
func (b sourceBrowser) currentPage() string {
	switch {
	case b.page.open:
		return b.page.name
	case b.focus == focusHits:
		return b.search.selected().Page
	default:
		return b.list.selected().Name
	}
}

// wantedQuery is what the browser would like to know most.
func (b sourceBrowser) wantedQuery() Query {
	switch {
	case b.searchQuery().Text != "" && b.search.got != b.searchQuery():
		return b.searchQuery()
	case !b.page.open && b.focus == focusPages && !b.list.done:
		return b.pagesQuery()
	case !b.page.open && !b.showsPreview():
		return nil
	}
	if w := b.pageQuery(); w.Page != "" && w != b.page.shown {
		return w
	}
	if w := b.linksQuery(); b.page.open && w != b.links.shown {
		return w
	}
	return nil
}

func (b sourceBrowser) pagesQuery() PagesQuery {
	return PagesQuery{Source: b.source, Match: b.list.match, After: b.list.next, Refresh: b.refresh}
}

func (b sourceBrowser) pageQuery() PageQuery {
	return PageQuery{Source: b.source, Page: b.currentPage(), Width: b.pageWidth(), Raw: b.page.raw, Refresh: b.refresh}
}

// searchQuery is the search as it was given, or as it is typed by now.
func (b sourceBrowser) searchQuery() SearchQuery {
	if b.focus == focusHits && b.search.typing && strings.TrimSpace(b.search.query.Value()) != b.search.submitted {
		return SearchQuery{b.source, strings.TrimSpace(b.search.query.Value()), true, b.search.refresh}
	}
	return SearchQuery{b.source, b.search.submitted, false, b.search.refresh}
}

func (b sourceBrowser) takeResult(f Result) sourceBrowser {
	switch w := f.Query.(type) {
	case PagesQuery:
		if w == b.pagesQuery() && !b.list.done {
			b.list = b.list.takeResult(f)
		}
	case SearchQuery:
		if w == b.searchQuery() {
			b.search = b.search.takeResult(w, f)
		}
	case PageQuery:
		if w == b.pageQuery() {
			b.page = b.page.takeResult(w, f, b.textToScrollTo())
		}
	case PageLinksQuery:
		if w == b.linksQuery() {
			b.links = b.links.takeResult(w, f)
		}
	case PageEditResultID:
		b.refresh++ // the list is of the same pages
	}
	return b
}

// textToScrollTo is what an opened page is scrolled to; empty: its beginning.
func (b sourceBrowser) textToScrollTo() string {
	if b.focus == focusHits && len(b.trail) == 0 {
		return b.search.got.Text
	}
	return ""
}

// refreshAll reads everything again.
func (b sourceBrowser) refreshAll() sourceBrowser {
	b.refresh++
	b.search.refresh++
	b.list = b.list.reset()
	return b
}

func (b sourceBrowser) isTyping() bool {
	return !b.page.open && (b.focus == focusHits && b.search.typing || b.focus == focusPages && b.list.filter.Typing)
}

func (b sourceBrowser) paste(text string) sourceBrowser {
	switch {
	case !b.isTyping():
	case b.focus == focusHits:
		b.search.query = b.search.query.Insert(text)
	default:
		b.list = b.list.withFilter(b.list.filter.Paste(text))
	}
	return b
}

// handleKey answers a key; done: the browser is to be closed.
func (b sourceBrowser) handleKey(k Press) (next sourceBrowser, want Intent, done bool) {
	switch {
	case b.page.open:
		next, want = b.handlePageKey(k)
		return next, want, false
	case b.isTyping():
		next = b.handleTypedKey(k)
		gaveUp := b.focus == focusHits && next.focus == focusPages // before anything was asked
		return next, nil, gaveUp && b.search.standalone
	case key.Matches(k, b.keys.Back):
		return b.goUpLevel()
	case key.Matches(k, b.keys.Search):
		b.focus, b.search.typing = focusHits, true
	case key.Matches(k, b.keys.Refresh):
		return b.refreshAll(), ShowMessage{"Reloaded."}, false
	case key.Matches(k, b.keys.Enter):
		next, want = b.openSelected()
		return next, want, false
	case key.Matches(k, b.keys.Filter) && b.focus == focusPages:
		b.list.filter = b.list.filter.StartTyping()
	case key.Matches(k, b.keys.SortPages) && b.focus == focusPages:
		b.list = b.list.withNextOrder()
	case key.Matches(k, b.keys.Left, b.keys.Right) && b.focus == focusPages:
		list, ok := b.list.foldOrUnfold(key.Matches(k, b.keys.Left))
		if b.list = list; !ok {
			return b, ShowMessage{"There is nothing to fold here."}, false
		}
	default:
		cursor, n := b.visibleListCursor()
		if i, ok := b.keys.RowAfterKey(k.KeyPressMsg, *cursor, n, k.H-4); ok {
			*cursor = i
			return b, nil, false
		}
		next, want = b.handlePageActionKey(k)
		return next, want, false
	}
	return b, nil, false
}

// goUpLevel goes up by one level.
func (b sourceBrowser) goUpLevel() (next sourceBrowser, want Intent, done bool) {
	if b.focus == focusHits {
		b.focus = focusPages
		return b, nil, b.search.standalone
	}
	if b.list.filter.Value() != "" {
		b.list = b.list.withFilter(widget.FilterInput{})
		return b, nil, false
	}
	return b, nil, true
}

// handleTypedKey takes a key into the filter or the query.
func (b sourceBrowser) handleTypedKey(k Press) sourceBrowser {
	if b.focus == focusHits {
		b.search = b.search.handleKey(k)
		if !b.search.typing && b.search.submitted == "" {
			b.focus = focusPages // given up before anything was asked
		}
		return b
	}
	if k.String() == "up" || k.String() == "down" {
		b.list.cursor, _ = b.keys.RowAfterKey(k.KeyPressMsg, b.list.cursor, b.list.rowCount(), k.H-4)
		return b
	}
	if f := b.list.filter.HandleKey(k.KeyPressMsg, b.keys.NavKeys); f.Value() != b.list.filter.Value() {
		b.list = b.list.withFilter(f)
	} else {
		b.list.filter = f
	}
	return b
}

// selectRow selects the row that was drawn as region i of the visible list.
func (b sourceBrowser) selectRow(i int) (next sourceBrowser, again bool) {
	cursor, n := b.visibleListCursor()
	again = *cursor == i
	*cursor = widget.Clamp(i, n)
	return b, again
}

// visibleListCursor is the selected row of the visible list, and how many rows it has.
func (b *sourceBrowser) visibleListCursor() (row *int, n int) {
	if b.focus == focusHits {
		return &b.search.cursor, len(b.search.found.Hits)
	}
	return &b.list.cursor, b.list.rowCount()
}

func (b sourceBrowser) openSelected() (sourceBrowser, Intent) {
	if row := b.list.selectedRow(); b.focus == focusPages && row.page < 0 && row.label != "" {
		b.list, _ = b.list.foldOrUnfold(row.open)
		return b, nil
	}
	name := b.currentPage()
	if name == "" {
		return b, ShowMessage{"There is no page to open."}
	}
	b.page.open, b.page.name, b.page.top = true, name, 0
	b.trail, b.links.cursor = nil, -1
	return b, nil
}

// bindings are the keys that mean something now.
func (b sourceBrowser) bindings() []key.Binding {
	k := b.keys
	switch {
	case b.page.open:
		keys := []key.Binding{widget.WithHelp(k.Back, "back"), widget.WithHelp(k.Down, "scroll")}
		if b.linksOfPage().len() > 0 {
			keys = append(keys, widget.WithHelp(k.NextLink, "link"), widget.WithHelp(k.Enter, "follow it"))
		}
		return append(keys, widget.WithHelp(k.Edit, "edit"), k.Raw, k.Copy, k.Refresh)
	case b.focus == focusHits && b.search.typing:
		return []key.Binding{widget.WithHelp(k.Enter, "search"), widget.WithHelp(k.Back, "close")}
	case b.focus == focusHits:
		return []key.Binding{
			widget.WithHelp(k.Enter, "open the page"), widget.WithHelp(k.Search, "search again"),
			widget.WithHelp(k.Back, "back"), widget.WithHelp(k.Copy, "copy the page"),
		}
	case b.list.filter.Typing:
		return b.list.filter.Bindings(k.NavKeys)
	}
	keys := []key.Binding{widget.WithHelp(k.Enter, "read"), k.Filter, k.Search, widget.WithHelp(k.Edit, "edit")}
	if row := b.list.selectedRow(); row.page < 0 && row.label != "" {
		keys = []key.Binding{widget.WithHelp(k.Enter, map[bool]string{true: "fold", false: "unfold"}[row.open]), k.Filter, k.Search}
	}
	return append(keys, widget.WithHelp(k.SortPages, "sort"), widget.WithHelp(k.Back, "back to Sources"), k.Raw,
		widget.WithHelp(k.Copy, "copy"), k.Refresh)
}

// setSnapshot takes what a snapshot says of the time and the hub.
func (b sourceBrowser) setSnapshot(s status.Snapshot) sourceBrowser {
	b.now = s.Time
	return b
}

func (b sourceBrowser) view(t theme.Theme, w, h int) []string {
	frame := widget.IsFramed(w, h)
	list := b.list.section(t, b)
	if b.focus == focusHits {
		list = b.search.section(t, b.source)
	}
	switch {
	case b.page.open:
		return b.pageWithLinks(t, w, h)
	case b.showsPreview() && frame:
		beside := b.page.section(t, b.currentPage())
		if row := b.list.selectedRow(); b.focus == focusPages && row.page < 0 && row.label != "" {
			beside = widget.MessageSection(row.folder, t.Dim.Text(widget.CountWithNoun(row.count, "page")+". enter folds and unfolds."))
		}
		return widget.Columns(t, w, h, []widget.Section{list}, []widget.Section{beside})
	default:
		return widget.Stack(t, w, h, frame, list)
	}
}
