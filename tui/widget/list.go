package pane

import "charm.land/bubbles/v2/key"

// Move is the row that a key leads to from row i of n, where a page has so
// many; false: the key is not one that moves in a list. It is a row as long as
// there is one.
func (k Keys) Move(p Press, i, n, page int) (row int, ok bool) {
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
	return Clamp(i, n), true
}

// editFilter answers a key while a filter is typed: what it is then, and whether
// it is typed on. Before is the one that a key recalls.
func (k Keys) editFilter(p Press, filter TextInput, before string) (next TextInput, typing bool) {
	switch {
	case key.Matches(p, k.Enter):
		return filter, false
	case key.Matches(p, k.Back):
		return TextInput{}, false
	case before != "" && key.Matches(p, k.PreviousFilter):
		return NewTextInput(before), true
	default:
		next, _ = filter.HandleKey(p.KeyPressMsg)
		return next, true
	}
}
