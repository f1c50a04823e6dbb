package theme

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// reset ends what a Style began.
const reset = "\x1b[m"

// longest is how many bytes of one text are looked at: more than a line of any
// screen holds, so that a text of a megabyte costs no more than one of a page.
const longest = 4096

// safe is text made [Plain], and no longer than can be of use.
func safe(text string) string {
	if len(text) > longest {
		n := longest
		for n > longest-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + "…"
	}
	return Plain(text)
}

// Text paints text, made [Plain].
func (s Style) Text(text string) string { return s.paint(safe(text)) }

// Cut is Text in at most w cells; what was cut ends with an ellipsis.
func (s Style) Cut(text string, w int) string { return s.paint(cut(safe(text), w)) }

// Fit is Text in exactly w cells.
func (s Style) Fit(text string, w int) string {
	text = cut(safe(text), w)
	return s.paint(text + Space(w-Width(text)))
}

// Right is [Style.Fit] with the text at the right end, for numbers.
func (s Style) Right(text string, w int) string {
	text = cut(safe(text), w)
	return s.paint(Space(w-Width(text)) + text)
}

// Tail is [Style.Cut] that keeps the end of the text: the folder of a path.
func (s Style) Tail(text string, w int) string {
	if len(text) > longest {
		text = text[len(text)-longest:] // a rune that is cut here falls to the ellipsis
	}
	text = Plain(text)
	if over := Width(text) - w; over > 0 && w > 1 {
		text = ansi.TruncateLeft(text, over+1, "…")
	}
	return s.paint(cut(text, w))
}

// Wrapped is Text in as many lines of at most w cells as it takes, broken at
// spaces where there are some.
func (s Style) Wrapped(text string, w int) []string {
	lines := Broken(text, w)
	for i := range lines {
		lines[i] = s.paint(lines[i])
	}
	return lines
}

// Broken is text, made [Plain], in lines of at most w cells.
func Broken(text string, w int) []string {
	return strings.Split(ansi.Wrap(safe(text), max(1, w), ""), "\n")
}

func (s Style) paint(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + reset
}

// Width is how many cells painted text takes.
func Width(painted string) int {
	for i := range len(painted) {
		if c := painted[i]; c < 0x20 || c > 0x7e {
			return ansi.StringWidth(painted)
		}
	}
	return len(painted) // plain ASCII, the usual case
}

// Fill makes painted text exactly w cells wide: cut with an ellipsis, or
// filled up with spaces.
func Fill(painted string, w int) string {
	painted = cut(painted, w)
	return painted + Space(w-Width(painted))
}

// Space is n spaces; none when n is not positive.
func Space(n int) string {
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
	switch {
	case w <= 0:
		return ""
	case Width(painted) <= w:
		return painted
	default:
		return ansi.Truncate(painted, w, "…")
	}
}
