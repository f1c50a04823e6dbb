package pane

import (
	"bytes"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A lens lets some lines of a ring through.
type lens struct {
	level  level  // this one and graver
	part   string // empty: all
	client string // that a line is about; empty: all, and those about none
	needle string // text that a line contains; without capitals the case does not matter
}

func (l lens) lets(r *ring, n uint64) bool {
	line := r.line(n)
	switch {
	case line.level == mark:
		return true
	case line.level < l.level:
		return false
	case l.part != "" && r.parts[line.part] != l.part:
		return false
	case l.client != "" && !r.crew.owns(l.client, r.text(line)):
		return false
	case l.needle == "":
		return true
	default:
		return l.find(r.text(line)) >= 0
	}
}

// find returns where text contains the needle, or -1.
func (l lens) find(text []byte) int {
	if l.needle != strings.ToLower(l.needle) {
		return bytes.Index(text, []byte(l.needle))
	}
	return indexFold(text, l.needle)
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
func (l lens) narrows(old lens) bool {
	return l.level >= old.level && (old.part == "" || l.part == old.part) && (old.client == "" || l.client == old.client) &&
		strings.HasPrefix(l.needle, old.needle) && l.needle == strings.ToLower(l.needle)
}

// A view is the numbers of the lines that a lens lets through, kept up as lines
// come and go, so that drawing looks at the rows on the screen alone.
type view struct {
	ring    *ring
	lens    lens
	numbers []uint64 // ascending; those before head are gone
	head    int
	search  search
	broken  broken
}

// broken is the line that was wrapped last, for the next row of it.
type broken struct {
	number uint64
	w      int
	rows   []string
}

// added takes note of the line with number n, the newest.
func (v *view) added(n uint64) {
	for v.head < len(v.numbers) && v.numbers[v.head] < v.ring.first {
		v.head++
	}
	if v.head > len(v.ring.lines) {
		v.numbers = v.numbers[:copy(v.numbers, v.numbers[v.head:])]
		v.head = 0
	}
	switch {
	case v.ring.crew.fresh && v.lens.client != "":
		v.all()
		v.seek(v.search)
	case v.lens.lets(v.ring, n):
		v.numbers = append(v.numbers, n)
		v.hit(n)
	}
	v.ring.crew.fresh = false
	v.forget()
}

// look changes the lens.
func (v *view) look(l lens) {
	if l == v.lens {
		return
	}
	if l.narrows(v.lens) {
		kept := v.numbers[:0]
		for _, n := range v.numbers[v.head:] {
			if l.lets(v.ring, n) {
				kept = append(kept, n)
			}
		}
		v.numbers = kept
		v.head, v.lens = 0, l
	} else {
		v.lens = l
		v.all()
	}
	v.seek(v.search)
}

// all looks at every line anew.
func (v *view) all() {
	v.head, v.numbers = 0, v.numbers[:0]
	for n := v.ring.first; n < v.ring.next; n++ {
		if v.lens.lets(v.ring, n) {
			v.numbers = append(v.numbers, n)
		}
	}
}

func (v *view) len() int { return len(v.numbers) - v.head }

// at returns the number of the i-th line, counted from the oldest.
func (v *view) at(i int) uint64 { return v.numbers[v.head+i] }

// find returns which line has number n, or is the first after it.
func (v *view) find(n uint64) int {
	i, _ := slices.BinarySearch(v.numbers[v.head:], n)
	return i
}

// has reports whether line n is among them.
func (v *view) has(n uint64) bool {
	i := v.find(n)
	return i < v.len() && v.at(i) == n
}

// wrapped returns the text of line n in rows of at most w cells.
func (v *view) wrapped(n uint64, w int) []string {
	if v.broken.number != n || v.broken.w != w {
		text := string(v.ring.text(v.ring.line(n)))
		v.broken = broken{n, w, strings.Split(ansi.Hardwrap(text, max(1, w), true), "\n")}
	}
	return v.broken.rows
}
