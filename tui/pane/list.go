package pane

import "charm.land/bubbles/v2/key"

// moved is the row that a key leads to from row i of n, where a page has so
// many; false: the key is not one that moves in a list. It is a row as long as
// there is one.
func (k Keys) moved(p Press, i, n, page int) (row int, ok bool) {
	switch {
	case key.Matches(p, k.Up):
		i--
	case key.Matches(p, k.Down):
		i++
	case key.Matches(p, k.PageUp):
		i -= max(1, page)
	case key.Matches(p, k.PageDown):
		i += max(1, page)
	case key.Matches(p, k.First):
		i = 0
	case key.Matches(p, k.Last):
		i = n - 1
	default:
		return i, false
	}
	return clamp(i, n), true
}

// filtered answers a key while a filter is typed: what it is then, and whether
// it is typed on. Before is the one that a key recalls.
func (k Keys) filtered(p Press, filter Field, before string) (next Field, typing bool) {
	switch {
	case key.Matches(p, k.Enter):
		return filter, false
	case key.Matches(p, k.Back):
		return Field{}, false
	case before != "" && key.Matches(p, k.Recall):
		return NewField(before), true
	default:
		next, _ = filter.Key(p.KeyPressMsg)
		return next, true
	}
}
