package theme

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// reset ends what a Style began.
const reset = "\x1b[m"

// maxTextBytes is how much of one text is drawn: more than a line of any screen
// holds, so that a text of a megabyte costs no more than one of a page.
const maxTextBytes = 4096

func truncateAndSanitize(text string) string { return Sanitize(TruncateBytes(text, maxTextBytes)) }

// TruncateBytes returns the first n bytes of s at most, in whole characters and with
// an ellipsis where something was cut.
func TruncateBytes(s string, n int) string { return safetext.Shorten(s, n) }

// Text paints text, made [Sanitize].
func (s Style) Text(text string) string { return s.paint(truncateAndSanitize(text)) }

// Cut is Text in at most w cells; what was cut ends with an ellipsis.
func (s Style) Cut(text string, w int) string { return s.paint(cut(truncateAndSanitize(text), w)) }

// Fit is Text in exactly w cells.
func (s Style) Fit(text string, w int) string {
	text, taken := cutToWidth(truncateAndSanitize(text), w)
	return s.paint(text + Spaces(w-taken))
}

// FitRight is [Style.Fit] with the text at the right end, for numbers.
func (s Style) FitRight(text string, w int) string {
	text, taken := cutToWidth(truncateAndSanitize(text), w)
	return s.paint(Spaces(w-taken) + text)
}

// CutLeft is [Style.Cut] that keeps the end of the text: the folder of a path.
func (s Style) CutLeft(text string, w int) string {
	if len(text) > maxTextBytes {
		text = text[len(text)-maxTextBytes:] // a rune that is cut here falls to the ellipsis
	}
	text = Sanitize(text)
	if over := Width(text) - w; over > 0 && w > 1 {
		text = ansi.TruncateLeft(text, over+1, "…")
	}
	return s.paint(cut(text, w))
}

// Wrap is Text in as many lines of at most w cells as it takes, broken at
// spaces where there are some.
func (s Style) Wrap(text string, w int) []string {
	lines := WrapText(text, w)
	for i := range lines {
		lines[i] = s.paint(lines[i])
	}
	return lines
}

// WrapText is text, made [Sanitize], in lines of at most w cells.
func WrapText(text string, w int) []string {
	return strings.Split(ansi.Wrap(truncateAndSanitize(text), max(1, w), ""), "\n")
}

func (s Style) paint(text string) string {
	if s.start == "" || text == "" {
		return text
	}
	return s.start + text + reset
}

// Fit makes painted text exactly w cells wide: cut with an ellipsis, or
// filled up with spaces.
func Fit(painted string, w int) string {
	painted, taken := cutToWidth(painted, w)
	return painted + Spaces(w-taken)
}

// Spaces is n spaces; none when n is not positive.
func Spaces(n int) string {
	const some = "                                                                                "
	switch {
	case n <= 0:
		return ""
	case n <= len(some):
		return some[:n]
	default:
		return strings.Repeat(" ", n)
	}
}

func cut(painted string, w int) string {
	painted, _ = cutToWidth(painted, w)
	return painted
}

// cutToWidth is cut, with the cells that are left.
func cutToWidth(painted string, w int) (text string, taken int) {
	if w <= 0 {
		return "", 0
	}
	if taken = Width(painted); taken <= w {
		return painted, taken
	}
	text = ansi.Truncate(painted, w, "…")
	return text, Width(text)
}
