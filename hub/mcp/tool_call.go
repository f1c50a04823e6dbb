package mcp

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/tools"
)

// This file answers tools/call, in both eras and whatever carries it. mcp-go
// would decode a call six times and its result twice, which takes longer than
// most tools. It still answers the calls that are not valid, because it has the
// protocol's words for that.

// isToolCall reports whether x is a valid call of a published tool.
func (ep *endpoint) isToolCall(x *request) bool {
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
// only if a tool was published after [endpoint.isToolCall] looked for it.
func refuseCall(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	requestOf(ctx).fail(mcp.INVALID_PARAMS, nil)
	return nil, errors.New("the list of tools has just changed; list the tools again")
}

// callTool answers a tools/call. An error of a tool is a result with isError, as
// the specification wants, in the format of its System; only a tool that the
// client is not shown is a JSON-RPC error.
func (ep *endpoint) callTool(ctx context.Context, x *request, as *mcpSession) response {
	if x.isModern() {
		as.introduce(x.meta)
	}
	caller := newMCPCaller(x)
	defer caller.end()
	call := Call{
		Caller: x.caller, Tool: x.call.Name, Args: x.call.Arguments, Reason: callReason(x.meta), Notify: caller,
		Prompt: x.prompter(as), Forms: x.hasForms(), Form: x.filledForm(x.call.MultiRoundTripParams),
	}
	if x.answer != nil {
		call.Late = func(err error) {
			caller.end()
			x.answer(ep.failedCall(x, err))
		}
	}
	res, err := ep.Hub.Call(ctx, call)
	switch {
	case errors.Is(err, ErrAnswered):
		return response{}
	case err != nil:
		return ep.failedCall(x, err)
	default:
		return ep.writeCallResult(x, ep.answered(res))
	}
}

// failedCall is the response to a call that failed, or that asks for a form.
func (ep *endpoint) failedCall(x *request, err error) response {
	if form, isForm := errors.AsType[*approval.FormRequest](err); isForm {
		return ep.writeCallResult(x, formResult(form))
	}
	t, shown := ep.toolset(x).Tools[x.call.Name]
	if !shown {
		return errorResponse(x.id, mcp.INVALID_PARAMS, sentence(tools.AsError(err)))
	}
	return ep.writeCallResult(x, ep.failed(t, tools.AsError(err)))
}

// writeCallResult writes the response to a call. The modern era wants to know in
// each result what it is and who made it.
func (ep *endpoint) writeCallResult(x *request, r *mcp.CallToolResult) response {
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
		return errorResponse(x.id, mcp.INTERNAL_ERROR, errInternal)
	}
	if len(r.RawStructuredContent) == 0 {
		return response{frame: resultFrame(x.id, result)}
	}
	// encoding/json wrote the structured content, and would scan all of it again.
	head, end := result[:len(result)-1], result[len(result)-1:]
	return response{frame: resultFrame(x.id, head, []byte(`,"structuredContent":`), r.RawStructuredContent, end)}
}
