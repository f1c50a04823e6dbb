package theme

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns s as one line that a terminal shows and does not obey.
// Control characters become their control pictures (escape is ␛), delete ␡;
// C1 controls, format characters (directions, zero-width, tags), separators,
// fillers and private use become \u{…}; bytes that are not UTF-8 become \x and
// two digits. Nothing is deleted: what was hidden becomes visible.
//
// Clean text comes back as it is, without an allocation, and Plain(Plain(s)) is
// Plain(s). Every [Style] passes its text through it.
func Plain(s string) string {
	clean := cleanPrefix(s)
	if clean == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:clean])
	for i := clean; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !obeyed(r):
			b.WriteString(s[i : i+size])
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the control pictures are in the order of ASCII
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += size
	}
	return b.String()
}

// Lines splits s at its newlines, for text that has a shape of its own, such as
// a snippet or a diff. Tabs become four spaces. The lines are not Plain yet.
func Lines(s string) []string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", "    ")
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

func cleanPrefix(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if obeyed(rune(c)) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || obeyed(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// obeyed reports whether a terminal may act on r, or show nothing for it.
func obeyed(r rune) bool {
	switch {
	case r < 0x20 || r == 0x7f:
		return true
	case r < 0x7f:
		return false
	case r < 0xa0 || r == 0x2028 || r == 0x2029:
		return true
	default:
		return unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point)
	}
}
