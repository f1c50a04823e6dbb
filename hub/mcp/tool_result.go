package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/tools"
)

// callTool is mcp-go's handler of every published tool. An error of a tool is
// a result with isError, as the specification wants, in the format of its
// System; only a tool that the client is not shown is a JSON-RPC error.
func (ep *endpoint) callTool(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	x := requestOf(ctx)
	x.called = true
	caller := newMCPCaller(x)
	defer caller.end()
	res, err := ep.Hub.Call(ctx, Call{
		Caller: x.caller, Tool: r.Params.Name, Args: r.Params.RawArguments, Reason: callReason(r.Params.Meta), Notify: caller,
		Prompt: x.prompter(ctx), Forms: x.hasForms(), Form: x.filledForm(r.Params.MultiRoundTripParams),
	})
	t, shown := ep.toolset(x).Tools[r.Params.Name]
	switch form, isForm := errors.AsType[*approval.FormRequest](err); {
	case isForm:
		return formResult(form), nil
	case err != nil && !shown:
		x.fail(mcp.INVALID_PARAMS, nil)
		return nil, errors.New(sentence(tools.AsError(err)))
	case err != nil:
		return ep.failed(t, tools.AsError(err)), nil
	}
	return ep.answered(res), nil
}

// answered is what a tool answers, with the data marker.
func (ep *endpoint) answered(res tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{RawStructuredContent: res.JSON, Content: []mcp.Content{}}
	if res.Content == nil {
		out.Content = append(out.Content, mcp.NewTextContent(string(res.JSON)))
	}
	for _, c := range res.Content {
		out.Content = append(out.Content, contentBlock(c))
	}
	return ep.marked(out)
}

// failed writes e in the format of the tool's System, and as one plain sentence.
func (ep *endpoint) failed(t Tool, e *tools.Error) *mcp.CallToolResult {
	b, err := json.Marshal(t.ErrorFormat.Object(e))
	if err != nil {
		ep.Log.Error("marshal error", "component", "hub", "tool", t.Name, "err", err)
		b = nil
	}
	result := &mcp.CallToolResult{IsError: true, RawStructuredContent: b, Content: []mcp.Content{mcp.NewTextContent(sentence(e))}}
	if note, ok := e.Data.(NoteDiff); ok {
		result.Content = append(result.Content, mcp.NewTextContent(note.Diff))
		return ep.marked(result)
	}
	return result
}

// sentence is an error for a reader: what is wrong and what to do next.
func sentence(e *tools.Error) string {
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
