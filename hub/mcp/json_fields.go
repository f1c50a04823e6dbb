package mcp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// eachField calls f with each key and value of a JSON object, in their order.
// The object must be valid. encoding/json would copy every value into a map.
func eachField(object []byte, f func(key []byte, value json.RawMessage)) {
	rest := bytes.TrimSpace(object)[1:]
	for {
		rest = bytes.TrimLeft(rest, ", \t\r\n")
		if rest[0] == '}' {
			return
		}
		n := valueSize(rest)
		key := unquote(rest[:n])
		rest = bytes.TrimLeft(rest[n:], ": \t\r\n")
		n = valueSize(rest)
		f(key, json.RawMessage(rest[:n:n]))
		rest = rest[n:]
	}
}

// unquote reads a JSON string.
func unquote(quoted []byte) []byte {
	plain := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is valid
	return []byte(s)
}

// valueSize is the length of the JSON value that valid JSON begins with.
func valueSize(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(b) && bytes.IndexByte([]byte(",:}] \t\r\n"), b[i+1]) < 0 {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(b)
}
