package shim

import (
	"bytes"
	"encoding/json"
)

// A message is what the shim reads of a JSON-RPC frame. Its slices are parts
// of the frame.
type message struct {
	id     []byte // as written; nil: none, or null
	method string // empty: an answer
	params []byte
	result []byte
}

// parse reads the outermost level of a frame. It reports false for what is not
// one whole JSON object: garbage, or a frame that was cut off.
func parse(f []byte) (message, bool) {
	var m message
	whole := scanFields(f, func(key, value []byte) {
		switch string(key) {
		case "id":
			m.id = nil
			if !bytes.Equal(value, []byte("null")) {
				m.id = value
			}
		case "method":
			m.method = decodeString(value)
		case "params":
			m.params = value
		case "result":
			m.result = value
		}
	})
	return m, whole
}

// key is the id in a form in which equal ids are equal: `"a"` may be spelled
// `"\u0061"`.
func (m message) key() string {
	if bytes.IndexByte(m.id, '\\') < 0 {
		return string(m.id)
	}
	var s string
	if json.Unmarshal(m.id, &s) != nil {
		return string(m.id)
	}
	plain, err := json.Marshal(s)
	if err != nil {
		return string(m.id)
	}
	return string(plain)
}

// withID returns f with another id in the place of m.id.
func (m message) withID(f, id []byte) []byte {
	at := cap(f) - cap(m.id) // m.id is a part of f
	out := make([]byte, 0, len(f)-len(m.id)+len(id)+1)
	out = append(out, f[:at]...)
	out = append(out, id...)
	return append(out, f[at+len(m.id):]...)
}

// param returns one member of params, or nil.
func (m message) param(name string) []byte {
	var found []byte
	scanFields(m.params, func(key, value []byte) {
		if string(key) == name {
			found = value
		}
	})
	return found
}

// decodeString returns the string that value spells, or "".
func decodeString(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// scanFields calls see for each member of the object b, without looking into the
// values, and reports whether b is one object with nothing after it. It is no
// validation: the hub validates. It is here because it costs a fraction of
// encoding/json and allocates nothing.
func scanFields(b []byte, see func(key, value []byte)) bool {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return skipSpace(b, i+1) == len(b)
	}
	for {
		key, value, next := scanMember(b, i)
		if next >= len(b) {
			return false
		}
		if key = key[1 : len(key)-1]; bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(decodeString(b[i : i+len(key)+2]))
		}
		see(key, value)
		switch b[next] {
		case '}':
			return skipSpace(b, next+1) == len(b)
		case ',':
			i = skipSpace(b, next+1)
		default:
			return false
		}
	}
}

// scanMember reads `"key" : value` at i and returns where the next token is, or
// len(b) when there is no such member.
func scanMember(b []byte, i int) (key, value []byte, next int) {
	none := len(b)
	if i >= len(b) || b[i] != '"' {
		return nil, nil, none
	}
	end := skipString(b, i)
	key = b[i:end]
	i = skipSpace(b, end)
	if i >= len(b) || b[i] != ':' {
		return nil, nil, none
	}
	i = skipSpace(b, i+1)
	end = skipValue(b, i)
	return key, b[i:end], skipSpace(b, end)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, or len(b).
func skipString(b []byte, i int) int {
	i++
	quote := -1
	for i < len(b) {
		if quote < i {
			at := bytes.IndexByte(b[i:], '"')
			if at < 0 {
				return len(b)
			}
			quote = i + at
		}
		escape := bytes.IndexByte(b[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		i += escape + 2
	}
	return len(b)
}

// skipValue returns the index after the value that begins at i, or len(b).
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return len(b)
}
