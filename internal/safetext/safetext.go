// Package safetext makes text of unknown origin harmless to a terminal: notes,
// file names, names of clients, output of other programs.
//
// It escapes and never deletes, so what was hidden in the text becomes
// visible. What is too long it cuts between characters. It is not HTML
// escaping, not a defence against what the words say, and it does not measure.
// Everything that shows such text imports it. Start reading at [Of].
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Text may be written to a terminal or a log file. Only [Of] and [Line] make
// one; converting a string variable is a mistake.
type Text string

// Of returns s with every rune that a terminal would obey or hide replaced by
// something visible:
//
//   - control characters other than newline and tab by their control picture
//     (escape becomes ␛), delete by ␡;
//   - C1 controls, format characters (directions, zero-width, tags), line and
//     paragraph separators, fillers that have no width and private use by
//     \u{…} with the code in hexadecimal;
//   - bytes that are not UTF-8 by \x and two hexadecimal digits.
//
// Clean text comes back as it is, without an allocation. Of(Of(s)) is Of(s).
func Of(s string) Text { return escape(s, false) }

// Line is [Of] for a place with room for one line: newline and tab are
// replaced by their control pictures too.
func Line(s string) Text { return escape(s, true) }

func escape(s string, oneLine bool) Text {
	clean := cleanPrefix(s, oneLine)
	if clean == len(s) {
		return Text(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:clean])
	for i := clean; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !isUnsafe(r, oneLine):
			b.WriteString(s[i : i+size])
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the block of control pictures is in the order of ASCII
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += size
	}
	return Text(b.String())
}

// cleanPrefix returns how many bytes of s need no escape.
func cleanPrefix(s string, oneLine bool) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if isUnsafe(rune(c), oneLine) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || isUnsafe(r, oneLine) {
			return i
		}
		i += size
	}
	return len(s)
}

// isUnsafe reports whether a terminal may interpret r, or show nothing for it.
func isUnsafe(r rune, oneLine bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return oneLine
	case r < 0x20 || r == 0x7f:
		return true
	case r < 0x7f:
		return false
	case r < 0xa0: // C1
		return true
	case r == 0x2028 || r == 0x2029:
		return true
	default:
		return unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point)
	}
}
