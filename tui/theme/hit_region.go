package theme

import (
	"regexp"
	"strconv"
)

// A HitRegion is a place that can be clicked on.
type HitRegion struct {
	Row     int  // of a list, as its pane counts; -1: none
	Key     rune // the code of a key that is written there; 0: none
	Scrolls bool // text beside a list, which scrolls by itself
}

// WithHitRegions returns t with its spots marked in what it paints, by
// sequences that no terminal is to see. A caller that asks where something is
// draws once more with it, so that a frame that is shown costs nothing for it.
func (t Theme) WithHitRegions() Theme {
	t.hitRegions = true
	return t
}

// MarkRowRegion marks a painted row as the i-th of its list.
func (t Theme) MarkRowRegion(i int, painted string) string {
	return t.markRegion(firstRowRegion+i, painted)
}

// MarkKeyRegion marks painted text as the key with this code.
func (t Theme) MarkKeyRegion(code rune, painted string) string {
	return t.markRegion(-int(code), painted)
}

// MarkScrollRegion marks a painted row of text beside a list.
func (t Theme) MarkScrollRegion(painted string) string { return t.markRegion(scrollRegion, painted) }

// What stands in a mark: nothing any more, text beside a list, a row, or else a
// key, which is negative.
const (
	noRegion = iota
	scrollRegion
	firstRowRegion
)

func (t Theme) markRegion(n int, painted string) string {
	if !t.hitRegions {
		return painted
	}
	return regionSequence(n) + painted + regionSequence(noRegion)
}

// regionSequence is a control sequence that no one has given a meaning; a
// negative number is told by its second parameter.
func regionSequence(n int) string {
	if n < 0 {
		return "\x1b[" + strconv.Itoa(-n) + ";1z"
	}
	return "\x1b[" + strconv.Itoa(n) + "z"
}

var regionPattern = regexp.MustCompile(`\x1b\[([0-9]+)(;1)?z`)

// HitRegionAt is the region at column x of a line that a [Theme.WithHitRegions]
// painted.
func HitRegionAt(line string, x int) (s HitRegion, ok bool) {
	n := noRegion
	for _, m := range regionPattern.FindAllStringSubmatchIndex(line, -1) {
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
		return HitRegion{Row: -1, Key: rune(-n)}, true
	case n == scrollRegion:
		return HitRegion{Row: -1, Scrolls: true}, true
	case n >= firstRowRegion:
		return HitRegion{Row: n - firstRowRegion}, true
	default:
		return HitRegion{Row: -1}, false
	}
}
