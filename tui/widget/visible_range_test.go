package widget

import "testing"

// Whatever is selected is drawn, no line stays empty while there are rows, and a
// long list moves once in a quarter of its lines.
func TestVisibleRange(t *testing.T) {
	for n := range 60 {
		for h := 1; h < 30; h++ {
			moved, last := 0, 0
			for cursor := range n {
				from, to := VisibleRange(n, cursor, h)
				if cursor < from || cursor >= to || to-from != min(n, h) || from < 0 || to > n {
					t.Fatalf("%d rows, %d selected, %d lines: %d to %d are drawn", n, cursor, h, from, to)
				}
				if from != last {
					moved, last = moved+1, from
				}
			}
			if most := (n-1)/max(1, h/4) + 1; moved > most {
				t.Errorf("%d rows in %d lines move %d times, at most %d wanted", n, h, moved, most)
			}
		}
	}
}
