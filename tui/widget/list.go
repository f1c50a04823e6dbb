package widget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A ListRow is what a [List] has to know of one row.
type ListRow struct {
	ID          string // by which the selection is kept when rows come and go
	Text        string // what the filter searches for letters in their order
	Description string // what it searches too, for the filter as it stands
	Rank        int    // rows of a lower rank come first, whatever they are sorted by: problems
}

// A List is rows to select, filter and scroll: what is selected stays selected
// wherever its row goes. It is a value; the rows themselves are drawn by its pane.
type List struct {
	filter FilterInput
	id     string // of the selected row; empty: the first
	at     int    // where it was
	total  int
	rows   []ListRow
	shown  []int // of rows, those that pass, in their order
}

// SetRows replaces the rows. Those of one rank stay in the order of rows, unless a
// filter finds some of them better than others.
func (l List) SetRows(rows []ListRow) List {
	want := strings.ToLower(strings.TrimSpace(l.filter.Value()))
	scores, best := make([]int, len(rows)), 0
	l.rows, l.total, l.shown = rows, len(rows), make([]int, 0, len(rows))
	for i, row := range rows {
		if want != "" {
			scores[i] = row.score(want)
			best = max(best, scores[i])
		}
	}
	for i := range rows {
		if want == "" || scores[i] > 0 && 3*scores[i] >= best { // letters strewn about are noise beside a word
			l.shown = append(l.shown, i)
		}
	}
	slices.SortStableFunc(l.shown, func(a, b int) int {
		return cmp.Or(cmp.Compare(rows[a].Rank, rows[b].Rank), cmp.Compare(scores[b], scores[a]))
	})
	if at := l.indexOfID(l.id); at >= 0 {
		l.at = at
		return l
	}
	return l.moveTo(l.at)
}

// score is how well the filter finds the row; 0: it does not.
func (row ListRow) score(want string) int {
	score := FuzzyScore(row.Text, want)
	if row.Description != "" && strings.Contains(strings.ToLower(row.Description), want) {
		score = max(score, 10*len(want))
	}
	return score
}

// indexOfID is where the row with this ID is shown; -1: nowhere.
func (l List) indexOfID(id string) int {
	return slices.IndexFunc(l.shown, func(i int) bool { return id != "" && l.rows[i].ID == id })
}

// moveTo selects the row shown at i, or the nearest. The first row is the
// selected one as long as nobody has moved away from it.
func (l List) moveTo(i int) List {
	l.at = Clamp(i, len(l.shown))
	l.id = ""
	if l.at > 0 {
		l.id = l.rows[l.shown[l.at]].ID
	}
	return l
}

// Select selects the row with this ID, if it is there.
func (l List) Select(id string) List {
	if at := l.indexOfID(id); at >= 0 {
		l.at, l.id = at, id
	}
	return l
}

// SelectRow selects the row that is shown as the i-th; again: it was selected.
func (l List) SelectRow(i int) (next List, again bool) {
	again = i == l.at && len(l.shown) > 0
	l = l.moveTo(i)
	if len(l.shown) > 0 {
		l.id = l.rows[l.shown[l.at]].ID
	}
	return l, again
}

// SelectedIndex is the index of the selected row among those that were given to Show;
// -1: there is none.
func (l List) SelectedIndex() int {
	if len(l.shown) == 0 {
		return -1
	}
	return l.shown[l.at]
}

// SelectedID is that of the selected row; empty: there is none.
func (l List) SelectedID() string {
	if i := l.SelectedIndex(); i >= 0 {
		return l.rows[i].ID
	}
	return ""
}

// HandleKey moves the selection or edits the filter; false: k does neither. A page
// is page rows.
func (l List) HandleKey(k tea.KeyPressMsg, keys NavKeys, page int) (List, bool) {
	switch {
	case l.filter.Typing && !isListMoveKey(k):
		l.filter = l.filter.HandleKey(k, keys)
		l.id, l.at = "", 0
		return l.SetRows(l.rows), true
	case key.Matches(k, keys.Filter):
		l.filter = l.filter.StartTyping()
		return l, true
	case key.Matches(k, keys.Back) && l.filter.Value() != "":
		l.filter = FilterInput{}
		return l.SetRows(l.rows), true
	}
	i, ok := keys.RowAfterKey(k, l.at, len(l.shown), page)
	if !ok {
		return l, false
	}
	l, _ = l.SelectRow(i)
	return l, true
}

// isListMoveKey reports whether k moves in the list while a filter is typed, as letters
// do not.
func isListMoveKey(k tea.KeyPressMsg) bool {
	return slices.Contains([]string{"up", "down", "pgup", "pgdown"}, k.String())
}

// IsTyping reports whether keys edit the filter.
func (l List) IsTyping() bool { return l.filter.Typing }

// Paste inserts text into the filter.
func (l List) Paste(text string) List {
	if l.filter.Typing {
		l.filter = l.filter.Paste(text)
		return l.SetRows(l.rows)
	}
	return l
}

// FilterText is what the list is filtered by; empty: nothing.
func (l List) FilterText() string { return l.filter.Value() }

// Bindings are the keys while the filter is edited.
func (l List) Bindings(keys NavKeys) []key.Binding { return l.filter.Bindings(keys) }

// MinRowsForPosition is from how many rows on a list says which one is selected.
const MinRowsForPosition = 10

// StatusNote says what is filtered, and which row of many is selected; empty: neither.
func (l List) StatusNote() string {
	n := len(l.shown)
	switch {
	case l.filter.Value() != "":
		return fmt.Sprintf("/%s · %s of %s", l.filter.Value(), FormatCount(n), FormatCount(l.total))
	case n >= MinRowsForPosition:
		return fmt.Sprintf("%s of %s", FormatCount(l.at+1), FormatCount(n))
	}
	return ""
}

// Draw draws at most h rows of w cells with the selected one among them, and a
// scroll bar if there are more. row draws the i-th of those given to Show.
func (l List) Draw(t theme.Theme, w, h int, row func(t theme.Theme, i, w int) string) []string {
	n := len(l.shown)
	if n == 0 && l.filter.Value() != "" {
		return []string{t.Dim.Text("Nothing matches. esc drops the filter; : finds every command.")}
	}
	w = ListRowWidth(w, h, n)
	rows := VisibleRows(t, n, l.at, h, func(t theme.Theme, i int) string { return row(t, l.shown[i], w) })
	from, _ := VisibleRange(n, l.at, h)
	return AddScrollBar(t, rows, w, from, n)
}

// hasScrollBar reports whether a list of n rows in h has a scroll bar: one that is read aloud has
// none.
func hasScrollBar(h, n int) bool { return n > h && h >= 3 && h < ScreenReaderHeight-10 }

// ListRowWidth is the width of the rows of a list of n rows in w by h cells.
func ListRowWidth(w, h, n int) int {
	if hasScrollBar(h, n) {
		return w - 1
	}
	return w
}

// AddScrollBar puts a scroll bar behind rows of w cells, which are those from one on of
// n. Where all are there it puts none.
func AddScrollBar(t theme.Theme, rows []string, w, from, n int) []string {
	h := len(rows)
	if !hasScrollBar(h, n) {
		return rows
	}
	thumb := max(1, h*h/n)
	start := from * (h - thumb) / max(1, n-h)
	track, handle := t.Line.Text("▕"), t.Accent.Text("▐")
	for i := range rows {
		sign := track
		if i >= start && i < start+thumb {
			sign = handle
		}
		rows[i] = theme.Fit(rows[i], w) + sign
	}
	return rows
}

// ShownCount is how many rows pass the filter.
func (l List) ShownCount() int { return len(l.shown) }

// SelectedShownIndex is the selected row, counted among those that pass the filter.
func (l List) SelectedShownIndex() int { return l.at }

// SetFilter returns l with this filter, which nobody edits.
func (l List) SetFilter(text string) List {
	l.filter = NewFilterInput(text)
	return l.SetRows(l.rows)
}

// DrawFilterBelowRows draws h lines of w cells: rows, and below them the filter while it is
// edited.
func (l List) DrawFilterBelowRows(t theme.Theme, w, h int, rows func(h int) []string) string {
	return l.filter.DrawBelowRows(t, w, h, "letters in their order; enter keeps it", rows)
}
