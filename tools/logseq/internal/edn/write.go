package edn

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String encodes text as an EDN string. Control characters are escaped, so
// that nothing in it can end the string.
func String(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < ' ' || c == 0x7f || c == 0x2028 || c == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Float encodes a number from JSON; whole numbers have no point. Infinity and
// NaN become nil.
func Float(f float64) string {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "nil"
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.FormatInt(int64(f), 10)
	default:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
}
