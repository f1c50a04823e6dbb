package theme

import "strings"

// DiffLineStyle returns the style of a line of a unified diff. The line's own sign says
// what the colour says.
func (t Theme) DiffLineStyle(line string) Style {
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

// ChangedWordStyle returns the style of the words that changed within a line of a
// unified diff.
func (t Theme) ChangedWordStyle(line string) Style {
	s := t.DiffLineStyle(line)
	s.reverse = true
	return s.compile()
}
