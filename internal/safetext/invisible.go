package safetext

import (
	"strings"
	"unicode"
)

// IsInvisible reports whether nothing of a text shows: it is empty, or has only blanks,
// controls, marks without a letter, and characters without width or ink, such as U+200B.
// It is no title of anything.
func IsInvisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		switch r {
		case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // fillers of Hangul, a cell of Braille without dots
			return false
		}
		return unicode.IsGraphic(r) && !unicode.In(r, unicode.Z, unicode.M, unicode.Cf)
	})
}
