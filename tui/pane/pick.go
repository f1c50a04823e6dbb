package pane

import (
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Picker is a Pane with rows to click on, which it draws as
// [theme.Theme.Spot].
type Picker interface {
	// Pick selects the row that was drawn as spot i. again: it was before.
	Pick(i int) (p Pane, again bool)
}

// A Scroller is a Pane with text beside its list, which it draws as
// [theme.Theme.Aside].
type Scroller interface {
	// Scroll moves the text by d rows in a pane as big as at says.
	Scroll(d int, at Press) Pane
}

// Pick implements [Picker].
func (p Overview) Pick(i int) (Pane, bool) {
	again := p.problem == i
	p.problem = clamp(i, len(p.snap.Problems))
	return p, again
}

// Pick implements [Picker].
func (p Sources) Pick(i int) (Pane, bool) {
	if p.browse != nil {
		next, again := p.browse.pick(i)
		return p.opened(next), again
	}
	again := p.cursor == i
	p.cursor = clamp(i, len(p.snap.Sources))
	return p, again
}

// Pick implements [Picker].
func (p Activity) Pick(i int) (Pane, bool) {
	again := p.position() == i
	return p.turn(i), again
}

// Pick implements [Picker].
func (p Changes) Pick(i int) (Pane, bool) {
	again := p.position() == i
	return p.turn(i), again
}

// Scroll implements [Scroller].
func (p Changes) Scroll(d int, at Press) Pane { return p.scroll(d, at) }

// Pick implements [Picker].
func (p Clients) Pick(i int) (Pane, bool) {
	again := p.cursor == i
	p.cursor = clamp(i, len(p.places))
	return p, again
}

// Pick implements [Picker].
func (p Tools) Pick(i int) (Pane, bool) {
	again := p.position() == i
	return p.turn(i), again
}

// Scroll implements [Scroller].
func (p Tools) Scroll(d int, at Press) Pane { return p.scroll(d, at) }

// Pick implements [Picker].
func (p Doctor) Pick(i int) (Pane, bool) {
	again := p.find(p.cursor) == i
	if len(p.checks) > 0 {
		p.cursor = p.checks[clamp(i, len(p.checks))].Name
	}
	return p, again
}

// Pick implements [Picker].
func (p Settings) Pick(i int) (Pane, bool) {
	rows := p.rows()
	again := p.position(rows) == i
	if !again {
		p.shown = shownToken{}
	}
	if len(rows) > 0 {
		p.cursor = rows[clamp(i, len(rows))].name
	}
	return p, again
}

// besides marks rows of text beside a list.
func besides(t theme.Theme, rows []string, w int) []string {
	for i := range rows {
		rows[i] = t.Aside(theme.Fill(rows[i], w))
	}
	return rows
}
