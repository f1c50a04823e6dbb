package theme_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// What Width counts by itself is what the library says, beside what it does not count
// as well: marks that join the character before, wide ones, and cut sequences.
func TestWidthIsThatOfTheLibrary(t *testing.T) {
	parts := []string{
		"a", " ", "~", "word", "·", "…", "—", "▸", "●", "○", "→", "✗", "◆", "‹", "│", "─", "█", "▟", "▶", "✓", "é", "e\u0301", "│\u0301", "●\ufe0f", "←\u20d7", "✗\ufe0f", "日本", "👩‍💻",
		"\u200d", "\u00ad", "\u0600", "\u1100", "\u1161", "\x1b[m", "\x1b[1;38;2;10;20;30m", "\x1b[4:3m", "\x1b[?25l", "\x1b[12;1z",
		"\x1b]8;;http://a\x1b\\", "\x1b[12", "\x1b[1 q", "\x1b", "\x1b[", "\x7f", "\x01", "\t", "\n", "\r\n", "\xff", "\xe2\x94",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b strings.Builder
		for range rnd.IntN(8) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		if got, want := theme.Width(b.String()), ansi.StringWidth(b.String()); got != want {
			t.Fatalf("%q takes %d cells, want %d", b.String(), got, want)
		}
	}
	for r := rune(0x2000); r <= 0x27ff; r++ {
		if want := ansi.StringWidth(string(r)); theme.Width(string(r)) != want {
			t.Errorf("%q takes %d cells, want %d", r, theme.Width(string(r)), want)
		}
	}
}
