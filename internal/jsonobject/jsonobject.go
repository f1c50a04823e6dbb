// Package jsonobject walks over the outermost level of a JSON object without a copy
// of it, at a fraction of what encoding/json costs. It does not check JSON: that is
// [encoding/json.Valid], which its callers have asked.
//
// hub/mcp and supervisor/shim read frames by it. Start reading at [Each].
package jsonobject

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Each calls f with each key and value of a JSON object, in their order. Values are
// parts of object, up to its end: append to none. Keys may be. The object must be valid.
func Each(object []byte, f func(key []byte, value json.RawMessage)) {
	rest := bytes.TrimSpace(object)[1:]
	for {
		rest = bytes.TrimLeft(rest, ", \t\r\n")
		if rest[0] == '}' {
			return
		}
		n := valueSize(rest)
		key := Unquote(rest[:n])
		rest = bytes.TrimLeft(rest[n:], ": \t\r\n")
		n = valueSize(rest)
		f(key, json.RawMessage(rest[:n]))
		rest = rest[n:]
	}
}

// Unquote reads a JSON string, which must be valid. The answer may be a part of it.
func Unquote(quoted []byte) []byte {
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
