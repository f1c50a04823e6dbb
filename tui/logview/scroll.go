package pane

import "charm.land/bubbles/v2/key"

// A linePosition is where a row is, in a way that stays true when older lines go: the
// number of its line, and which of the line's rows it is.
type linePosition struct {
	number uint64
	row    int
}

// A rowPosition is a place by its position among the lines that are shown now.
type rowPosition struct {
	i   int // which line
	row int // which of its rows
}

// move answers the keys that change what part of the log is in sight.
func (p Logs) move(k Press) (Logs, bool) {
	w, h := p.inside(k.W, k.H)
	if p.from != 0 {
		if moved, ok := p.moveSelection(k); ok {
			return moved, true
		}
	}
	switch {
	case key.Matches(k, p.keys.Follow):
		if p.follow {
			return p.pinTo(p.lastPage(w, h)), true
		}
		p.follow = true
	case key.Matches(k, p.keys.Up):
		return p.scroll(-1, w, h), true
	case key.Matches(k, p.keys.Down):
		return p.scroll(1, w, h), true
	case key.Matches(k, p.keys.PageUp):
		return p.scroll(1-h, w, h), true
	case key.Matches(k, p.keys.PageDown):
		return p.scroll(h-1, w, h), true
	case key.Matches(k, p.keys.First):
		return p.pinTo(rowPosition{}), true
	case key.Matches(k, p.keys.Last):
		p.follow = true
	case key.Matches(k, p.keys.ScrollLeft):
		p.left = max(0, p.left-sideways)
	case key.Matches(k, p.keys.ScrollRight):
		p.left = min(maxLineBytes, p.left+sideways)
	case key.Matches(k, p.keys.ScrollEnd):
		p.left = 0
	default:
		return p, false
	}
	return p, true
}

// sideways is how many cells one key scrolls.
const sideways = 8

// pinTo stops at s: what is in sight stays, whatever comes or goes.
func (p Logs) pinTo(s rowPosition) Logs {
	p.follow = false
	if s.i < p.view.len() {
		p.top = linePosition{p.view.at(s.i), s.row}
	}
	return p
}

// scroll moves by d rows. Moving on at the end means to follow.
func (p Logs) scroll(d, w, h int) Logs {
	bottom, at := p.lastPage(w, h), p.firstVisible(w, h)
	if p.follow && d > 0 {
		return p
	}
	to := p.stepRows(at, d, w)
	if d > 0 && (to.i > bottom.i || to.i == bottom.i && to.row > bottom.row) {
		p.follow = true
		return p
	}
	return p.pinTo(to)
}

// firstVisible is the first row in sight.
func (p Logs) firstVisible(w, h int) rowPosition {
	if p.follow {
		return p.lastPage(w, h)
	}
	s := rowPosition{i: p.view.find(p.top.number)}
	if s.i < p.view.len() && p.view.at(s.i) == p.top.number {
		s.row = min(p.top.row, p.height(s.i, w)-1)
	}
	return s
}

// lastPage is the first row in sight when the last row is the last in sight.
func (p Logs) lastPage(w, h int) rowPosition {
	n := p.view.len()
	if n == 0 {
		return rowPosition{}
	}
	return p.stepRows(rowPosition{n - 1, p.height(n-1, w) - 1}, 1-h, w)
}

// stepRows moves s by d rows, as far as there are some.
func (p Logs) stepRows(s rowPosition, d, w int) rowPosition {
	for ; d < 0; d++ {
		switch {
		case s.row > 0:
			s.row--
		case s.i > 0:
			s.i--
			s.row = p.height(s.i, w) - 1
		}
	}
	for ; d > 0 && s.i < p.view.len(); d-- {
		switch {
		case s.row+1 < p.height(s.i, w):
			s.row++
		case s.i+1 < p.view.len():
			s = rowPosition{i: s.i + 1}
		}
	}
	return s
}
