package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// A response answers one message. A zero response answers a notification.
type response struct {
	frame []byte
	code  int // of a JSON-RPC error; 0: a result
	// notBegun says that the hub shuts down before the call has begun, so that a relay may
	// send it to the next one.
	notBegun bool
}

func errorResponse(id json.RawMessage, code int, why string) response {
	return response{frame: errorFrame(id, code, why), code: code}
}

const internalErrorMessage = "the request failed; Lectern's log has the reason"

// handleRequest answers x as the client that mcp-go knows. It is the one road of
// every message, whatever carried it. Here are answered what agents send most, the
// valid tools/call of both eras and the ping that only the legacy era has, and
// everything else by mcp-go.
func (ep *endpoint) handleRequest(ctx context.Context, x *request, as *mcpSession) (r response) {
	defer func() {
		if p := recover(); p != nil {
			ep.Log.Error("handle message", "component", "hub", "session", x.caller.Session.ID, "method", x.method, "err", p, "stack",
				string(debug.Stack()))
			r = errorResponse(x.id, mcp.INTERNAL_ERROR, internalErrorMessage)
		}
	}()
	if as.subscriptionCount()+x.requestedSubscriptionCount() > ep.Limits.Subscriptions {
		return errorResponse(x.id, mcp.INVALID_REQUEST,
			fmt.Sprintf("a session may subscribe to %d resources; unsubscribe from some first", ep.Limits.Subscriptions))
	}
	switch {
	case ep.isPublishedToolCall(x):
		return ep.callTool(ctx, x, as)
	case x.method == string(mcp.MethodPing) && x.id != nil && !x.isModern():
		return response{frame: resultFrame(x.id, []byte("{}"))}
	}
	ctx = context.WithValue(ctx, requestContextKey{}, x)
	var member string
	var value any
	switch out := ep.mcp.HandleMessage(ep.mcp.WithContext(ctx, as), x.withPlainID()).(type) {
	case mcp.JSONRPCResponse:
		member, value = "result", out.Result
	case mcp.JSONRPCError:
		e := ep.correctError(ctx, x, errorObject(out.Error))
		member, value, r.code = "error", e, e.Code
	default: // to a notification
		return response{}
	}
	b, err := tools.PlainJSON(value)
	if err != nil {
		ep.Log.Error("marshal response", "component", "hub", "session", x.caller.Session.ID, "method", x.method, "err", err)
		return errorResponse(x.id, mcp.INTERNAL_ERROR, internalErrorMessage)
	}
	r.frame = responseFrame(x.id, member, b)
	return r
}

// tools/call is answered here, in both eras and whatever carries it: mcp-go
// would decode a call six times and its result twice, which takes longer than
// most tools. It still answers the calls that are not valid, because it has the
// protocol's words for that.

// isPublishedToolCall reports whether x is a valid call of a published tool.
func (ep *endpoint) isPublishedToolCall(x *request) bool {
	if x.call == nil || x.id == nil {
		return false
	}
	if x.isModern() && (!mcp.IsValidProtocolVersion(x.meta.ProtocolVersion()) || x.meta.ClientCapabilities() == nil) {
		return false
	}
	set, _ := ep.Hub.Toolset(ep.scope, nil)
	_, published := set.Tools[x.call.Name]
	return published
}

// refuseCall is what mcp-go has as the handler of published tools. It is reached
// only if a tool was published after [endpoint.isPublishedToolCall] looked for it.
func refuseCall(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	requestFromContext(ctx).setError(mcp.INVALID_PARAMS, nil)
	return nil, errors.New("the list of tools has just changed; list the tools again")
}

// callTool answers a tools/call. An error of a tool is a result with isError, as
// the specification wants, in the format of its System; only a tool that the
// client is not shown is a JSON-RPC error.
func (ep *endpoint) callTool(ctx context.Context, x *request, as *mcpSession) response {
	if x.isModern() {
		as.setClientFromMeta(x.meta)
	}
	caller := newCallNotifier(x)
	defer caller.end()
	call := Call{
		RequestOrigin: x.caller, Tool: x.call.Name, Args: x.call.Arguments, Reason: callReason(x.meta), Notify: caller,
		Prompt: x.prompter(as), Forms: x.supportsForms(), Form: x.filledForm(x.call.MultiRoundTripParams),
	}
	res, err := ep.Hub.Call(ctx, call)
	if err != nil {
		r := ep.newFailedCallResponse(x, err)
		r.notBegun = ep.hasNotBegun(ctx, x, err)
		return r
	}
	return ep.newCallResponse(x, ep.successResult(res))
}

// hasNotBegun reports whether a call failed with err only because the hub shuts down, and
// nothing is different from before: it waited for a person, or was cut off, and reads or
// had written nothing.
func (ep *endpoint) hasNotBegun(ctx context.Context, x *request, err error) bool {
	e := tools.AsError(err)
	if errors.Is(err, approval.ErrClosed) {
		return e.Applied == false
	}
	reads := ep.clientToolset(x).Tools[x.call.Name].Effect == tools.Reads
	return ctx.Err() != nil && e.Code == tools.Timeout && (reads || e.Applied == false)
}

// newFailedCallResponse is the response to a call that failed, or that asks for a form.
func (ep *endpoint) newFailedCallResponse(x *request, err error) response {
	if form, isForm := errors.AsType[*approval.FormRequiredError](err); isForm {
		return ep.newCallResponse(x, formRequiredResult(form))
	}
	t, shown := ep.clientToolset(x).Tools[x.call.Name]
	if !shown {
		return errorResponse(x.id, mcp.INVALID_PARAMS, errorSentence(tools.AsError(err)))
	}
	return ep.newCallResponse(x, ep.errorResult(t, tools.AsError(err)))
}

// newCallResponse writes the response to a call. The modern era wants to know in
// each result what it is and who made it.
func (ep *endpoint) newCallResponse(x *request, r *mcp.CallToolResult) response {
	if x.isModern() {
		if r.ResultType == "" {
			r.ResultType = mcp.ResultTypeComplete
		}
		r.EnsureResultMeta().SetServerInfo(mcp.Implementation{Name: serverName, Title: serverTitle, Version: ep.Version})
	}
	out := struct { // mcp-go's own encoder of a result goes through a map
		Meta          map[string]any    `json:"_meta,omitempty"`
		Content       []mcp.Content     `json:"content"`
		InputRequests mcp.InputRequests `json:"inputRequests,omitempty"`
		IsError       bool              `json:"isError,omitempty"`
		RequestState  string            `json:"requestState,omitempty"`
		ResultType    mcp.ResultType    `json:"resultType,omitempty"`
	}{nil, r.Content, r.InputRequests, r.IsError, r.RequestState, r.ResultType}
	if r.Meta != nil {
		out.Meta = r.Meta.AdditionalFields
	}
	result, err := tools.PlainJSON(&out)
	if err != nil {
		ep.Log.Error("marshal result", "component", "hub", "session", x.caller.Session.ID, "tool", x.call.Name, "err", err)
		return errorResponse(x.id, mcp.INTERNAL_ERROR, internalErrorMessage)
	}
	if len(r.RawStructuredContent) == 0 {
		return response{frame: resultFrame(x.id, result)}
	}
	// encoding/json wrote the structured content, and would scan all of it again.
	head, end := result[:len(result)-1], result[len(result)-1:]
	return response{frame: resultFrame(x.id, head, []byte(`,"structuredContent":`), r.RawStructuredContent, end)}
}

// successResult is what a tool answers, with the data marker unless nothing of it
// is from notes.
func (ep *endpoint) successResult(res tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{RawStructuredContent: res.JSON, Content: []mcp.Content{}}
	if res.Content == nil {
		out.Content = append(out.Content, mcp.NewTextContent(string(res.JSON)))
	}
	for _, c := range res.Content {
		out.Content = append(out.Content, contentBlock(c))
	}
	if res.NoNotes {
		return out
	}
	return ep.markResultUntrusted(out)
}

// errorResult writes e in the format of the tool's System, and as one plain sentence.
func (ep *endpoint) errorResult(t Tool, e *tools.Error) *mcp.CallToolResult {
	b, err := tools.PlainJSON(t.ErrorFormat.Object(e))
	if err != nil {
		ep.Log.Error("marshal error", "component", "hub", "tool", t.Name, "err", err)
		b = nil
	}
	result := &mcp.CallToolResult{IsError: true, RawStructuredContent: b, Content: []mcp.Content{mcp.NewTextContent(errorSentence(e))}}
	if note, ok := e.Data.(NoteDiff); ok {
		result.Content = append(result.Content, mcp.NewTextContent(note.Diff))
		return ep.markResultUntrusted(result)
	}
	return result
}

// errorSentence is an error for a reader: what is wrong and what to do next.
func errorSentence(e *tools.Error) string {
	s := strings.TrimSpace(e.Message)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".?!") {
		s += "."
	}
	if e.Hint != "" {
		s += " " + e.Hint
	}
	return s
}

func contentBlock(c tools.Content) mcp.Content {
	data := base64.StdEncoding.EncodeToString
	switch c.Kind {
	case tools.Image:
		return mcp.NewImageContent(data(c.Data), c.MIME)
	case tools.Audio:
		return mcp.NewAudioContent(data(c.Data), c.MIME)
	case tools.Embedded:
		return mcp.NewEmbeddedResource(resourceContents(c))
	case tools.Link:
		return mcp.NewResourceLink(c.URI, c.Name, "", c.MIME)
	case tools.Text:
	}
	return mcp.NewTextContent(c.Text)
}

func resourceContents(c tools.Content) mcp.ResourceContents {
	if c.Data != nil {
		return mcp.BlobResourceContents{URI: c.URI, MIMEType: c.MIME, Blob: base64.StdEncoding.EncodeToString(c.Data)}
	}
	return mcp.TextResourceContents{URI: c.URI, MIMEType: c.MIME, Text: c.Text}
}

// correctError changes what mcp-go makes of an error: it answers every error of a
// handler with -32603, does not name a resource that is missing, as the
// specification asks, and repeats names that an agent made up at any length. A
// tools/call that mcp-go refuses is reported to the hub.
func (ep *endpoint) correctError(ctx context.Context, x *request, e errorObject) errorObject {
	if e.Code == mcp.INTERNAL_ERROR && x.code != 0 {
		e.Code = x.code
	}
	var params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(x.params, &params) // what is of another type has no name
	for _, name := range []string{params.Name, params.URI} {
		if short := safetext.Shorten(name, MaxNameBytes); short != name {
			e.Message = strings.ReplaceAll(e.Message, name, short)
		}
	}
	data := maps.Clone(x.data)
	if x.method == string(mcp.MethodResourcesRead) && params.URI != "" {
		if data == nil {
			data = map[string]any{}
		}
		data["uri"] = safetext.Shorten(params.URI, MaxNameBytes)
	}
	if data != nil {
		e.Data = data
	}
	if x.method == string(mcp.MethodToolsCall) {
		why := tools.Errorf(tools.Invalid, "the parameters of the call are not valid")
		if _, listed := ep.clientToolset(x).Tools[params.Name]; !listed && params.Name != "" {
			why = tools.Errorf(tools.NotFound, "no such tool")
		}
		_, _ = ep.Hub.Call(ctx, Call{RequestOrigin: x.caller, Tool: params.Name, Args: params.Arguments, Rejected: why}) // recorded only
	}
	return e
}

// requestedSubscriptionCount counts the resources that a message asks to subscribe to.
func (x *request) requestedSubscriptionCount() int {
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

// toHandlerError is the error of a request that is not a tool call: there, an error of the
// hub is a JSON-RPC error, whose data is what a tool of the System answers.
func toHandlerError(ctx context.Context, err error, notFound int) error {
	var format tools.ErrorFormat
	if from, is := errors.AsType[*SourceError](err); is {
		format = from.Format
	}
	e := tools.AsError(err)
	requestFromContext(ctx).setError(jsonRPCErrorCode(e.Code, notFound), objectFields(format.Object(e)))
	return errors.New(errorSentence(e))
}

// jsonRPCErrorCode is the code of an error where there is no result to hold it. The protocol
// has none for most: only what the log explains is internal.
func jsonRPCErrorCode(code tools.Code, notFound int) int {
	switch code {
	case tools.NotFound:
		return notFound
	case tools.Invalid, tools.Conflict: // as a name that fits several pages
		return mcp.INVALID_PARAMS
	case tools.Denied, tools.Unavailable, tools.Limited, tools.Timeout:
		return codeRefused
	case tools.Internal:
	}
	return mcp.INTERNAL_ERROR
}

// objectFields are the members of a value that is an object in JSON.
func objectFields(v any) (fields map[string]any) {
	b, err := tools.PlainJSON(v)
	if err != nil || json.Unmarshal(b, &fields) != nil {
		return nil // the message says what is wrong
	}
	return fields
}

// missingResourceCode is the code of a resource that does not exist; the modern
// era has none of its own.
func missingResourceCode(ctx context.Context) int {
	if server.IsModernRequest(ctx) {
		return mcp.INVALID_PARAMS
	}
	return mcp.RESOURCE_NOT_FOUND
}
