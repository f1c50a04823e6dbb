package theme

import "strings"

// Sparkline draws values as columns of one cell each, the greatest as high as a
// cell. What is above 0 is higher than 0.
func (s Style) Sparkline(values []float64) string {
	var most float64
	for _, v := range values {
		most = max(most, v)
	}
	const low, levels = '▁', 7
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteRune(low)
			continue
		}
		b.WriteRune(low + 1 + rune(v/most*(levels-1)+0.5))
	}
	return s.paint(b.String())
}
