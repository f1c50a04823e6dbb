package orgquery

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Finder looks for text whatever the case of its letters. It may be used by
// several goroutines.
type Finder struct {
	lower []byte // the text in lower case
	rare  int    // the byte of an ASCII text that is rarest in prose; -1 for other texts
}

// frequency has the letters of English prose and code from the most common on.
const frequency = " etaonrishldcumfpgwybvk-.,0x1:*/2j=q[]z"

// NewFinder returns a Finder of text.
func NewFinder(text string) *Finder {
	f := &Finder{lower: []byte(strings.ToLower(text)), rare: -1}
	best := -1
	for i, c := range f.lower {
		if c >= utf8.RuneSelf {
			f.rare = -1
			return f
		}
		rank := strings.IndexByte(frequency, c)
		if rank < 0 {
			rank = len(frequency)
		}
		if rank > best {
			best, f.rare = rank, i
		}
	}
	return f
}

func newFinders(texts []string) []*Finder {
	finders := make([]*Finder, len(texts))
	for i, t := range texts {
		finders[i] = NewFinder(t)
	}
	return finders
}

func findsAll(finders []*Finder, text []byte) bool {
	return !slices.ContainsFunc(finders, func(f *Finder) bool { return f.Index(text) < 0 })
}

// Index returns where the text stands in b, -1 if it does not.
func (f *Finder) Index(b []byte) int {
	if len(f.lower) == 0 {
		return 0
	}
	if f.rare < 0 {
		return f.indexLetters(b)
	}
	low := f.lower[f.rare]
	up := byte(unicode.ToUpper(rune(low)))
	nextLow, nextUp := -1, -1
	for at := f.rare; at < len(b); at++ {
		if nextLow < at {
			nextLow = indexFrom(b, at, low)
		}
		if nextUp < at {
			if nextUp = nextLow; up != low {
				nextUp = indexFrom(b, at, up)
			}
		}
		at = min(nextLow, nextUp)
		begin := at - f.rare
		if at >= len(b) || begin+len(f.lower) > len(b) {
			return -1
		}
		if equalFold(b[begin:begin+len(f.lower)], f.lower) {
			return begin
		}
	}
	return -1
}

func indexFrom(b []byte, at int, c byte) int {
	if n := bytes.IndexByte(b[at:], c); n >= 0 {
		return at + n
	}
	return len(b)
}

// equalFold compares ASCII letters whatever their case; lower is in lower case.
func equalFold(b, lower []byte) bool {
	for i, c := range lower {
		d := b[i]
		if d != c && (d < 'A' || d > 'Z' || d+'a'-'A' != c) {
			return false
		}
	}
	return true
}

// indexLetters is Index for text with letters outside of ASCII.
func (f *Finder) indexLetters(b []byte) int {
	first, _ := utf8.DecodeRune(f.lower)
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if unicode.ToLower(r) == first && hasFoldPrefix(b[at:], f.lower) {
			return at
		}
		at += n
	}
	return -1
}

// hasFoldPrefix says whether b starts with lower, whatever the case of b's
// letters.
func hasFoldPrefix(b, lower []byte) bool {
	for len(lower) > 0 {
		want, n := utf8.DecodeRune(lower)
		got, m := utf8.DecodeRune(b)
		if m == 0 || unicode.ToLower(got) != want {
			return false
		}
		lower, b = lower[n:], b[m:]
	}
	return true
}
