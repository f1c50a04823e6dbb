package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// A request is one message of an agent while it is being answered. It travels in
// the context, because that is all mcp-go hands to what it calls; nothing else
// in this package does.
type request struct {
	message
	parsedParams
	caller RequestOrigin
	notify func(frame []byte) // queues a notification to be read before the response
	// ask sends a request to the client and waits for its response. Nil: the
	// connection cannot.
	ask func(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error)

	code int            // JSON-RPC code of the response, where mcp-go knows only -32603
	data map[string]any // and its data
}

type requestContextKey struct{}

func requestFromContext(ctx context.Context) *request {
	x, _ := ctx.Value(requestContextKey{}).(*request)
	return x
}

// newRequest is a message of a session. A modern message names its client, which
// counts unless the session has proved another.
func newRequest(m message, p parsedParams, s *Session) *request {
	x := &request{message: m, parsedParams: p, caller: RequestOrigin{Session: s}}
	x.caller.Client = policy.Client{Name: s.ClientName(), Proven: s.Proven != ""}
	if x.isModern() {
		s.setProtocol(p.meta.ProtocolVersion())
		if c := p.meta.ClientInfo(); c != nil && c.Name != "" && !x.caller.Client.Proven {
			x.caller.Client.Name = c.Name
		}
	}
	return x
}

// isModern reports whether the message is of the era without sessions.
func (x *request) isModern() bool { return mcp.IsModernProtocol(x.meta.ProtocolVersion()) }

// setError makes the response a JSON-RPC error with this code and data. The handler returns
// the error that carries the message.
func (x *request) setError(code int, data map[string]any) { x.code, x.data = code, data }

// MaxNameBytes bounds names that agents made up, in bytes, where they are repeated or
// kept.
const MaxNameBytes = 200
