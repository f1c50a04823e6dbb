package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// busyCode is the JSON-RPC code of a request that was not begun because too
// many are in flight. It is from the range that JSON-RPC leaves to servers.
const busyCode = -32000

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
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) > 0 && trimmed[0] == '[' && json.Valid(trimmed) {
		return m, &rejection{mcp.INVALID_REQUEST, nil, "batches are not part of MCP; send one message at a time"}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &fields); err != nil {
		if json.Valid(trimmed) {
			return m, &rejection{mcp.INVALID_REQUEST, nil, "a message must be a JSON object"}
		}
		return m, &rejection{mcp.PARSE_ERROR, nil, "not valid JSON"}
	}
	id, hasID := fields["id"]
	if hasID {
		if why := badID(id); why != "" {
			return m, &rejection{mcp.INVALID_REQUEST, nil, why}
		}
		m.id = id
	}
	reject := func(format string, args ...any) (message, *rejection) {
		return m, &rejection{mcp.INVALID_REQUEST, m.id, fmt.Sprintf(format, args...)}
	}
	for key := range fields {
		for _, known := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
			if key != known && strings.EqualFold(key, known) {
				return reject("%q must be written %q", key, known)
			}
		}
	}
	if v := string(fields["jsonrpc"]); v != `"2.0"` {
		return reject(`jsonrpc must be "2.0"`)
	}
	method, isRequest := fields["method"]
	switch {
	case isRequest:
		if err := json.Unmarshal(method, &m.method); err != nil || m.method == "" {
			return reject("method must be a string")
		}
	case !hasID || fields["result"] == nil && fields["error"] == nil:
		return reject("method is missing")
	}
	m.params = fields["params"]
	if p := bytes.TrimSpace(m.params); len(p) > 0 && p[0] != '{' {
		return reject("params must be an object")
	}
	return m, nil
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
func (r *rejection) frame() []byte { return errorFrame(r.id, r.code, r.why, nil) }

func errorFrame(id json.RawMessage, code int, why string, data any) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	type object struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	b, err := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   object          `json:"error"`
	}{"2.0", id, object{code, why, data}})
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return b
}

// corrected is mcp-go's answer as bytes, with the code that the exchange asks
// for: mcp-go makes every error of a handler a -32603.
func corrected(x *exchange, answer mcp.JSONRPCMessage) ([]byte, error) {
	if e, isError := answer.(mcp.JSONRPCError); isError {
		code, data := x.mends(e.Error.Code)
		e.Error.Code = code
		if data != nil {
			e.Error.Data = data
		}
		answer = e
	}
	return json.Marshal(answer)
}

// metaOf is the _meta of a request, or nil.
func metaOf(raw []byte) *mcp.Meta {
	var m struct {
		Params struct {
			Meta *mcp.Meta `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m.Params.Meta
}
