package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

func (ep *endpoint) readResource(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	c, err := ep.Hub.Read(ctx, requestFromContext(ctx).caller, r.Params.URI)
	if err != nil {
		return nil, toHandlerError(ctx, err, missingResourceCode(ctx))
	}
	return ep.untrustedResourceContents(c), nil
}

func (ep *endpoint) getPrompt(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	x := requestFromContext(ctx)
	messages, err := ep.Hub.Prompt(ctx, x.caller, r.Params.Name, r.Params.Arguments)
	if err != nil {
		return nil, toHandlerError(ctx, err, mcp.INVALID_PARAMS)
	}
	out := &mcp.GetPromptResult{Description: ep.clientToolset(x).Prompts[r.Params.Name].Doc, Messages: []mcp.PromptMessage{}}
	for _, m := range messages {
		role := mcp.RoleUser
		if m.Assistant {
			role = mcp.RoleAssistant
		}
		out.Messages = append(out.Messages, mcp.PromptMessage{Role: role, Content: contentBlock(m.Content)})
	}
	return out, nil
}

// CompletePromptArgument implements [server.PromptCompletionProvider].
func (ep *endpoint) CompletePromptArgument(
	ctx context.Context, name string, argument mcp.CompleteArgument, with mcp.CompleteContext,
) (*mcp.Completion, error) {
	return ep.completeArgument(ctx, CompletionRequest{Prompt: name, Argument: argument.Name, Value: argument.Value, Given: with.Arguments})
}

// CompleteResourceArgument implements [server.ResourceCompletionProvider].
func (ep *endpoint) CompleteResourceArgument(
	ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	return ep.completeArgument(ctx, CompletionRequest{Resource: uri, Argument: argument.Name, Value: argument.Value})
}

// maxCompletionValues is how many values a completion may propose (MCP schema).
const maxCompletionValues = 100

func (ep *endpoint) completeArgument(ctx context.Context, c CompletionRequest) (*mcp.Completion, error) {
	values, err := ep.Hub.Complete(ctx, requestFromContext(ctx).caller, c)
	if err != nil {
		return nil, toHandlerError(ctx, err, mcp.INVALID_PARAMS)
	}
	return &mcp.Completion{Values: append([]string{}, values...), Total: len(values), HasMore: len(values) == maxCompletionValues}, nil
}

// listResourcesOfTemplates are the resources that templates list by their values, for the client
// of a request: each URI once.
func (ep *endpoint) listResourcesOfTemplates(ctx context.Context) (listed []mcp.Resource) {
	x := requestFromContext(ctx)
	seen := map[string]bool{}
	for _, info := range ep.clientToolset(x).Resources {
		if !info.Listed {
			continue
		}
		values, err := ep.Hub.Complete(ctx, x.caller, CompletionRequest{Resource: info.URI, Name: info.Name, Argument: info.Variable()})
		if err != nil {
			continue // a source that does not serve lists nothing
		}
		for _, value := range values {
			if uri := info.WithValue(value); !seen[uri] {
				seen[uri] = true
				listed = append(listed, mcp.Resource{URI: uri, Name: value, Title: info.Title + ": " + value, MIMEType: info.MIME})
			}
		}
	}
	return listed
}
