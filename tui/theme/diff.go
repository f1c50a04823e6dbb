package theme

import "strings"

// Diff returns the style of a line of a unified diff. The line's own sign says
// what the colour says.
func (t Theme) Diff(line string) Style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
		return t.Dim
	case strings.HasPrefix(line, "+"):
		return t.Good
	case strings.HasPrefix(line, "-"):
		return t.Bad
	default:
		return t.Dim
	}
}

// ChangedWord returns the style of the words that changed within a line of a
// unified diff.
func (t Theme) ChangedWord(line string) Style {
	s := t.Diff(line)
	s.reverse = true
	return s.compile()
}
