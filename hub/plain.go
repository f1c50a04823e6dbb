package hub

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/tools"
)

// plain answers a request that has nothing but the usual in it, with the bytes
// that mcp-go would answer: a ping without parameters, and a call of a tool by
// a client of the legacy era. These are nearly all that agents ask, and mcp-go
// decodes each of them many times over. It reports false for any other
// message, which is mcp-go's.
func (sf *surface) plain(ctx context.Context, x *exchange, m message) (answer []byte, ok bool) {
	switch {
	case !isPlainID(m.id):
		return nil, false
	case m.method == string(mcp.MethodPing):
		return appendResult(m.id, []byte("{}")), len(m.params) == 0 || string(m.params) == "{}"
	case m.method != string(mcp.MethodToolsCall):
		return nil, false
	}
	params, ok := parsePlainCall(m.params)
	view := sf.viewOf(x)
	if _, found := view.tools[params.name]; !ok || !found {
		return nil, false
	}
	c := callRequest{
		session: x.session, client: x.who(), view: view, name: params.name, args: params.args, reason: statedReason(params.meta), prompt: x.prompt,
	}
	res, t, err := sf.call(ctx, c, newAgent(ctx, x, params.meta))
	return sf.plainAnswer(m.id, t, res, err), true
}

func (sf *surface) plainAnswer(id json.RawMessage, t *tool, res tools.Result, err error) []byte {
	if err == nil && res.Content == nil && utf8.Valid(res.JSON) {
		return appendResult(id, plainResult(res.JSON, !sf.hub.noDataMarker))
	}
	result, err := json.Marshal(sf.result(t, res, err))
	if err != nil {
		sf.hub.log.Error("marshal answer", "part", "hub", "tool", t.name, "err", err)
		return errorFrame(id, mcp.INTERNAL_ERROR, "the request failed; Lectern's log has the reason")
	}
	return appendResult(id, result)
}

// A plainCall is the parameters of tools/call without a task, without input
// that was asked for, and without the modern era's _meta.
type plainCall struct {
	name string
	args json.RawMessage
	meta *mcp.Meta
}

// parsePlainCall reports false for parameters that it does not know: keys are
// compared exactly, and mcp-go has its own idea of the others.
func parsePlainCall(raw json.RawMessage) (p plainCall, ok bool) {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
		return p, false
	}
	for key, value := range fields {
		switch key {
		case "name":
			ok = json.Unmarshal(value, &p.name) == nil
		case "arguments":
			p.args = value
		case "_meta":
			p.meta = &mcp.Meta{}
			if json.Unmarshal(value, p.meta) != nil || !isUsual(p.meta) {
				return p, false
			}
		default:
			return p, false
		}
	}
	return p, ok
}

// isPlainID says whether an id is sent back as it was written: encoding/json
// spells some strings, and minus zero, in another way.
func isPlainID(id json.RawMessage) bool {
	return len(id) > 0 && string(id) != "-0" && !slices.ContainsFunc(id, func(c byte) bool {
		return c < ' ' || c >= utf8.RuneSelf || c == '\\' || c == '<' || c == '>' || c == '&'
	})
}

func appendResult(id, result []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result, []byte(`}`))
}

// plainResult is object as the structured content and as text. It was written
// by encoding/json, so that quotes and backslashes are all there is to escape
// in it.
func plainResult(object json.RawMessage, mark bool) []byte {
	head, middle := plainHead, plainMiddle
	if mark {
		head, middle = markedHead, markedMiddle
	}
	b := make([]byte, 0, len(head)+len(middle)+1+2*len(object)+len(object)/4)
	b = append(b, head...)
	for _, c := range object {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	b = append(b, middle...)
	b = append(b, object...)
	return append(b, '}')
}
