package pane

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// An openPage is one page that is read.
type openPage struct {
	open bool   // over the whole pane; else beside a list
	name string // of what is open
	raw  bool   // as it stands, not as it is meant
	top  int    // the first row that is drawn

	got  PageIn // what the rest is of
	text status.PageText
	rows []prose.Row
	err  error
}

// learn takes a page. Where it has what was sought, that is in sight.
func (r openPage) learn(w PageIn, f Fact, sought string) openPage {
	other := r.got.Page != w.Page
	r.got, r.text, r.rows, r.err = w, f.Page, f.Rows, f.Err
	if other && r.open {
		r.top = rowOf(r.rows, sought)
	}
	return r
}

// rowOf is a little before the row that has text in it; 0: none has.
func rowOf(rows []prose.Row, text string) int {
	if text = strings.ToLower(theme.Plain(text)); text == "" {
		return 0
	}
	for i, r := range rows {
		if strings.Contains(strings.ToLower(r.String()), text) {
			return max(0, i-2)
		}
	}
	return 0
}

// pageKey answers a key while a page is open.
func (b browser) pageKey(k Press) (browser, Intent) {
	high := k.H - 1
	if framed(k.W, k.H) {
		high--
	}
	last := max(0, len(b.page.rows)-high)
	switch {
	case key.Matches(k, b.keys.Back):
		b.page.open = false
	case key.Matches(k, b.keys.Up):
		b.page.top--
	case key.Matches(k, b.keys.Down):
		b.page.top++
	case key.Matches(k, b.keys.PageUp):
		b.page.top -= max(1, high-1)
	case key.Matches(k, b.keys.PageDown):
		b.page.top += max(1, high-1)
	case key.Matches(k, b.keys.First):
		b.page.top = 0
	case key.Matches(k, b.keys.Last):
		b.page.top = last
	case key.Matches(k, b.keys.Refresh):
		b.turn++ // the list is of the same pages
	default:
		return b.pageDeeds(k)
	}
	b.page.top = max(0, min(b.page.top, last))
	return b, nil
}

// pageDeeds answers the keys that are about the page in sight.
func (b browser) pageDeeds(k Press) (browser, Intent) {
	switch {
	case key.Matches(k, b.keys.Raw) && !b.page.open && !b.previews():
		return b, Say{"Open the page first: enter."}
	case key.Matches(k, b.keys.Raw):
		b.page.raw, b.page.top = !b.page.raw, 0
		return b, nil
	case key.Matches(k, b.keys.Up, b.keys.Down, b.keys.PageUp, b.keys.PageDown, b.keys.First, b.keys.Last):
		return b, nil
	case !(b.up && key.Matches(k, b.keys.Save)) && !key.Matches(k, b.keys.Copy): // without a hub s starts one
		return b, Pass{}
	}
	name := b.name()
	switch {
	case name == "":
		return b, Say{"There is no page here."}
	case b.page.got.Page != name || b.page.got.Source != b.source:
		return b, Say{"Open the page first: enter."}
	case b.page.err != nil:
		return b, Say{"The page could not be read."}
	case key.Matches(k, b.keys.Copy):
		return b, Copy{What: b.share(), Text: b.page.text.Text}
	default:
		return b, Save{What: b.share(), Name: "page-" + b.source + ".md", Text: b.page.text.Text}
	}
}

// share names what is there of the page.
func (b browser) share() string {
	if p := b.page; p.text.Size > int64(len(p.text.Text)) {
		return fmt.Sprintf("the first %s of %s", size(len(p.text.Text)), p.got.Page)
	}
	return b.page.got.Page
}

func (r openPage) section(t theme.Theme, name string) section {
	ready := r.got.Page == name && name != ""
	title := name
	if title == "" {
		title = "No page"
	}
	return section{title: title, note: r.note(ready), need: 1, want: 1 << 20, rows: func(w, h int) []string {
		switch {
		case name == "":
			return []string{t.Dim.Text("Nothing is selected.")}
		case !ready:
			return []string{t.Dim.Text("Reading …")}
		case r.err != nil:
			return refused(t, r.err, w)
		case len(r.rows) == 0:
			return []string{t.Dim.Text("The page is empty.")}
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

// note is how the page is shown, and how much of it there is.
func (r openPage) note(ready bool) string {
	if !ready || r.err != nil {
		return ""
	}
	how := "rendered"
	if r.raw || r.text.MIME != "text/markdown" {
		how = "as it stands"
	}
	return fmt.Sprintf("%s · %s · %s", how, many(uint64(len(r.rows)), "row"), size(int(r.text.Size)))
}
