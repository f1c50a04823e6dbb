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
	selectedWord = "Selected: "
	typingWord   = "Typing: "
)

var (
	reversed = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*7m`)
	// A cursor is one cell in reverse; behind one with nothing typed stands a
	// faint hint.
	cursor = regexp.MustCompile(`\x1b\[7m([^\x1b]*)\x1b\[m`)
	rule   = regexp.MustCompile(` ?─[─ ]*`) // between the title of a part and what is said of it
	hinted = regexp.MustCompile(`\x1b\[7m \x1b\[m\x1b\[2m([^\x1b]*)\x1b\[m`)
)

// glyphs are signs as words. Where a word stands beside one it is dropped: who
// hears "black circle ready" is told nothing by the circle.
var glyphs = strings.NewReplacer(
	"╭", "", "╮", "", "╰", "", "╯", "", "│", " ",
	"●", "", "◐", "", "◑", "", "▲", "", "✗", "", "○", "", "◆", "", "•", "", "⏎", "", "▸", "", "‹", "", "›", "",
	"▁", "", "▂", "", "▃", "", "▄", "", "▅", "", "▆", "", "▇", "", "█", "", "░", "",
	"⨯", "undone:", "↶", "an undo:", "[x]", "chosen:", "[ ]", "not chosen:",
	" · ", ", ", "·", "", " – ", " none ",
	"→/", "right/", "←/", "left/", "↑/", "up/", "↓/", "down/", "↑↓", "up and down", "→", "to", "↑", "up", "↓", "down",
)

// spoken is a drawn line as words; empty: there is nothing to say.
func spoken(drawn string) string {
	if !strings.ContainsAny(drawn, "\x1b▸") {
		return words(drawn)
	}
	switch at := cursor.FindStringSubmatch(drawn); {
	case words(drawn) == "":
		return ""
	case hinted.MatchString(drawn):
		return typingWord + words(hinted.ReplaceAllString(drawn, "empty, such as $1"))
	case at != nil && theme.Width(at[1]) <= 2 && len(reversed.FindAllString(drawn, 2)) == 1:
		return typingWord + words(drawn)
	case reversed.MatchString(drawn), strings.HasPrefix(strings.Trim(ansi.Strip(drawn), " │"), "▸"):
		return selectedWord + words(drawn)
	default:
		return words(drawn)
	}
}

func words(drawn string) string {
	text := strings.Join(strings.Fields(glyphs.Replace(ansi.Strip(drawn))), " ")
	return strings.Trim(rule.ReplaceAllString(text, ", "), ", ")
}

// unmarked is a spoken line without what tells that it is selected.
func unmarked(line string) string { return strings.TrimPrefix(line, selectedWord) }
