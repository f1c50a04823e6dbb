package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong with the file.
type Fault struct {
	Line, Column int    // from 1; the column counts characters
	Key          string // "hub.port", "source[1].kind"; empty: the text is no TOML
	Msg          string // what is wrong and what is allowed
}

// Error is everything wrong with a configuration file, in its order.
type Error struct {
	Path   string
	Faults []Fault
}

// Error implements error: one line for each fault, as compilers print them.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.In(e.Path)
	}
	return strings.Join(lines, "\n")
}

// In returns the fault as one line that begins with the file and the position.
func (f Fault) In(file string) string {
	key := f.Key
	if key != "" {
		key += ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", file, f.Line, f.Column, key, f.Msg)
}

// unknown says that word is none of the known ones, and which it may have
// meant.
func unknown(what, word string, known []string) string {
	known = slices.Sorted(slices.Values(known))
	msg := "unknown " + what
	if near := Nearest(word, known); near != "" {
		msg += fmt.Sprintf(", did you mean %s?", near)
	}
	if len(known) == 0 {
		return msg
	}
	return fmt.Sprintf("%s (allowed: %s)", msg, strings.Join(known, ", "))
}

// Nearest returns the word of known that a person who typed word most likely
// meant; empty: none comes near.
func Nearest(word string, known []string) string {
	best, least := "", max(len(word)/2, 1)+1
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = corner
			} else {
				row[j+1] = 1 + min(corner, above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}
