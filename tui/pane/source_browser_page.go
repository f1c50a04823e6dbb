package pane

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// An pageView is one page that is read.
type pageView struct {
	open bool   // over the whole pane; else beside a list
	name string // of what is open
	raw  bool   // as it stands, not as it is meant
	top  int    // the first row that is drawn

	shown PageQuery // what the rest is of
	text  status.PageText
	rows  []prose.Row
	err   error
}

// takeResult takes a page. Where it has what was sought, that is visible.
func (r pageView) takeResult(w PageQuery, f Result, sought string) pageView {
	other := r.shown.Page != w.Page
	r.shown, r.text, r.rows, r.err = w, f.Page, f.Rows, f.Err
	if other && r.open {
		r.top = topRowShowingText(r.rows, sought)
	}
	return r
}

// topRowShowingText is a little before the row that has text in it; 0: none has.
func topRowShowingText(rows []prose.Row, text string) int {
	if text = strings.ToLower(theme.Sanitize(text)); text == "" {
		return 0
	}
	for i, r := range rows {
		if strings.Contains(strings.ToLower(r.String()), text) {
			return max(0, i-2)
		}
	}
	return 0
}

// handlePageKey answers a key while a page is open.
func (b sourceBrowser) handlePageKey(k Press) (sourceBrowser, Intent) {
	if next, want, ok := b.handleLinkKey(k); ok {
		return next, want
	}
	_, high := widget.InsideSize(k.W, b.pageHeight(k.H))
	last := max(0, len(b.page.rows)-high)
	top, moved := b.keys.RowAfterKey(k.KeyPressMsg, b.page.top, last+1, high-1)
	switch {
	case moved:
		b.page.top = top
	case key.Matches(k, b.keys.Back):
		return b.leavePage(), nil
	case key.Matches(k, b.keys.Refresh):
		b.refresh++ // the list is of the same pages
	default:
		return b.handlePageActionKey(k)
	}
	return b, nil
}

// pageHeight is how many of h rows the open page has, which shares them with its links.
func (b sourceBrowser) pageHeight(h int) int {
	links := b.linksOfPage()
	if links.len() == 0 || b.showsLinksBeside() || h < 14 {
		return h
	}
	return h - linksSectionHeight(widget.Section{Preferred: min(links.len(), 5)}, widget.IsFramed(b.w, h))
}

// handlePageActionKey answers the keys that are about the visible page.
func (b sourceBrowser) handlePageActionKey(k Press) (sourceBrowser, Intent) {
	switch {
	case key.Matches(k, b.keys.Raw) && !b.page.open && !b.showsPreview():
		return b, ShowMessage{"Press enter to open the page first."}
	case key.Matches(k, b.keys.Raw):
		b.page.raw, b.page.top = !b.page.raw, 0
		return b, nil
	case key.Matches(k, b.keys.Edit) && b.currentPage() == "":
		return b, ShowMessage{"No page selected."}
	case key.Matches(k, b.keys.Edit):
		return b, EditPage{Source: b.source, Page: b.currentPage()}
	case !key.Matches(k, b.keys.Copy):
		return b, Unhandled{}
	}
	name := b.currentPage()
	switch {
	case name == "":
		return b, ShowMessage{"No page selected."}
	case b.page.shown.Page != name || b.page.shown.Source != b.source:
		return b, ShowMessage{"Press enter to open the page first."}
	case b.page.err != nil:
		return b, ShowMessage{"The page could not be loaded."}
	default:
		return b, CopyText{What: b.copiedTextName(), Text: b.page.text.Text}
	}
}

// copiedTextName names what is there of the page.
func (b sourceBrowser) copiedTextName() string {
	if p := b.page; p.text.Size > int64(len(p.text.Text)) {
		return fmt.Sprintf("the first %s of %s", widget.FormatBytes(len(p.text.Text)), p.shown.Page)
	}
	return b.page.shown.Page
}

func (r pageView) section(t theme.Theme, name string) widget.Section {
	ready := r.shown.Page == name && name != ""
	title := name
	if title == "" {
		title = "No page"
	}
	return widget.Section{Title: title, Note: r.pageInfoText(ready), Min: 1, Preferred: 1 << 20, Rows: func(w, h int) []string {
		switch {
		case name == "":
			return []string{t.Dim.Text("No page selected.")}
		case !ready:
			return []string{t.Dim.Text("Loading …")}
		case r.err != nil:
			return errorRows(t, r.err, w)
		case len(r.rows) == 0:
			return []string{t.Dim.Text("This page is empty.")}
		}
		top := 0
		if r.open {
			top = max(0, min(r.top, len(r.rows)-h))
		}
		rows := make([]string, 0, h)
		for _, row := range r.rows[top:min(len(r.rows), top+h)] {
			rows = append(rows, row.Paint(t))
		}
		return rows
	}}
}

// pageInfoText is how the page is shown, and how much of it there is.
func (r pageView) pageInfoText(ready bool) string {
	if !ready || r.err != nil {
		return ""
	}
	how := "rendered"
	if r.raw || r.text.MIME != "text/markdown" {
		how = "source"
	}
	return fmt.Sprintf("%s · %s · %s", how, widget.CountWithNoun(len(r.rows), "row"), widget.FormatBytes(int(r.text.Size)))
}
