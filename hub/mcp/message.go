package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// codeBusy is the JSON-RPC code of a request that was not begun because too
// many are in flight. It is from the range that JSON-RPC leaves to servers.
const codeBusy = -32000

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
// case), ids are strings or whole numbers, and one message is one object.
func parseMessage(raw []byte) (message, *rejection) {
	m := message{raw: raw}
	fields, bad := parseObject(raw)
	if bad != nil {
		return m, bad
	}
	id, hasID := fields["id"]
	if hasID {
		if why := badID(id); why != "" {
			return m, &rejection{mcp.INVALID_REQUEST, nil, why}
		}
		m.id = id
	}
	m.params = fields["params"]
	if why := m.check(fields); why != "" {
		return m, &rejection{mcp.INVALID_REQUEST, m.id, why}
	}
	return m, nil
}

func parseObject(raw []byte) (map[string]json.RawMessage, *rejection) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	switch {
	case err == nil && fields != nil:
		return fields, nil
	case !json.Valid(raw):
		return nil, &rejection{mcp.PARSE_ERROR, nil, "not valid JSON"}
	case bytes.TrimSpace(raw)[0] == '[':
		return nil, &rejection{mcp.INVALID_REQUEST, nil, "batches are not part of MCP; send one message at a time"}
	default:
		return nil, &rejection{mcp.INVALID_REQUEST, nil, "a message must be a JSON object"}
	}
}

// check says what is wrong with the fields of a message whose id is good, and
// takes over its method.
func (m *message) check(fields map[string]json.RawMessage) (why string) {
	for key := range fields {
		for _, known := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if key != known && strings.EqualFold(key, known) {
				return fmt.Sprintf("%q must be written %q", key, known)
			}
		}
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return `jsonrpc must be "2.0"`
	}
	if p := bytes.TrimSpace(m.params); len(p) > 0 && p[0] != '{' {
		return "params must be an object"
	}
	method, isRequest := fields["method"]
	isResponse := m.id != nil && (fields["result"] != nil || fields["error"] != nil)
	switch {
	case isRequest && (json.Unmarshal(method, &m.method) != nil || m.method == ""):
		return "method must be a string"
	case !isRequest && !isResponse:
		return "method is missing"
	}
	return ""
}

// badID says what is wrong with a request's id. The specification allows
// strings and integers; a fraction would come back rounded.
func badID(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil && string(id) != "null" {
		return ""
	}
	var n int64
	if json.Unmarshal(id, &n) == nil && string(id) != "null" && n < 1<<53 && n > -1<<53 {
		return ""
	}
	return "id must be a string or a whole number below 2^53"
}

// frame writes the rejection as JSON-RPC.
func (r *rejection) frame() []byte { return errorFrame(r.id, r.code, r.why) }

func errorFrame(id json.RawMessage, code int, why string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type object struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	b, err := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   object          `json:"error"`
	}{"2.0", id, object{code, why}})
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return b
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

func (m message) parseParams() parsedParams {
	if len(m.params) == 0 {
		return parsedParams{}
	}
	if m.method == string(mcp.MethodToolsCall) {
		var call callParams
		if json.Unmarshal(m.params, &call) == nil {
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
