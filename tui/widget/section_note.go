package widget

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A NotePart is one of the parts that make the note of a [Section].
type NotePart struct {
	Text  string // plain
	Value int    // where there is no room for all parts, the one of the least value is left out first
}

// noteText is the note of s, in at most w cells where parts can be left out: the last one stays.
func (s Section) noteText(w int) string {
	parts := s.NoteParts
	if len(parts) == 0 {
		return s.Note
	}
	for {
		text, least := "", 0
		for i, part := range parts {
			text += " · " + part.Text
			if part.Value < parts[least].Value {
				least = i
			}
		}
		if text = strings.TrimPrefix(text, " · "); len(parts) == 1 || theme.Width(text) <= w {
			return text
		}
		parts = slices.Delete(slices.Clone(parts), least, least+1)
	}
}
