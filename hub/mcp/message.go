package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/jsonobject"
	"github.com/lectern-mcp/lectern/tools"
)

// JSON-RPC codes of our own, from the range that MCP leaves to servers.
const (
	codeBusy    = -32000 // a request that was not begun because too many are in flight
	codeRefused = -32003 // a read that is denied, limited, out of time, or of a source that does not serve
)

// A message is one JSON-RPC message of a client, looked at only as far as
// framing and routing need. mcp-go decodes the rest.
type message struct {
	raw    json.RawMessage
	id     json.RawMessage // nil: a notification
	method string          // empty: a response to a request of ours
	params json.RawMessage
}

// A rejection is why a message is not one.
type rejection struct {
	code int
	id   json.RawMessage // nil: unknown
	why  string
}

// parseMessage is strict where leniency would let two readers of one message
// see different things: keys are compared exactly (encoding/json folds their
// case), no key is duplicated, ids are strings or numbers, and one message is one
// object.
func parseMessage(raw []byte) (message, *rejection) {
	m := message{raw: raw}
	if why := describeNoObject(raw); why != "" {
		return m, &rejection{mcp.INVALID_REQUEST, nil, why}
	}
	var version, method, answer json.RawMessage
	var misspelt string
	whole := jsonobject.Each(raw, func(key []byte, value json.RawMessage) {
		switch string(key) {
		case "jsonrpc":
			version = value
		case "id":
			m.id = value
		case "method":
			method = value
		case "params":
			m.params = value
		case "result", "error":
			answer = value
		default:
			misspelt = cmp.Or(misspelt, checkKeySpelling(string(key)))
		}
	})
	if !json.Valid(raw) {
		if !whole {
			m.id = nil
		}
		return m, &rejection{mcp.PARSE_ERROR, answerableID(m.id), "not valid JSON"}
	}
	if m.id != nil && answerableID(m.id) == nil {
		return m, &rejection{mcp.INVALID_REQUEST, nil, "id must be a string or a number"}
	}
	if why := cmp.Or(misspelt, m.checkAndSetMethod(version, method, answer != nil), m.describeRepeatedKey()); why != "" {
		return m, &rejection{mcp.INVALID_REQUEST, m.id, why}
	}
	return m, nil
}

// describeNoObject says what a message is that begins as no object does.
func describeNoObject(raw []byte) (why string) {
	switch begin := bytes.TrimSpace(raw); {
	case len(begin) == 0 || begin[0] == '{' || !json.Valid(raw):
		return ""
	case begin[0] == '[':
		return "batches are not part of MCP; send one message at a time"
	default:
		return "a message must be a JSON object"
	}
}

// checkKeySpelling says what is wrong with a key that is not one of a message's.
func checkKeySpelling(key string) (why string) {
	for _, known := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if strings.EqualFold(key, known) {
			return fmt.Sprintf("%q must be written %q", key, known)
		}
	}
	return ""
}

// describeRepeatedKey says which key of the message, its parameters or the arguments of a
// tool is duplicated: readers differ in which of the two they take.
func (m *message) describeRepeatedKey() (why string) {
	object := bytes.TrimSpace(m.raw)
	for _, level := range []struct{ path, inside string }{{"", "params"}, {"params.", "arguments"}, {"params.arguments.", ""}} {
		if len(object) == 0 || object[0] != '{' {
			break
		}
		var next []byte
		var seen keySet
		jsonobject.Each(object, func(key []byte, value json.RawMessage) {
			if !seen.addIfNew(key) {
				why = cmp.Or(why, fmt.Sprintf("duplicate key %q", level.path+string(key)))
			}
			if string(key) == level.inside {
				next = value
			}
		})
		object = next
	}
	return why
}

// A keySet is a set of keys that costs nothing while they are few.
type keySet struct {
	few  [16][]byte
	n    int
	many map[string]bool // those that are not in few
}

// addIfNew reports whether key was not in the set.
func (s *keySet) addIfNew(key []byte) bool {
	for _, known := range s.few[:s.n] {
		if string(known) == string(key) {
			return false
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = key
		s.n++
		return true
	}
	if s.many[string(key)] {
		return false
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[string(key)] = true
	return true
}

// checkAndSetMethod says what is wrong with the fields of a message whose id is good, and
// takes over its method.
func (m *message) checkAndSetMethod(version, method json.RawMessage, answers bool) (why string) {
	if string(version) != `"2.0"` {
		return `jsonrpc must be "2.0"`
	}
	if len(m.params) > 0 && m.params[0] != '{' {
		return "params must be an object"
	}
	switch {
	case method == nil && (m.id == nil || !answers):
		return "method is missing"
	case method == nil:
		return ""
	case method[0] == '"':
		m.method = string(jsonobject.Unquote(method))
	}
	if m.method == "" {
		return "method must be a string"
	}
	return ""
}

// answerableID is the id if it is a string or any number, so that a client can tell which of
// its messages is rejected, and otherwise nil.
func answerableID(id json.RawMessage) json.RawMessage {
	if !json.Valid(id) || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	return id
}

// frame writes the rejection as JSON-RPC.
func (r *rejection) frame() []byte { return errorFrame(r.id, r.code, r.why) }

// An errorObject is what is wrong with a request, as JSON-RPC writes it.
type errorObject struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func errorFrame(id json.RawMessage, code int, why string) []byte {
	b, err := tools.PlainJSON(errorObject{Code: code, Message: why})
	if err != nil {
		b = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	return responseFrame(id, "error", b)
}

// resultFrame writes a result, of which the parts follow each other.
func resultFrame(id json.RawMessage, result ...[]byte) []byte {
	return responseFrame(id, "result", result...)
}

// responseFrame writes a response with the id as it came: another spelling is another id to
// some clients. nil: it is not known.
func responseFrame(id json.RawMessage, member string, value ...[]byte) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	size := 40 + len(id)
	for _, part := range value {
		size += len(part)
	}
	frame := append(make([]byte, 0, size), `{"jsonrpc":"2.0","id":`...)
	frame = append(frame, id...)
	frame = append(frame, `,"`+member+`":`...)
	for _, part := range value {
		frame = append(frame, part...)
	}
	return append(frame, '}')
}

// withPlainID is the message with an id that every reader of JSON can hold.
func (m message) withPlainID() json.RawMessage {
	if m.id == nil {
		return m.raw
	}
	at := cap(m.raw) - cap(m.id) // m.id is a part of m.raw
	return slices.Concat(m.raw[:at], []byte("1"), m.raw[at+len(m.id):])
}

// progressToken is the token of the request as it came; nil: there is none.
func (m message) progressToken() (token json.RawMessage) {
	jsonobject.Each(m.params, func(key []byte, meta json.RawMessage) {
		if string(key) == "_meta" {
			jsonobject.Each(meta, func(key []byte, value json.RawMessage) {
				if string(key) == "progressToken" {
					token = value
				}
			})
		}
	})
	return token
}

// parsedParams are those that this package reads itself.
type parsedParams struct {
	meta *mcp.Meta   // nil: there is none
	call *callParams // nil: the message is no tools/call, or not a valid one
}

// callParams are the parameters of tools/call.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      *mcp.Meta       `json:"_meta"`
	mcp.MultiRoundTripParams
}

// scan reads parameters that are nothing but a name and arguments, as nearly all
// are, at a third of what encoding/json costs. It reports false for others.
func (c *callParams) scan(params json.RawMessage) (whole bool) {
	whole = true
	jsonobject.Each(params, func(key []byte, value json.RawMessage) {
		switch {
		case string(key) == "name" && value[0] == '"':
			c.Name = string(jsonobject.Unquote(value))
		case string(key) == "arguments":
			c.Arguments = slices.Clip(value)
		default:
			whole = false
		}
	})
	return whole
}

func (m message) parseParams() parsedParams {
	if len(m.params) == 0 {
		return parsedParams{}
	}
	if m.method == string(mcp.MethodToolsCall) {
		var call callParams
		if call.scan(m.params) || json.Unmarshal(m.params, &call) == nil {
			return parsedParams{call.Meta, &call}
		}
	}
	var params struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return parsedParams{}
	}
	return parsedParams{meta: params.Meta}
}

// cancelledID is the id that a notifications/cancelled names, or nil.
func (m message) cancelledID() json.RawMessage {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return nil
	}
	return params.RequestID
}
