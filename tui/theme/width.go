package theme

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many cells painted text takes. Nearly all rows of a screen are ASCII,
// lines and colours, which are counted; the library that knows grapheme clusters is asked
// about the others.
func Width(painted string) int {
	w := 0
	for i := 0; i < len(painted); {
		n, cells := simpleCharacterWidth(painted[i:])
		if n == 0 {
			return ansi.StringWidth(painted)
		}
		i, w = i+n, w+cells
	}
	return w
}

// simpleCharacterWidth is how many bytes of s are a character of one cell that joins no other, or
// a control sequence, which takes none; 0 bytes: something else.
func simpleCharacterWidth(s string) (n, cells int) {
	switch c := s[0]; {
	case 0x20 <= c && c <= 0x7e:
		return 1, 1
	case c == '\x1b':
		return controlSequenceLen(s), 0
	case c < utf8.RuneSelf:
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if 0x2500 <= r && r <= 0x259f /* lines and blocks */ || 0x2190 <= r && r <= 0x2193 /* arrows */ {
		return n, 1
	}
	switch r { // what else the panel draws often
	case '·', '…', '—', '–', '•', '‹', '›', '▸', '▾', '▲', '●', '○', '◐', '◆', '✗':
		return n, 1
	}
	return 0, 0
}

// controlSequenceLen is how many bytes the control sequence takes with which s begins
// (ECMA-48, 5.4): CSI, parameters, and a final byte; 0: it is none, or has more.
func controlSequenceLen(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case 0x30 <= c && c <= 0x3f:
		case 0x40 <= c && c <= 0x7e:
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
