package widget

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Detail is how the text of a list's selected row is shown: beside the list,
// or in its place.
type Detail struct {
	Open bool // it has the whole pane
	Top  int  // the first visible row
}

// HandleKey opens, closes and scrolls the text, which is drawn in w by h cells,
// or moves from row i in the list of n: it returns the row to select. A page is
// page rows high.
func (d Detail) HandleKey(k tea.KeyPressMsg, keys NavKeys, text TextView, w, h, page, i, n int) (next Detail, row int, ok bool) {
	var scroll int
	switch {
	case key.Matches(k, keys.Enter):
		d.Open = !d.Open
		return d, i, true
	case key.Matches(k, keys.Back) && d.Open:
		d.Open = false
		return d, i, true
	case key.Matches(k, keys.PageDown):
		scroll = max(1, page)
	case key.Matches(k, keys.PageUp):
		scroll = -max(1, page)
	case !d.Open:
		row, ok = keys.RowAfterKey(k, i, n, page)
		return d, row, ok
	case key.Matches(k, keys.Down):
		scroll = 1
	case key.Matches(k, keys.Up):
		scroll = -1
	case key.Matches(k, keys.First):
		scroll = -d.Top
	case key.Matches(k, keys.Last):
		scroll = text.Height(w)
	default:
		return d, i, false
	}
	return d.Scroll(scroll, text, w, h), i, true
}

// Scroll moves text, which is drawn in w by h cells, by n rows.
func (d Detail) Scroll(n int, text TextView, w, h int) Detail {
	d.Top = max(0, min(d.Top+n, text.Height(w)-h))
	return d
}

// Draw draws at most h rows of text, and says how many follow.
func (d Detail) Draw(t theme.Theme, text TextView, w, h int) []string {
	rows := text.Draw(t, d.Top, w, h)
	if rest := text.Height(w) - d.Top - len(rows); rest > 0 && len(rows) > 1 {
		rows[len(rows)-1] = t.Dim.Text(fmt.Sprintf("… %s below; pgdn", CountWithNoun(rest+1, "row")))
	}
	return rows
}
