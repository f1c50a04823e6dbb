package hub

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
// a result with isError, as the specification wants, in the System's spelling;
// only a tool that is not there is a JSON-RPC error.
func (sf *surface) callTool(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	x := exchangeOf(ctx)
	x.called = true
	c := callRequest{
		session: x.session, client: x.who(), view: sf.viewOf(x), name: r.Params.Name, args: r.Params.RawArguments, reason: statedReason(r.Params.Meta),
		prompt: sf.prompter(ctx, x), forms: hasForms(ctx), form: filledForm(ctx, r.Params.MultiRoundTripParams),
	}
	res, t, err := sf.call(ctx, c, newAgent(ctx, x, r.Params.Meta))
	if t == nil {
		x.fails(mcp.INVALID_PARAMS, nil)
		return nil, err
	}
	return sf.result(t, res, err), nil
}

// call is [Hub.call] for an agent, who hears nothing more when it returns.
func (sf *surface) call(ctx context.Context, c callRequest, a *agent) (tools.Result, *tool, error) {
	defer a.end()
	c.context = a
	return sf.hub.call(ctx, c)
}

func (sf *surface) result(t *tool, res tools.Result, err error) *mcp.CallToolResult {
	if f, is := errors.AsType[*approval.FormRequest](err); is {
		return formResult(f)
	}
	if err != nil {
		return sf.failed(t, tools.AsError(err))
	}
	return sf.answered(res)
}

func answered(res tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{RawStructuredContent: res.JSON, Content: []mcp.Content{}}
	if res.Content == nil {
		out.Content = append(out.Content, mcp.NewTextContent(string(res.JSON)))
	}
	for _, c := range res.Content {
		out.Content = append(out.Content, block(c))
	}
	return out
}

// failed writes e as the tool's System spells it, and as one plain sentence.
func (sf *surface) failed(t *tool, e *tools.Error) *mcp.CallToolResult {
	b, err := json.Marshal(t.kind.Manifest().ErrorFormat.Object(e))
	if err != nil {
		sf.hub.log.Error("marshal error", "part", "hub", "tool", t.name, "err", err)
		b = nil
	}
	result := &mcp.CallToolResult{IsError: true, RawStructuredContent: b, Content: []mcp.Content{mcp.NewTextContent(sentence(e))}}
	if edit, ok := e.Data.(laterEdit); ok {
		result.Content = append(result.Content, mcp.NewTextContent(edit.Diff))
		if !sf.hub.noDataMarker {
			return marked(result)
		}
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

func block(c tools.Content) mcp.Content {
	data := base64.StdEncoding.EncodeToString
	switch c.Kind {
	case tools.Image:
		return mcp.NewImageContent(data(c.Data), c.MIME)
	case tools.Audio:
		return mcp.NewAudioContent(data(c.Data), c.MIME)
	case tools.Embedded:
		return mcp.NewEmbeddedResource(contents(c))
	case tools.Link:
		return mcp.NewResourceLink(c.URI, c.Name, "", c.MIME)
	case tools.Text:
	}
	return mcp.NewTextContent(c.Text)
}

func contents(c tools.Content) mcp.ResourceContents {
	if c.Data != nil {
		return mcp.BlobResourceContents{URI: c.URI, MIMEType: c.MIME, Blob: base64.StdEncoding.EncodeToString(c.Data)}
	}
	return mcp.TextResourceContents{URI: c.URI, MIMEType: c.MIME, Text: c.Text}
}

// protocolError answers a request that is not a tool call: there, an error of
// ours is a JSON-RPC error.
func protocolError(ctx context.Context, err error, notFound int, data map[string]any) error {
	e := tools.AsError(err)
	switch e.Code {
	case tools.NotFound:
		exchangeOf(ctx).fails(notFound, data)
	case tools.Invalid:
		exchangeOf(ctx).fails(mcp.INVALID_PARAMS, nil)
	case tools.Conflict, tools.Denied, tools.Unavailable, tools.Limited, tools.Timeout, tools.Internal:
	}
	return errors.New(sentence(e))
}
