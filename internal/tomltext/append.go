package tomltext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Append returns text with block, which begins with a table header, after a
// blank line at the end. The block gets the line endings of the text.
func Append(text []byte, block string) []byte {
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		block, eol = strings.ReplaceAll(block, "\n", "\r\n"), "\r\n"
	}
	after := slices.Clone(text)
	bare := bytes.TrimPrefix(text, []byte(BOM))
	if len(bare) > 0 && bare[len(bare)-1] != '\n' {
		after = append(after, eol...)
	}
	if len(bytes.TrimSpace(bare)) > 0 && !bytes.HasSuffix(after, []byte(eol+eol)) {
		after = append(after, eol...)
	}
	return append(after, block...)
}

// Quote writes a string, as a literal string if that avoids backslashes.
func Quote(s string) string {
	special := strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
	if strings.Contains(s, `\`) && !strings.Contains(s, "'") && !special {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
