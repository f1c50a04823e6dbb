package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A frame is one message in either direction: a request (id and method), a
// notification (method), or the answer to a request (id, and result or error).
type frame struct {
	id      string
	method  string
	params  json.RawMessage
	result  json.RawMessage
	failure *errorObject
}

// An errorObject is the error of an answer.
type errorObject struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// maxNameBytes bounds ids, methods and error codes, because they are logged.
const maxNameBytes = 128

// parseFrame decodes a frame of a Peer. Every error means that the Peer broke
// the protocol. Member names must be spelled exactly and occur once, so that
// no other parser can read the frame differently; unknown ones are ignored.
func parseFrame(text []byte, depth int) (frame, error) {
	if !utf8.Valid(text) {
		return frame{}, errors.New("the frame is not UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return frame{}, errors.New("the frame is not a JSON object")
	}
	deep, names := measureJSON(text)
	switch {
	case deep > depth:
		return frame{}, fmt.Errorf("the frame nests deeper than %d", depth)
	case names != len(members):
		return frame{}, errors.New("the frame has a member twice")
	}
	f := frame{params: members["params"], result: members["result"]}
	id, identified := members["id"]
	method, asks := members["method"]
	failure, failed := members["error"]
	_, answered := members["result"]
	failed = failed && string(failure) != "null"
	switch {
	case identified && !readName(id, &f.id):
		return frame{}, errors.New("id is not a short string")
	case asks && !readName(method, &f.method):
		return frame{}, errors.New("method is not a short string")
	case asks && (answered || failed):
		return frame{}, errors.New("the frame is both a request and an answer")
	case asks:
		return f, nil
	case !identified:
		return frame{}, errors.New("the frame has neither id nor method")
	case failed && answered && string(f.result) != "null":
		return frame{}, errors.New("the answer has both result and error")
	case failed:
		return f, readErrorObject(failure, &f)
	case !answered:
		return frame{}, errors.New("the answer has neither result nor error")
	}
	return f, nil
}

func readName(raw json.RawMessage, into *string) bool {
	return json.Unmarshal(raw, into) == nil && *into != "" && len(*into) <= maxNameBytes
}

func readErrorObject(raw json.RawMessage, f *frame) error {
	var told errorObject
	if err := json.Unmarshal(raw, &told); err != nil || told.Code == "" || len(told.Code) > maxNameBytes {
		return errors.New("error is not an object with a short code")
	}
	told.Message = safetext.Truncate(told.Message, 2<<10)
	f.failure, f.result = &told, nil
	return nil
}

// measureJSON measures valid JSON: how deep arrays and objects nest, and how
// many members the outermost object has.
func measureJSON(text []byte) (deepest, members int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			members++
		}
	}
	return deepest, members
}

// encodeFrame encodes a frame of ours. params and result must marshal.
func encodeFrame(id, method string, params any, result any, failure *errorObject) []byte {
	text, err := json.Marshal(struct {
		Version string       `json:"jsonrpc"`
		ID      string       `json:"id,omitempty"`
		Method  string       `json:"method,omitempty"`
		Params  any          `json:"params,omitempty"`
		Result  any          `json:"result,omitempty"`
		Error   *errorObject `json:"error,omitempty"`
	}{"2.0", id, method, params, result, failure})
	if err != nil {
		panic(err) // callers pass only what marshals
	}
	return text
}

func encodeRequest(id, method string, params any) []byte {
	return encodeFrame(id, method, params, nil, nil)
}

func encodeNotification(method string, params any) []byte {
	return encodeFrame("", method, params, nil, nil)
}

func encodeResult(id string, result any) []byte { return encodeFrame(id, "", nil, result, nil) }

func encodeError(id, code, message string) []byte {
	return encodeFrame(id, "", nil, nil, &errorObject{Code: code, Message: message})
}
