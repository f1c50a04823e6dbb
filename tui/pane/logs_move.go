package pane

import "charm.land/bubbles/v2/key"

// A place is where a row is, in a way that stays true when older lines go: the
// number of its line, and which of the line's rows it is.
type place struct {
	number uint64
	row    int
}

// A spot is a place by its position among the lines that are shown now.
type spot struct {
	i   int // which line
	row int // which of its rows
}

// move answers the keys that change what part of the log is in sight.
func (p Logs) move(k Press) (Logs, bool) {
	w, h := p.inside(k.W, k.H)
	if p.from != 0 {
		if moved, ok := p.extend(k); ok {
			return moved, true
		}
	}
	switch {
	case key.Matches(k, p.keys.Follow):
		if p.follow {
			return p.pin(p.bottom(w, h)), true
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
		return p.pin(spot{}), true
	case key.Matches(k, p.keys.Last):
		p.follow = true
	case key.Matches(k, p.keys.ScrollLeft):
		p.left = max(0, p.left-sideways)
	case key.Matches(k, p.keys.ScrollRight):
		p.left = min(lineBytes, p.left+sideways)
	case key.Matches(k, p.keys.ScrollEnd):
		p.left = 0
	default:
		return p, false
	}
	return p, true
}

// sideways is how many cells one key scrolls.
const sideways = 8

// pin stops at s: what is in sight stays, whatever comes or goes.
func (p Logs) pin(s spot) Logs {
	p.follow = false
	if s.i < p.view.len() {
		p.top = place{p.view.at(s.i), s.row}
	}
	return p
}

// scroll moves by d rows. Moving on at the end means to follow.
func (p Logs) scroll(d, w, h int) Logs {
	bottom, at := p.bottom(w, h), p.begin(w, h)
	if p.follow && d > 0 {
		return p
	}
	to := p.step(at, d, w)
	if d > 0 && (to.i > bottom.i || to.i == bottom.i && to.row > bottom.row) {
		p.follow = true
		return p
	}
	return p.pin(to)
}

// begin is the first row in sight.
func (p Logs) begin(w, h int) spot {
	if p.follow {
		return p.bottom(w, h)
	}
	s := spot{i: p.view.find(p.top.number)}
	if s.i < p.view.len() && p.view.at(s.i) == p.top.number {
		s.row = min(p.top.row, p.height(s.i, w)-1)
	}
	return s
}

// bottom is the first row in sight when the last row is the last in sight.
func (p Logs) bottom(w, h int) spot {
	n := p.view.len()
	if n == 0 {
		return spot{}
	}
	return p.step(spot{n - 1, p.height(n-1, w) - 1}, 1-h, w)
}

// step moves s by d rows, as far as there are some.
func (p Logs) step(s spot, d, w int) spot {
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
			s = spot{i: s.i + 1}
		}
	}
	return s
}
