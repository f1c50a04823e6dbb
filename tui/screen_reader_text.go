package tui

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// What stands before a line that is drawn in reverse: a row that is selected,
// or a place for text.
const (
	selectedPrefix = "Selected: "
	typingPrefix   = "Typing: "
)

var (
	reversePattern = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*7m`)
	// A cursorPattern is one cell in reverse; behind one with nothing typed stands a
	// faint hint.
	cursorPattern = regexp.MustCompile(`\x1b\[7m([^\x1b]*)\x1b\[m`)
	rulePattern   = regexp.MustCompile(` ?─[─ ]*`) // between the title of a part and what is said of it
	hintPattern   = regexp.MustCompile(`\x1b\[7m \x1b\[m\x1b\[2m([^\x1b]*)\x1b\[m`)
)

// glyphWords are signs as words. Where a word stands beside one it is dropped:
// who hears "black circle ready" is told nothing by the circle. A box is checked or
// not, because "selected" is said of the row that the keys are about; a hunk is chosen,
// or says itself that it is left out.
var glyphWords = strings.NewReplacer(
	"╭", "", "╮", "", "╰", "", "╯", "", "│", " ",
	"●", "", "◐", "", "◑", "", "▲", "", "✗", "", "○", "", "◆", "", "•", "", "⏎", "", "▸", "", "‹", "", "›", "",
	"▁", "", "▂", "", "▃", "", "▄", "", "▅", "", "▆", "", "▇", "", "█", "", "░", "", "┼", "",
	"⨯", "undone:", "↶", "an undo:", "[x] hunk", "chosen: hunk", "[ ] hunk", "hunk", "[x]", "checked:", "[ ]", "not checked:",
	" · ", ", ", "·", "", " – ", " none ",
	"→/", "right/", "←/", "left/", "↑/", "up/", "↓/", "down/", "↑↓", "up and down", "→", "to", "←", "from", "↑", "up", "↓", "down",
)

// spokenLineText is a drawn line as words; empty: there is nothing to say.
func spokenLineText(drawn string) string {
	if !strings.ContainsAny(drawn, "\x1b▸") {
		return plainText(drawn)
	}
	switch at := cursorPattern.FindStringSubmatch(drawn); {
	case plainText(drawn) == "":
		return ""
	case hintPattern.MatchString(drawn):
		return typingPrefix + plainText(hintPattern.ReplaceAllString(drawn, "empty, such as $1"))
	case at != nil && theme.Width(at[1]) <= 2 && len(reversePattern.FindAllString(drawn, 2)) == 1:
		return typingPrefix + plainText(drawn)
	case reversePattern.MatchString(drawn), strings.HasPrefix(strings.Trim(ansi.Strip(drawn), " │"), "▸"):
		return selectedPrefix + plainText(drawn)
	default:
		return plainText(drawn)
	}
}

func plainText(drawn string) string {
	text := strings.Join(strings.Fields(glyphWords.Replace(ansi.Strip(drawn))), " ")
	return strings.Trim(rulePattern.ReplaceAllString(text, ", "), ", ")
}

// trimSelectedPrefix is a spoken line without what tells that it is selected.
func trimSelectedPrefix(line string) string { return strings.TrimPrefix(line, selectedPrefix) }
