package theme

import (
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// Sanitize returns s as one line that a terminal shows and does not obey, by the
// rules of [safetext.Line]. Every [Style] passes its text through it.
func Sanitize(s string) string { return string(safetext.Line(s)) }

// SplitLines splits s at its newlines, for text that has a shape of its own,
// such as a snippet or a diff. Tabs become four spaces. The lines are not sanitized
// yet.
func SplitLines(s string) []string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", "    ")
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}
