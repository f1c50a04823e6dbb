package theme

import (
	"strings"
	"testing"
)

// On a terminal of ToASCII every row keeps its cells and its colours, and nothing
// else is sent.
func TestASCII(t *testing.T) {
	th := New(Mode{Dark: true})
	rows := []string{
		th.Line.Text("╭─ ") + th.Strong.Cut("Ünïcode 会議.md", 20) + th.Line.Text(" ─╮"),
		th.Good.Text("● ready") + " ▲ ✗ ○ ◐ … · – → ← ↶ ⨯ × “a”",
		th.Accent.Sparkline([]float64{0, 1, 2, 3, 4, 5, 6, 7}) + "▐▕█░",
		"plain \x1b[1mbold\x1b[m",
		"e\u0301 and \U0001F600",
	}
	for _, row := range rows {
		got := ToASCII(row)
		if Width(got) != Width(row) || !isASCII(got) {
			t.Errorf("%q becomes %q: %d cells, want %d", row, got, Width(got), Width(row))
		}
		if strings.Count(got, "\x1b[") != strings.Count(row, "\x1b[") {
			t.Errorf("%q becomes %q, with other colours", row, got)
		}
	}
	if got := ToASCII("│ ● ready ▲ 会 …"); got != "| * ready ! ?? ~" {
		t.Errorf("got %q", got)
	}
}
