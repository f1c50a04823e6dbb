package pane

import "github.com/lectern-mcp/lectern/tui/theme"

// drawnRows keeps what rows of calls look like, as long as they are drawn in one theme and width:
// a call that has ended looks the same in every frame.
type drawnRows struct {
	theme theme.Theme
	width int
	rows  map[drawnRowKey]string
}

// A drawnRowKey is all that a row depends on besides.
type drawnRowKey struct {
	call   uint64 // its number
	isNew  bool
	client string // as the row names it
}

// maxDrawnRows is how many rows are kept: those of a few screens.
const maxDrawnRows = 500

// getOrDraw returns the row, which draw makes.
func (s *drawnRows) getOrDraw(t theme.Theme, w int, key drawnRowKey, draw func() string) string {
	if s.rows == nil || s.width != w || s.theme != t || len(s.rows) >= maxDrawnRows {
		*s = drawnRows{t, w, map[drawnRowKey]string{}}
	}
	row, ok := s.rows[key]
	if !ok {
		row = draw()
		s.rows[key] = row
	}
	return row
}
