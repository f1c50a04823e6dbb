package theme

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A region is where it was painted, whatever is cut or filled up around it, and
// unmarked nothing is painted for it.
func TestSpots(t *testing.T) {
	th := New(Mode{Dark: true})
	draw := func(t Theme) string {
		return Fit("│ "+t.MarkRowRegion(7, t.Strong.Fit("会議", 6))+" │ "+t.MarkScrollRegion(t.Dim.Text("beside"))+t.MarkKeyRegion('y', t.Key.Text("y yes")), 30)
	}
	line := draw(th.WithHitRegions())
	for x, want := range map[int]HitRegion{2: {Row: 7}, 7: {Row: 7}, 11: {Row: -1, Scrolls: true}, 17: {Row: -1, Key: 'y'}, 21: {Row: -1, Key: 'y'}} {
		if got, ok := HitRegionAt(line, x); !ok || got != want {
			t.Errorf("at %d: %+v, %v, want %+v", x, got, ok, want)
		}
	}
	for _, x := range []int{0, 1, 8, 9, 10, 22, 29, 99} {
		if got, ok := HitRegionAt(line, x); ok {
			t.Errorf("at %d: %+v", x, got)
		}
	}
	if ansi.Strip(line) != ansi.Strip(draw(th)) || draw(th) == line {
		t.Errorf("marked %q, unmarked %q", line, draw(th))
	}
	if got, ok := HitRegionAt(cut(line, 5), 4); !ok || got.Row != 7 {
		t.Errorf("cut: %+v, %v", got, ok)
	}
}
