package pane

import (
	"fmt"
	"slices"
	"strconv"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// pageLinks are the links of the page that is open: those on it, then those to it.
type pageLinks struct {
	shown  PageLinksQuery // what the rest is of
	all    status.PageLinks
	err    error
	cursor int // the selected one; -1: none
}

func (l pageLinks) takeResult(q PageLinksQuery, r Result) pageLinks {
	cursor := -1
	if l.shown.Page == q.Page {
		cursor = min(l.cursor, len(r.Links.Out)+len(r.Links.In)-1)
	}
	return pageLinks{shown: q, all: r.Links, err: r.Err, cursor: cursor}
}

func (l pageLinks) len() int { return len(l.all.Out) + len(l.all.In) }

// at is the i-th link, and whether it leads here.
func (l pageLinks) at(i int) (link status.PageLink, in bool) {
	if n := len(l.all.Out); i >= n {
		return l.all.In[i-n], true
	}
	return l.all.Out[i], false
}

// A visitedPage is where a person was before they followed a link.
type visitedPage struct {
	name string
	top  int
}

// linksQuery asks for the links of the page that is open.
func (b sourceBrowser) linksQuery() PageLinksQuery {
	return PageLinksQuery{Source: b.source, Page: b.page.name, Refresh: b.refresh}
}

// linksOfPage are the links of the page that is open; none as long as they are not
// known.
func (b sourceBrowser) linksOfPage() pageLinks {
	if b.page.open && b.links.shown == b.linksQuery() {
		return b.links
	}
	return pageLinks{cursor: -1}
}

// handleLinkKey answers the keys that are about links; false: k is another.
func (b sourceBrowser) handleLinkKey(k Press) (next sourceBrowser, want Intent, ok bool) {
	links := b.linksOfPage()
	n := links.len()
	switch {
	case key.Matches(k, b.keys.NextLink, b.keys.PreviousLink, b.keys.Browse) && n == 0:
		return b, ShowMessage{linksDisabledReason(b, links)}, true
	case key.Matches(k, b.keys.NextLink):
		b.links.cursor = (links.cursor + 1) % n
	case key.Matches(k, b.keys.PreviousLink):
		b.links.cursor = (max(links.cursor, 0) + n - 1) % n
	case key.Matches(k, b.keys.Browse) && len(links.all.In) == 0:
		return b, ShowMessage{"No page links to this one."}, true
	case key.Matches(k, b.keys.Browse):
		b.links.cursor = len(links.all.Out)
	case key.Matches(k, b.keys.Enter) && links.cursor >= 0:
		next, want = b.followLink(links)
		return next, want, true
	case key.Matches(k, b.keys.Enter) && n > 0:
		return b, ShowMessage{"Press tab to select a link first."}, true
	case key.Matches(k, b.keys.Enter):
		return b, ShowMessage{linksDisabledReason(b, links)}, true
	default:
		return b, nil, false
	}
	return b, nil, true
}

func linksDisabledReason(b sourceBrowser, links pageLinks) string {
	switch {
	case b.links.shown != b.linksQuery():
		return "The links of the page are being read."
	case links.err != nil:
		return links.err.Error()
	default:
		return "This page has no links, and no page links to it."
	}
}

// followLink opens the page that the selected link leads to, or comes from.
func (b sourceBrowser) followLink(links pageLinks) (sourceBrowser, Intent) {
	link, _ := links.at(links.cursor)
	if link.Page == "" {
		return b, ShowMessage{"There is no page to go to: " + link.Text + "."}
	}
	b.trail = append(slices.Clip(b.trail), visitedPage{b.page.name, b.page.top})
	b.page.name, b.page.top, b.links.cursor = link.Page, 0, -1
	return b, nil
}

// leavePage leaves the page that is open for the one before, or for the list.
func (b sourceBrowser) leavePage() sourceBrowser {
	n := len(b.trail)
	if n == 0 {
		b.page.open = false
		return b
	}
	b.page.name, b.page.top, b.links.cursor = b.trail[n-1].name, b.trail[n-1].top, -1
	b.trail = b.trail[:n-1]
	return b
}

// section shows the links, the selected one among them.
func (l pageLinks) section(t theme.Theme) widget.Section {
	n := l.len()
	title := fmt.Sprintf("Links %d out, %d in", len(l.all.Out), len(l.all.In))
	return widget.Section{Title: title, Note: "tab, enter", Min: 1, Preferred: n, Rows: func(w, h int) []string {
		from, to := widget.VisibleRange(n, max(0, l.cursor), h)
		rows := make([]string, 0, h)
		for i := from; i < to; i++ {
			rows = append(rows, l.row(t, i, w))
		}
		return widget.AddScrollBar(t, rows, w-1, from, n)
	}}
}

func (l pageLinks) row(t theme.Theme, i, w int) string {
	link, in := l.at(i)
	if i == l.cursor {
		t = t.ForSelectedRow()
	}
	mark, style, name := "→ ", t.Text, link.Page
	switch {
	case in:
		mark = "← "
	case name == "":
		mark, style, name = "✗ ", t.Dim, link.Text
	}
	line := ""
	if link.Line > 0 {
		line = " :" + strconv.Itoa(link.Line)
	}
	return widget.FillRow(t, t.Dim.Text(mark)+style.CutLeft(name, w-2-len(line))+t.Dim.Text(line), w)
}

// pageWithLinks draws the page that is open with its links: beside it where there is
// room, else below it.
func (b sourceBrowser) pageWithLinks(t theme.Theme, w, h int) []string {
	frame, links := widget.IsFramed(w, h), b.linksOfPage()
	page := b.page.section(t, b.page.name)
	if n := len(b.trail); n > 0 {
		page.Title += fmt.Sprintf(" (esc: back to %s)", b.trail[n-1].name)
	}
	switch {
	case links.len() == 0:
		return widget.Stack(t, w, h, frame, page)
	case b.showsLinksBeside():
		return joinColumns(widget.Stack(t, w-linksWidth(w), h, true, page), widget.Stack(t, linksWidth(w), h, true, links.section(t)))
	case h < 14:
		return widget.Stack(t, w, h, frame, page)
	}
	below := links.section(t)
	below.Preferred = min(below.Preferred, 5)
	return append(widget.Stack(t, w, h-linksSectionHeight(below, frame), frame, page),
		widget.Stack(t, w, linksSectionHeight(below, frame), frame, below)...)
}

// linksSectionHeight is how many rows a section of links takes in all.
func linksSectionHeight(links widget.Section, frame bool) int {
	if frame {
		return links.Preferred + 2
	}
	return links.Preferred + 1
}

// showsLinksBeside reports whether the links of a page stand beside it.
func (b sourceBrowser) showsLinksBeside() bool {
	return b.w >= widget.WideWidth && !b.isSpoken() && widget.IsFramed(b.w, b.h)
}

func linksWidth(w int) int { return min(50, w/3) }
