package logview

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/widget"
)

// A filter lets some lines of a ring through.
type filter struct {
	level     level  // this one and more severe ones
	component string // empty: all
	client    string // that a line is about; empty: all, and lines about none
	text      string // that a line contains, by the rules of widget.PatternIndex
}

func (f filter) matches(r *ring, n uint64) bool {
	line := r.line(n)
	switch {
	case line.level == remarkLevel:
		return true
	case line.level < f.level:
		return false
	case f.component != "" && line.component != f.component:
		return false
	case f.client != "" && line.older:
		return attributeValue(line.text, " client=") == f.client && widget.MatchesFilter(line.text, f.text)
	case f.client != "" && !r.clients.isLineOfClient(f.client, line.text):
		return false
	default:
		return widget.MatchesFilter(line.text, f.text)
	}
}

// A filteredLog is the numbers of the lines that a filter lets through, kept up
// to date as lines come and go, so that drawing looks only at the rows on the
// screen.
type filteredLog struct {
	ring      *ring
	filter    filter
	numbers   []uint64 // ascending; those before head are gone
	head      int
	wrapCache wrappedLine
}

// wrappedLine is the line that was wrapped last, for the next row of it.
type wrappedLine struct {
	number uint64
	w      int
	rows   []string
}

// addLine takes note of the line with number n, the newest.
func (v *filteredLog) addLine(n uint64) {
	for v.head < len(v.numbers) && v.numbers[v.head] < v.ring.first {
		v.head++
	}
	if v.head > len(v.ring.lines) {
		v.numbers = v.numbers[:copy(v.numbers, v.numbers[v.head:])]
		v.head = 0
	}
	switch {
	case v.ring.clients.changed && v.filter.client != "":
		v.refilter()
	case v.filter.matches(v.ring, n):
		v.numbers = append(v.numbers, n)
	}
	v.ring.clients.changed = false
}

func (v *filteredLog) setFilter(f filter) {
	if f != v.filter {
		v.filter = f
		v.refilter()
	}
}

// refilter matches every line again.
func (v *filteredLog) refilter() {
	v.head, v.numbers = 0, v.numbers[:0]
	for n := v.ring.first; n < v.ring.next; n++ {
		if v.filter.matches(v.ring, n) {
			v.numbers = append(v.numbers, n)
		}
	}
}

func (v *filteredLog) len() int { return len(v.numbers) - v.head }

// lineNumberAt returns the number of the i-th line, counted from the oldest.
func (v *filteredLog) lineNumberAt(i int) uint64 { return v.numbers[v.head+i] }

// lineIndex returns which line has number n, or is the first after it.
func (v *filteredLog) lineIndex(n uint64) int {
	i, _ := slices.BinarySearch(v.numbers[v.head:], n)
	return i
}

// wrapLine returns the text of line n in rows of at most w cells.
func (v *filteredLog) wrapLine(n uint64, w int) []string {
	if v.wrapCache.number != n || v.wrapCache.w != w {
		v.wrapCache = wrappedLine{n, w, strings.Split(ansi.Hardwrap(v.ring.line(n).shownText(), max(1, w), true), "\n")}
	}
	return v.wrapCache.rows
}
