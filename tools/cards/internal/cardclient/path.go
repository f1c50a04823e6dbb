package cardclient

import (
	"fmt"
	"strings"
)

// Path joins parts to an escaped path: "cards", NAME, "children".
func Path(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("/" + escapeName(part))
	}
	return b.String()
}

// escapeName escapes a name for a path. A plus stays itself, and a full stop does not:
// Decko takes what follows one for a format.
func escapeName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_~+", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
