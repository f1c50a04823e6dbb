package theme

import (
	"regexp"
	"strconv"
)

// A Spot is a place that can be clicked on.
type Spot struct {
	Row   int  // of a list, as its pane counts; -1: none
	Key   rune // the code of a key that is written there; 0: none
	Aside bool // text beside a list, which scrolls by itself
}

// Marked returns t with its spots marked in what it paints, by sequences that
// no terminal is to see. Whoever asks where something is draws once more with
// it, so that a frame that is shown costs nothing for it.
func (t Theme) Marked() Theme {
	t.marked = true
	return t
}

// Spot marks a painted row as the i-th of its list.
func (t Theme) Spot(i int, painted string) string { return t.mark(firstRow+i, painted) }

// Button marks painted text as the key with this code.
func (t Theme) Button(code rune, painted string) string { return t.mark(-int(code), painted) }

// Aside marks a painted row of text beside a list.
func (t Theme) Aside(painted string) string { return t.mark(aside, painted) }

// What stands in a mark: nothing any more, text beside a list, a row, or else a
// key, which is negative.
const (
	noSpot = iota
	aside
	firstRow
)

func (t Theme) mark(n int, painted string) string {
	if !t.marked {
		return painted
	}
	return sequence(n) + painted + sequence(noSpot)
}

// sequence is a control sequence that nobody has given a meaning; a negative
// number is told by its second parameter.
func sequence(n int) string {
	if n < 0 {
		return "\x1b[" + strconv.Itoa(-n) + ";1z"
	}
	return "\x1b[" + strconv.Itoa(n) + "z"
}

var marks = regexp.MustCompile(`\x1b\[([0-9]+)(;1)?z`)

// At is the spot at column x of a line that a [Theme.Marked] painted.
func At(line string, x int) (s Spot, ok bool) {
	n := noSpot
	for _, m := range marks.FindAllStringSubmatchIndex(line, -1) {
		if Width(line[:m[0]]) > x {
			break
		}
		n, _ = strconv.Atoi(line[m[2]:m[3]]) // digits, and few
		if m[4] >= 0 {
			n = -n
		}
	}
	switch {
	case n < 0:
		return Spot{Row: -1, Key: rune(-n)}, true
	case n == aside:
		return Spot{Row: -1, Aside: true}, true
	case n >= firstRow:
		return Spot{Row: n - firstRow}, true
	default:
		return Spot{Row: -1}, false
	}
}
