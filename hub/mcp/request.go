package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A request is one message of an agent while it is being answered. It travels in
// the context, because that is all mcp-go hands to what it calls; nothing else
// in this package does.
type request struct {
	message
	parsedParams
	caller Caller
	notify func(frame []byte) // queues a notification to be read before the response
	// ask sends a request to the client and waits for its response. Nil: the
	// connection cannot.
	ask func(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error)

	// answer writes the response while the request is still worked on; a second one
	// is dropped. Nil: the connection cannot.
	answer func(response)

	code int            // JSON-RPC code of the response, where mcp-go knows only -32603
	data map[string]any // and its data
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	x, _ := ctx.Value(requestKey{}).(*request)
	return x
}

// newRequest is a message of a session. A modern message names its client, which
// counts unless the session has proved another.
func newRequest(m message, p parsedParams, s *Session) *request {
	x := &request{message: m, parsedParams: p, caller: Caller{Session: s}}
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

// fail makes the response a JSON-RPC error with this code. The handler returns
// the error that carries the message.
func (x *request) fail(code int, data map[string]any) { x.code, x.data = code, data }

// A response answers one message. A zero response answers a notification.
type response struct {
	frame []byte
	code  int // of a JSON-RPC error; 0: a result
}

func errorResponse(id json.RawMessage, code int, why string) response {
	return response{errorFrame(id, code, why), code}
}

const errInternal = "the request failed; Lectern's log has the reason"

// respond answers x as the client that mcp-go knows. It is the one road of
// every message, whatever carried it. Here are answered what agents send most, the
// valid tools/call of both eras and the ping that only the legacy era has, and
// everything else by mcp-go.
func (ep *endpoint) respond(ctx context.Context, x *request, as *mcpSession) (r response) {
	defer func() {
		if p := recover(); p != nil {
			ep.Log.Error("handle message", "component", "hub", "session", x.caller.Session.ID, "method", x.method, "err", p, "stack", string(debug.Stack()))
			r = errorResponse(x.id, mcp.INTERNAL_ERROR, errInternal)
		}
	}()
	if as.subscribed()+x.subscriptions() > ep.Limits.Subscriptions {
		return errorResponse(x.id, mcp.INVALID_REQUEST,
			fmt.Sprintf("a session may subscribe to %d resources; unsubscribe from some first", ep.Limits.Subscriptions))
	}
	switch {
	case ep.isToolCall(x):
		return ep.callTool(ctx, x, as)
	case x.method == string(mcp.MethodPing) && x.id != nil && !x.isModern():
		return response{frame: resultFrame(x.id, []byte("{}"))}
	}
	ctx = context.WithValue(ctx, requestKey{}, x)
	out := ep.mcp.HandleMessage(ep.mcp.WithContext(ctx, as), x.raw)
	if out == nil {
		return response{}
	}
	if e, isError := out.(mcp.JSONRPCError); isError {
		e = ep.correct(ctx, x, e)
		out, r.code = e, e.Error.Code
	}
	var err error
	if r.frame, err = tools.PlainJSON(out); err != nil {
		ep.Log.Error("marshal response", "component", "hub", "session", x.caller.Session.ID, "method", x.method, "err", err)
		return errorResponse(x.id, mcp.INTERNAL_ERROR, errInternal)
	}
	return r
}

// correct changes what mcp-go makes of an error: it answers every error of a
// handler with -32603, does not name a resource that is missing, as the
// specification asks, and repeats names that an agent made up at any length. A
// tools/call that mcp-go refuses is reported to the hub.
func (ep *endpoint) correct(ctx context.Context, x *request, e mcp.JSONRPCError) mcp.JSONRPCError {
	if e.Error.Code == mcp.INTERNAL_ERROR && x.code != 0 {
		e.Error.Code = x.code
		if x.data != nil {
			e.Error.Data = x.data
		}
	}
	var params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(x.params, &params) // what is of another type has no name
	for _, name := range []string{params.Name, params.URI} {
		if short := Truncate(name, MaxName); short != name {
			e.Error.Message = strings.ReplaceAll(e.Error.Message, name, short)
		}
	}
	missing := e.Error.Code == mcp.RESOURCE_NOT_FOUND || e.Error.Code == mcp.INVALID_PARAMS
	if x.method == string(mcp.MethodResourcesRead) && missing && params.URI != "" {
		e.Error.Data = map[string]any{"uri": Truncate(params.URI, MaxName)}
	}
	if x.method == string(mcp.MethodToolsCall) {
		why := tools.Errorf(tools.Invalid, "the parameters of the call are not valid")
		if _, listed := ep.toolset(x).Tools[params.Name]; !listed && params.Name != "" {
			why = tools.Errorf(tools.NotFound, "no such tool")
		}
		_, _ = ep.Hub.Call(ctx, Call{Caller: x.caller, Tool: params.Name, Args: params.Arguments, Rejected: why}) // recorded only
	}
	return e
}

// subscriptions counts the resources that a message asks to subscribe to.
func (x *request) subscriptions() int {
	if x.id == nil {
		return 0
	}
	switch mcp.MCPMethod(x.method) {
	case mcp.MethodResourcesSubscribe:
		return 1
	case mcp.MethodSubscriptionsListen:
		var params mcp.SubscriptionsListenParams
		if json.Unmarshal(x.params, &params) == nil {
			return len(params.Notifications.ResourceSubscriptions)
		}
	default:
	}
	return 0
}

// MaxName bounds names that agents made up, in bytes, where they are repeated or
// kept.
const MaxName = 200

// Truncate cuts s after limit bytes. The rest of s can be freed.
func Truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(strings.Clone(s[:limit]), "") + "…"
}

// handlerError is the error of a request that is not a tool call: there, an
// error of the hub is a JSON-RPC error.
func handlerError(ctx context.Context, err error, notFound int, data map[string]any) error {
	e := tools.AsError(err)
	switch e.Code {
	case tools.NotFound:
		requestOf(ctx).fail(notFound, data)
	case tools.Invalid:
		requestOf(ctx).fail(mcp.INVALID_PARAMS, nil)
	case tools.Conflict, tools.Denied, tools.Unavailable, tools.Limited, tools.Timeout, tools.Internal:
	}
	return errors.New(sentence(e))
}

// missingResourceCode is the code of a resource that does not exist; the modern
// era has none of its own.
func missingResourceCode(ctx context.Context) int {
	if server.IsModernRequest(ctx) {
		return mcp.INVALID_PARAMS
	}
	return mcp.RESOURCE_NOT_FOUND
}
