package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/nearest"
)

// A Fault is one thing wrong with the file.
type Fault struct {
	Line, Column int    // from 1; the column counts characters
	Key          string // "hub.port", "source[1].kind"; empty if the text is not TOML
	Msg          string // what is wrong and what is allowed
}

// An Error is everything wrong with a configuration file, in the order of the
// file.
type Error struct {
	Path   string
	Faults []Fault
}

// Error returns one line for each fault, as compilers print them.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.Format(e.Path)
	}
	return strings.Join(lines, "\n")
}

// Format returns the fault as one line that begins with the file and the
// position.
func (f Fault) Format(file string) string {
	key := f.Key
	if key != "" {
		key += ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", file, f.Line, f.Column, key, f.Msg)
}

// unknownWord says that a word is not allowed, which one was probably meant,
// and which are allowed.
func unknownWord(what, word string, known []string) string {
	known = slices.Sorted(slices.Values(known))
	msg := "unknown " + what
	if near := nearest.Word(word, known); near != "" {
		msg += fmt.Sprintf(", did you mean %s?", near)
	}
	if len(known) == 0 {
		return msg
	}
	return fmt.Sprintf("%s (allowed: %s)", msg, strings.Join(known, ", "))
}
