package logview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// A stableRowPosition is where a row is, in a way that stays true when older lines
// go: the number of its line, and which of the line's rows it is.
type stableRowPosition struct {
	number uint64
	row    int
}

// A rowPosition is a place by its position among the lines that are shown now.
type rowPosition struct {
	i   int // which line
	row int // which of its rows
}

// handleScrollKey answers the keys that change what part of the log is visible.
func (v View) handleScrollKey(k tea.KeyPressMsg, w, h int) (View, bool) {
	switch {
	case key.Matches(k, v.keys.Follow):
		if v.follow {
			return v.pinTo(v.lastPageTop(w, h)), true
		}
		v.follow = true
	case key.Matches(k, v.nav.Up):
		return v.scroll(-1, w, h), true
	case key.Matches(k, v.nav.Down):
		return v.scroll(1, w, h), true
	case key.Matches(k, v.nav.PageUp):
		return v.scroll(1-h, w, h), true
	case key.Matches(k, v.nav.PageDown):
		return v.scroll(h-1, w, h), true
	case key.Matches(k, v.nav.First):
		return v.pinTo(rowPosition{}), true
	case key.Matches(k, v.nav.Last):
		v.follow = true
	case key.Matches(k, v.keys.ScrollLeft):
		v.left = max(0, v.left-sidewaysScrollCells)
	case key.Matches(k, v.keys.ScrollRight):
		v.left = min(maxLineBytes, v.left+sidewaysScrollCells)
	case key.Matches(k, v.keys.ScrollStart):
		v.left = 0
	default:
		return v, false
	}
	return v, true
}

// sidewaysScrollCells is how many cells one key scrolls.
const sidewaysScrollCells = 8

// pinTo stops at s: what is visible stays, whatever comes or goes.
func (v View) pinTo(s rowPosition) View {
	v.follow = false
	if s.i < v.log.len() {
		v.top = stableRowPosition{v.log.lineNumberAt(s.i), s.row}
	}
	return v
}

// scroll moves by d rows. Moving on at the end means to follow.
func (v View) scroll(d, w, h int) View {
	bottom, at := v.lastPageTop(w, h), v.firstVisible(w, h)
	if v.follow && d > 0 {
		return v
	}
	to := v.stepRows(at, d, w)
	if d > 0 && (bottom.before(to) || to == at) {
		v.follow = true
		return v
	}
	return v.pinTo(to)
}

// firstVisible is the first visible row. No room stays empty below the last line
// while there are lines above.
func (v View) firstVisible(w, h int) rowPosition {
	bottom := v.lastPageTop(w, h)
	if v.follow {
		return bottom
	}
	s := rowPosition{i: v.log.lineIndex(v.top.number)}
	if s.i < v.log.len() && v.log.lineNumberAt(s.i) == v.top.number {
		s.row = min(v.top.row, v.lineHeight(s.i, w)-1)
	}
	if bottom.before(s) {
		return bottom
	}
	return s
}

// FirstVisibleLine is where the first visible line is among those that are shown.
func (v View) FirstVisibleLine(w, h int) int { return v.firstVisible(w, h).i }

func (s rowPosition) before(other rowPosition) bool {
	return s.i < other.i || s.i == other.i && s.row < other.row
}

// lastPageTop is the first visible row when the last visible row is the last.
func (v View) lastPageTop(w, h int) rowPosition {
	n := v.log.len()
	if n == 0 {
		return rowPosition{}
	}
	return v.stepRows(rowPosition{n - 1, v.lineHeight(n-1, w) - 1}, 1-h, w)
}

// stepRows moves s by d rows, as far as there are some.
func (v View) stepRows(s rowPosition, d, w int) rowPosition {
	for ; d < 0; d++ {
		switch {
		case s.row > 0:
			s.row--
		case s.i > 0:
			s.i--
			s.row = v.lineHeight(s.i, w) - 1
		}
	}
	for ; d > 0 && s.i < v.log.len(); d-- {
		switch {
		case s.row+1 < v.lineHeight(s.i, w):
			s.row++
		case s.i+1 < v.log.len():
			s = rowPosition{i: s.i + 1}
		}
	}
	return s
}
