// Package widget holds the parts that panes are made of: sections with a
// border, lists, text to scroll through, a line to type in, and how numbers and
// times are written.
//
// A widget is a value that is drawn into a given number of cells. It knows no
// pane, no snapshot and no action; what a key leads to is for the pane to
// decide. tui/pane, tui/logview and tui import it. Start reading at [Section]
// and [TextView].
package widget

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// NavKeys are the keys that move in lists and texts, and edit a filter.
type NavKeys struct {
	Up, Down, PageUp, PageDown, First, Last key.Binding
	Enter, Back                             key.Binding
	Filter                                  key.Binding
}

// DefaultNavKeys returns those of vi, and the arrows.
func DefaultNavKeys() NavKeys {
	return NavKeys{
		Up:       Bind("↑/k", "up", "up", "k"),
		Down:     Bind("↓/j", "down", "down", "j"),
		PageUp:   Bind("pgup", "page up", "pgup", "ctrl+u", "ctrl+b"),
		PageDown: Bind("pgdn", "page down", "pgdown", "ctrl+d", "ctrl+f"),
		First:    Bind("g", "first", "g", "home"),
		Last:     Bind("G", "last", "G", "end"),
		Enter:    Bind("enter", "open", "enter"),
		Back:     Bind("esc", "back", "esc"),
		Filter:   Bind("/", "filter", "/"),
	}
}

// Bind returns a binding of the keys with these names, which the help shows as
// label.
func Bind(label, help string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(label, help))
}

// WithHelp returns b with another help text.
func WithHelp(b key.Binding, help string) key.Binding {
	b.SetHelp(b.Help().Key, help)
	return b
}

// RowAfterKey returns the row that k leads to from row i of n, where a page has page
// rows; false: k does not move in a list. The row exists unless n is 0.
func (keys NavKeys) RowAfterKey(k tea.KeyPressMsg, i, n, page int) (row int, ok bool) {
	switch {
	case key.Matches(k, keys.Up):
		i--
	case key.Matches(k, keys.Down):
		i++
	case key.Matches(k, keys.PageUp):
		i -= max(1, page)
	case key.Matches(k, keys.PageDown):
		i += max(1, page)
	case key.Matches(k, keys.First):
		i = 0
	case key.Matches(k, keys.Last):
		i = n - 1
	default:
		return i, false
	}
	return Clamp(i, n), true
}

// Clamp returns the row nearest to i in a list of n.
func Clamp(i, n int) int { return max(0, min(i, n-1)) }

// VisibleRange returns which of n rows are drawn in h lines so that the row of
// the cursor is among them, near the middle. It depends on its arguments only, so
// that a pane need not remember where it was scrolled to. The rows stay where they
// are while the cursor moves through a quarter of the lines, and then move on by as
// much: rows that moved at each key would all be drawn at each key.
func VisibleRange(n, cursor, h int) (from, to int) {
	step := max(1, h/4)
	from = (cursor - h/2 + step/2) / step * step
	from = min(max(0, from), max(0, n-h))
	return from, min(n, from+h)
}
