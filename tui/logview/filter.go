package pane

import (
	"bytes"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Filter lets some lines of a ring through.
type Filter struct {
	Level  level  // this one and graver
	Part   string // empty: all
	Client string // that a line is about; empty: all, and those about none
	Text   string // text that a line contains; without capitals the case does not matter
}

func (l Filter) matches(r *ring, n uint64) bool {
	line := r.line(n)
	switch {
	case line.level == remarkLevel:
		return true
	case line.level < l.Level:
		return false
	case l.Part != "" && r.parts[line.part] != l.Part:
		return false
	case l.Client != "" && !r.clients.owns(l.Client, r.text(line)):
		return false
	case l.Text == "":
		return true
	default:
		return l.Find(r.text(line)) >= 0
	}
}

// Find returns where text contains the needle, or -1.
func (l Filter) Find(text []byte) int {
	if l.Text != strings.ToLower(l.Text) {
		return bytes.Index(text, []byte(l.Text))
	}
	return indexFold(text, l.Text)
}

// indexFold is strings.Index for a needle in lower case, blind to the case of
// ASCII letters.
func indexFold(text []byte, needle string) int {
	for i := 0; i+len(needle) <= len(text); i++ {
		j := 0
		for j < len(needle) && lower(text[i+j]) == needle[j] {
			j++
		}
		if j == len(needle) {
			return i
		}
	}
	return -1
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// narrows reports whether everything l lets through is let through by old too,
// as when a person types on in a filter.
func (l Filter) narrows(old Filter) bool {
	return l.Level >= old.Level && (old.Part == "" || l.Part == old.Part) && (old.Client == "" || l.Client == old.Client) &&
		strings.HasPrefix(l.Text, old.Text) && l.Text == strings.ToLower(l.Text)
}

// A filteredLog is the numbers of the lines that a lens lets through, kept up as lines
// come and go, so that drawing looks at the rows on the screen alone.
type filteredLog struct {
	ring      *ring
	filter    Filter
	numbers   []uint64 // ascending; those before head are gone
	head      int
	search    search
	wrapCache wrappedLine
}

// wrappedLine is the line that was wrapped last, for the next row of it.
type wrappedLine struct {
	number uint64
	w      int
	rows   []string
}

// lineAdded takes note of the line with number n, the newest.
func (v *filteredLog) lineAdded(n uint64) {
	for v.head < len(v.numbers) && v.numbers[v.head] < v.ring.first {
		v.head++
	}
	if v.head > len(v.ring.lines) {
		v.numbers = v.numbers[:copy(v.numbers, v.numbers[v.head:])]
		v.head = 0
	}
	switch {
	case v.ring.clients.changed && v.filter.Client != "":
		v.refilter()
		v.setSearch(v.search)
	case v.filter.matches(v.ring, n):
		v.numbers = append(v.numbers, n)
		v.recordHit(n)
	}
	v.ring.clients.changed = false
	v.dropGoneHits()
}

// setFilter changes the lens.
func (v *filteredLog) setFilter(l Filter) {
	if l == v.filter {
		return
	}
	if l.narrows(v.filter) {
		kept := v.numbers[:0]
		for _, n := range v.numbers[v.head:] {
			if l.matches(v.ring, n) {
				kept = append(kept, n)
			}
		}
		v.numbers = kept
		v.head, v.filter = 0, l
	} else {
		v.filter = l
		v.refilter()
	}
	v.setSearch(v.search)
}

// refilter looks at every line anew.
func (v *filteredLog) refilter() {
	v.head, v.numbers = 0, v.numbers[:0]
	for n := v.ring.first; n < v.ring.next; n++ {
		if v.filter.matches(v.ring, n) {
			v.numbers = append(v.numbers, n)
		}
	}
}

func (v *filteredLog) len() int { return len(v.numbers) - v.head }

// at returns the number of the i-th line, counted from the oldest.
func (v *filteredLog) at(i int) uint64 { return v.numbers[v.head+i] }

// find returns which line has number n, or is the first after it.
func (v *filteredLog) find(n uint64) int {
	i, _ := slices.BinarySearch(v.numbers[v.head:], n)
	return i
}

// has reports whether line n is among them.
func (v *filteredLog) has(n uint64) bool {
	i := v.find(n)
	return i < v.len() && v.at(i) == n
}

// wrapped returns the text of line n in rows of at most w cells.
func (v *filteredLog) wrapped(n uint64, w int) []string {
	if v.wrapCache.number != n || v.wrapCache.w != w {
		text := string(v.ring.text(v.ring.line(n)))
		v.wrapCache = wrappedLine{n, w, strings.Split(ansi.Hardwrap(text, max(1, w), true), "\n")}
	}
	return v.wrapCache.rows
}
