package logview

import tea "charm.land/bubbletea/v2"

// startSelection begins to select: at the match that was gone to, at the newest
// line while it follows, else at the first visible line. Where something is
// selected already, it begins again at the cursor.
func (v View) startSelection(w, h int) View {
	rows := v.rows(w, h)
	switch at := v.log.search.at; {
	case len(rows) == 0:
		return v
	case v.from != 0:
		v.from = v.to
		return v
	case at != 0 && v.log.has(at):
		v.from = at
	case v.follow:
		v.from = v.log.at(rows[len(rows)-1].i)
	default:
		v.from = v.log.at(rows[0].i)
	}
	v.to = v.from
	return v.pinTo(v.firstVisible(w, h))
}

// moveSelection moves the cursor of what is selected, and what is visible with
// it.
func (v View) moveSelection(k tea.KeyPressMsg, w, h int) (View, bool) {
	n := v.log.len()
	i, ok := v.nav.Move(k, v.log.find(v.to), n, h-1)
	if !ok || n == 0 {
		return v, false
	}
	v.to = v.log.at(i)
	switch rows := v.rows(w, h); {
	case i < rows[0].i || i == rows[0].i && rows[0].row > 0:
		v = v.pinTo(rowPosition{i: i})
	case i > rows[len(rows)-1].i || i == rows[len(rows)-1].i && rows[len(rows)-1].row+1 < v.height(i, w):
		v = v.pinTo(v.stepRows(rowPosition{i, v.height(i, w) - 1}, 1-h, w))
	}
	return v, true
}

// selectedRange are the first and the last line that a copy takes: from the
// mark to the cursor, in whichever direction that is, else those visible. What
// is gone or filtered away is not among them.
func (v View) selectedRange(w, h int) (first, last int, ok bool) {
	if v.from == 0 {
		rows := v.rows(w, h)
		if len(rows) == 0 {
			return 0, 0, false
		}
		return rows[0].i, rows[len(rows)-1].i, true
	}
	from, to := min(v.from, v.to), max(v.from, v.to)
	first, last = v.log.find(from), v.log.find(to)
	if last == v.log.len() || v.log.at(last) != to {
		last--
	}
	return first, last, first <= last
}

// Selection returns what a copy takes in a view of w by h cells: the selected
// lines, else those visible, and how many they are.
func (v View) Selection(w, h int) (text string, lines int) {
	first, last, ok := v.selectedRange(w, v.rowsIn(h))
	if !ok {
		return "", 0
	}
	return v.text(first, last), last - first + 1
}
