// Package jsonobject walks over the outermost level of a JSON object without a copy
// of it, at a fraction of what encoding/json costs. It is no validation: of a value it
// sees only where it ends.
//
// hub/mcp and supervisor/shim read frames by it. Start reading at [Each].
package jsonobject

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Each calls f with each key and value of a JSON object, in their order, and reports
// whether object is one object that ends, with nothing but space around it. Values are
// parts of object, up to its end, and never empty: append to none. Keys may be. Of what
// is no valid JSON it stops at the first member that it cannot tell from its neighbours.
func Each(object []byte, f func(key []byte, value json.RawMessage)) (whole bool) {
	at := skipSpace(object, 0)
	if !has(object, at, '{') {
		return false
	}
	at = skipSpace(object, at+1)
	if has(object, at, '}') {
		return skipSpace(object, at+1) == len(object)
	}
	for {
		keyEnd := skipString(object, at)
		colon := skipSpace(object, keyEnd)
		if !has(object, at, '"') || !has(object, colon, ':') {
			return false
		}
		start := skipSpace(object, colon+1)
		end := skipValue(object, start)
		next := skipSpace(object, end)
		more := has(object, next, ',')
		if end == start || !more && !has(object, next, '}') {
			return false
		}
		f(Unquote(object[at:keyEnd]), json.RawMessage(object[start:end]))
		if at = skipSpace(object, next+1); !more {
			return at == len(object)
		}
	}
}

// Unquote reads a JSON string with its quotes; "" where what it spells is not valid.
// The answer may be a part of it.
func Unquote(quoted []byte) []byte {
	plain := quoted[1 : len(quoted)-1]
	if isASCIIWithoutEscape(plain) || bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // "" is the answer for what is not valid
	return []byte(s)
}

// isASCIIWithoutEscape is true of nearly all keys and names; one pass over them costs less
// than two searches do.
func isASCIIWithoutEscape(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func has(b []byte, at int, c byte) bool { return at < len(b) && b[at] == c }

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\r' || b[at] == '\n') {
		at++
	}
	return at
}

// shortString is up to how many bytes of a string are looked at one by one: keys and names
// end within them, and to search for the quote costs more.
const shortString = 24

// skipString is where the string ends whose first quote stands at at; where it does not
// end, the length of b and one more, which has no character.
func skipString(b []byte, at int) int {
	at++
	for end := min(at+shortString, len(b)); at < end && b[at] != '\\'; at++ {
		if b[at] == '"' {
			return at + 1
		}
	}
	for quote := at - 1; at < len(b); at++ {
		if quote < at { // looked for once, however many escapes come before it
			n := bytes.IndexByte(b[at:], '"')
			if n < 0 {
				break
			}
			quote = at + n
		}
		escape := bytes.IndexByte(b[at:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		at += escape + 1 // on what is escaped
	}
	return len(b) + 1
}

// skipValue is where the value that begins at at ends.
func skipValue(b []byte, at int) int {
	depth := 0
	for at < len(b) {
		switch b[at] {
		case '"':
			if at = skipString(b, at); depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return len(b)
}
