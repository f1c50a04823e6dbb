package inlinefield

import (
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

func TestFind(t *testing.T) {
	for _, c := range [][2]string{
		{"status:: active\n\n(rating:: 5)\n", "[{status active} {rating 5}]"},
		{"- **Due Date**:: 2026-01-02\r\n> a:: b\n- [ ] k:: v", "[{Due Date 2026-01-02} {a b} {k v}]"},
		{"text [a:: [[B|c]] (d)] and (e:: f (g)) [x](y::z) `[h:: i]`", "[{a [[B|c]] (d)} {e f (g)}]"},
		{"std::vector x\n\n\tcode:: no\n```\na:: b\n```\n$$\na:: b\n$$", "[]"},
		{"[a::1][b:: ] [c:: 2", "[{a 1} {b }]"},
		{"- [ ] task [due:: 2026-01-01] [p:: high]", "[{due 2026-01-01} {p high}]"},
		{"empty::\n:: none\n**:: none", "[{empty }]"},
	} {
		text, want := c[0], c[1]
		if got := fmt.Sprint(Find(text, structure.Lines(text, 0))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
