package pane

import (
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A RowSelector is a Pane with rows to click on, which it draws as
// [theme.Theme.Spot].
type RowSelector interface {
	// SelectRow selects the row that was drawn as spot i. again: it was before.
	SelectRow(i int) (p Pane, again bool)
}

// A Scroller is a Pane with text beside its list, which it draws as
// [theme.Theme.ScrollRegion].
type Scroller interface {
	// Scroll moves the text by d rows in a pane as big as at says.
	Scroll(d int, at Press) Pane
}

// SelectRow implements [RowSelector].
func (p Overview) SelectRow(i int) (Pane, bool) {
	again := p.problem == i
	p.problem = Clamp(i, len(p.snap.Problems))
	return p, again
}

// SelectRow implements [RowSelector].
func (p Sources) SelectRow(i int) (Pane, bool) {
	if p.browse != nil {
		next, again := p.browse.selectRow(i)
		return p.withBrowser(next), again
	}
	again := p.cursor == i
	p.cursor = Clamp(i, len(p.snap.Sources))
	return p, again
}

// SelectRow implements [RowSelector].
func (p Activity) SelectRow(i int) (Pane, bool) {
	again := p.position() == i
	return p.selectAt(i), again
}

// SelectRow implements [RowSelector].
func (p Changes) SelectRow(i int) (Pane, bool) {
	again := p.position() == i
	return p.selectAt(i), again
}

// Scroll implements [Scroller].
func (p Changes) Scroll(d int, at Press) Pane { return p.scroll(d, at) }

// SelectRow implements [RowSelector].
func (p Clients) SelectRow(i int) (Pane, bool) {
	again := p.cursor == i
	p.cursor = Clamp(i, len(p.targets))
	return p, again
}

// SelectRow implements [RowSelector].
func (p Tools) SelectRow(i int) (Pane, bool) {
	again := p.position() == i
	return p.selectAt(i), again
}

// Scroll implements [Scroller].
func (p Tools) Scroll(d int, at Press) Pane { return p.scroll(d, at) }

// SelectRow implements [RowSelector].
func (p Doctor) SelectRow(i int) (Pane, bool) {
	again := p.find(p.cursor) == i
	if len(p.checks) > 0 {
		p.cursor = p.checks[Clamp(i, len(p.checks))].Name
	}
	return p, again
}

// SelectRow implements [RowSelector].
func (p Settings) SelectRow(i int) (Pane, bool) {
	rows := p.rows()
	again := p.position(rows) == i
	if !again {
		p.revealed = revealedToken{}
	}
	if len(rows) > 0 {
		p.cursor = rows[Clamp(i, len(rows))].name
	}
	return p, again
}

// ScrollRegions marks rows of text beside a list.
func ScrollRegions(t theme.Theme, rows []string, w int) []string {
	for i := range rows {
		rows[i] = t.ScrollRegion(theme.Fit(rows[i], w))
	}
	return rows
}
