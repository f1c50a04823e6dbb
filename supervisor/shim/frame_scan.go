package shim

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/jsonobject"
)

// A message is what the shim reads of a JSON-RPC frame. Its slices are parts
// of the frame.
type message struct {
	id      []byte // as written; nil: none, or null
	method  string // empty: none, or no string
	params  []byte
	answers bool // it has a result or an error
	result  []byte
}

// isAnswer reports whether m answers a request of the other side.
func (m message) isAnswer() bool { return m.method == "" && m.answers && m.id != nil }

// awaitsAnswer reports whether the other side answers m by its id: a request, or what has no
// method and is told so. To an id that is neither a string nor a number nobody answers.
func (m message) awaitsAnswer() bool {
	return len(m.id) > 0 && !m.isAnswer() && (m.id[0] == '"' || m.id[0] == '-' || '0' <= m.id[0] && m.id[0] <= '9')
}

// parseFrame reads the outermost level of a frame. It reports false for what is not
// one whole JSON object: garbage, or a frame that was cut off. Whether its values are
// valid the hub decides.
func parseFrame(f []byte) (message, bool) {
	var m message
	whole := jsonobject.Each(f, func(key []byte, value json.RawMessage) {
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
			m.result, m.answers = value, true
		case "error":
			m.answers = true
		}
	})
	return m, whole
}

// idKey is the id in a form in which equal ids are equal: `"a"` may be spelled
// `"\u0061"`. What no text spells, such as half a surrogate pair, is equal only to itself.
func (m message) idKey() string {
	if bytes.IndexByte(m.id, '\\') < 0 {
		return string(m.id)
	}
	plain := jsonobject.Unquote(m.id)
	if len(plain) == 0 || bytes.ContainsRune(plain, utf8.RuneError) {
		return string(m.id)
	}
	return `"` + string(plain) + `"`
}

// replaceFrameID returns f with another id in the place of m.id.
func (m message) replaceFrameID(f, id []byte) []byte {
	at := cap(f) - cap(m.id) // m.id is a part of f
	out := make([]byte, 0, len(f)-len(m.id)+len(id)+1)
	out = append(out, f[:at]...)
	out = append(out, id...)
	return append(out, f[at+len(m.id):]...)
}

// param returns one member of params, or nil.
func (m message) param(name string) []byte {
	var found []byte
	jsonobject.Each(m.params, func(key []byte, value json.RawMessage) {
		if string(key) == name {
			found = value
		}
	})
	return found
}

// decodeString returns the string that value spells, or "", also if there is no value.
func decodeString(value []byte) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	return string(jsonobject.Unquote(value))
}
