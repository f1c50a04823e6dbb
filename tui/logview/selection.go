package pane

import "strings"

// startSelection begins to select: at the hit that was gone to, at the newest line
// while it follows, else at the first line in sight. Where something is
// selected already, it begins anew at the cursor.
func (p Logs) startSelection(k Press) Logs {
	w, h := p.inside(k.W, k.H)
	rows := p.rows(w, h)
	switch at := p.view.search.at; {
	case len(rows) == 0:
		return p
	case p.from != 0:
		p.from = p.to
		return p
	case at != 0 && p.view.has(at):
		p.from = at
	case p.follow:
		p.from = p.view.at(rows[len(rows)-1].i)
	default:
		p.from = p.view.at(rows[0].i)
	}
	p.to = p.from
	return p.pinTo(p.firstVisible(w, h))
}

// moveSelection moves the cursor of what is selected, and what is in sight with it.
func (p Logs) moveSelection(k Press) (Logs, bool) {
	w, h := p.inside(k.W, k.H)
	n := p.view.len()
	i, ok := p.keys.Move(k, p.view.find(p.to), n, h-1)
	if !ok || n == 0 {
		return p, false
	}
	p.to = p.view.at(i)
	switch rows := p.rows(w, h); {
	case i < rows[0].i || i == rows[0].i && rows[0].row > 0:
		p = p.pinTo(rowPosition{i: i})
	case i > rows[len(rows)-1].i || i == rows[len(rows)-1].i && rows[len(rows)-1].row+1 < p.height(i, w):
		p = p.pinTo(p.stepRows(rowPosition{i, p.height(i, w) - 1}, 1-h, w))
	}
	return p, true
}

// selectedRange are the first and the last line that a copy takes: from the mark to
// the cursor, in whichever direction that is, else those in sight. What is gone
// or filtered away is not among them.
func (p Logs) selectedRange(w, h int) (first, last int, ok bool) {
	if p.from == 0 {
		rows := p.rows(w, h)
		if len(rows) == 0 {
			return 0, 0, false
		}
		return rows[0].i, rows[len(rows)-1].i, true
	}
	from, to := min(p.from, p.to), max(p.from, p.to)
	first, last = p.view.find(from), p.view.find(to)
	if last == p.view.len() || p.view.at(last) != to {
		last--
	}
	return first, last, first <= last
}

func (p Logs) copy(k Press) Intent {
	first, last, ok := p.selectedRange(p.inside(k.W, k.H))
	if !ok {
		return ShowMessage{"There is no line to copy."}
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		p.write(&b, p.view.at(i))
	}
	return Copy{What: Plural(uint64(last-first+1), "line"), Text: b.String()}
}
