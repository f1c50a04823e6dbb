package hub

import (
	"context"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/tools"
)

// read runs f on a source for anything but a tool: the same grant, deadline,
// slot, panic guard and log as [Hub.call], for what only ever reads.
func read[T any](ctx context.Context, sf *surface, src *source, what, uri string, f func(context.Context, *sourceRef) (T, error)) (T, error) {
	x := exchangeOf(ctx)
	return readSource(ctx, sf.hub, reader{x.session, x.who(), sf.viewOf(x)}, src, what, uri, f)
}

func (sf *surface) readResource(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri := r.Params.URI
	missing := mcp.RESOURCE_NOT_FOUND
	if server.IsModernRequest(ctx) {
		missing = mcp.INVALID_PARAMS
	}
	found, ok := sf.viewOf(exchangeOf(ctx)).resource(uri)
	if !ok {
		return nil, protocolError(ctx, tools.Errorf(tools.NotFound, "no resource at %s", uri), missing, map[string]any{"uri": uri})
	}
	c, err := read(ctx, sf, found.source, "resources/read", uri, func(ctx context.Context, open *sourceRef) (tools.Content, error) {
		c, err := open.Read(ctx, uri)
		if err == nil && len(c.Text)+len(c.Data) > sf.hub.limits.Answer {
			err = tools.Errorf(tools.Limited, "the resource has %d bytes, more than the %d that fit", len(c.Text)+len(c.Data), sf.hub.limits.Answer)
		}
		return c, err
	})
	if err != nil {
		return nil, protocolError(ctx, err, missing, map[string]any{"uri": uri})
	}
	return []mcp.ResourceContents{contents(c)}, nil
}

func (sf *surface) getPrompt(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	p, ok := sf.viewOf(exchangeOf(ctx)).prompts[r.Params.Name]
	if !ok {
		return nil, protocolError(ctx, tools.Errorf(tools.NotFound, "no prompt named %s", r.Params.Name), mcp.INVALID_PARAMS, nil)
	}
	src, args, err := p.pick(r.Params.Arguments)
	if err != nil {
		return nil, protocolError(ctx, err, mcp.INVALID_PARAMS, nil)
	}
	messages, err := read(ctx, sf, src, "prompts/get", "", func(ctx context.Context, open *sourceRef) ([]tools.Message, error) {
		return open.Prompt(ctx, p.info.Name, args)
	})
	if err != nil {
		return nil, protocolError(ctx, err, mcp.INVALID_PARAMS, nil)
	}
	out := &mcp.GetPromptResult{Description: p.info.Doc, Messages: []mcp.PromptMessage{}}
	for _, m := range messages {
		role := mcp.RoleUser
		if m.Assistant {
			role = mcp.RoleAssistant
		}
		out.Messages = append(out.Messages, mcp.PromptMessage{Role: role, Content: block(m.Content)})
	}
	return out, nil
}

func (p *prompt) pick(args map[string]string) (*source, map[string]string, error) {
	src, err := p.choice.named(p.of, args[p.choice.argument])
	rest := maps.Clone(args)
	delete(rest, p.choice.argument)
	return src, rest, err
}

// promptCompletion proposes values of prompts' arguments.
type promptCompletion struct{ surface *surface }

// CompletePromptArgument implements mcp-go's provider.
func (c promptCompletion) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, with mcp.CompleteContext) (*mcp.Completion, error) {
	p, ok := c.surface.viewOf(exchangeOf(ctx)).prompts[name]
	if !ok {
		return nil, protocolError(ctx, tools.Errorf(tools.NotFound, "no prompt named %s", name), mcp.INVALID_PARAMS, nil)
	}
	if p.choice.offered && argument.Name == p.choice.argument {
		return proposals(p.choice.startingWith(argument.Value)), nil
	}
	src, _, err := p.pick(with.Arguments)
	if err != nil {
		return proposals(nil), nil //nolint:nilerr // which source is not said yet, so nothing can be proposed
	}
	return c.surface.complete(ctx, src, p.info.Name, argument)
}

// resourceCompletion proposes values of resource templates' variables.
type resourceCompletion struct{ surface *surface }

// CompleteResourceArgument implements mcp-go's provider.
func (c resourceCompletion) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, r := range c.surface.viewOf(exchangeOf(ctx)).resources {
		if r.info.URI == uri {
			return c.surface.complete(ctx, r.source, uri, argument)
		}
	}
	return proposals(nil), nil
}

func (sf *surface) complete(ctx context.Context, src *source, ref string, argument mcp.CompleteArgument) (*mcp.Completion, error) {
	values, err := read(ctx, sf, src, "completion/complete", "", func(ctx context.Context, open *sourceRef) ([]string, error) {
		return open.Complete(ctx, ref, argument.Name, argument.Value)
	})
	if err != nil {
		return nil, protocolError(ctx, err, mcp.INVALID_PARAMS, nil)
	}
	return proposals(values), nil
}

func proposals(values []string) *mcp.Completion {
	if values == nil {
		values = []string{}
	}
	return &mcp.Completion{Values: values, Total: len(values), HasMore: len(values) == 100}
}
