package tomltext

import (
	"bytes"
	"slices"
)

// After returns text with more inserted right behind the string at path, which
// may be an element of a list. It returns false if there is no string at path.
func After(text []byte, path, more string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	from, ok := ParseOutline(bare).Values[path]
	if !ok {
		return nil, false
	}
	n := stringAt(bare[from:])
	if n == 0 {
		return nil, false
	}
	at := len(text) - len(bare) + from + n
	return slices.Concat(text[:at], []byte(more), text[at:]), true
}

// stringAt returns the length of the one-line string that text begins with; 0
// if it begins with none.
func stringAt(text []byte) int {
	if len(text) == 0 || text[0] != '"' && text[0] != '\'' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n':
			return 0
		}
	}
	return 0
}
