package logseqfile

import (
	"net/url"
	"strings"
)

// encodeBytes percent-encodes those characters, all of ASCII, in a text.
func encodeBytes(text, characters string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(characters, c) >= 0 {
			b.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// decodePercent decodes %41. As a whole: letters of several bytes too, but nothing if
// any is damaged.
func decodePercent(text string, whole bool) string {
	if whole {
		if decoded, err := url.PathUnescape(text); err == nil && strings.ToValidUTF8(decoded, "") == decoded {
			return decoded
		}
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			if c := hexValue(text[i+1])<<4 | hexValue(text[i+2]); c < 0x80 {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}
