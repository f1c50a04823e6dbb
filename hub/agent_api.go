package hub

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// An agentAPI is the hub as agents reach it: it implements [mcp.Hub].
type agentAPI struct{ hub *Hub }

// Toolset implements [mcp.Hub].
func (a agentAPI) Toolset(scope string, client *policy.Client) (set *mcp.Toolset, known bool) {
	cache, known := a.hub.sources.toolsetCacheFor(scope)
	if client == nil {
		return cache.widest.published, known
	}
	return cache.forClient(*client).published, known
}

// Read implements [mcp.Hub].
func (a agentAPI) Read(ctx context.Context, by mcp.RequestOrigin, uri string) (tools.Content, error) {
	r := a.caller(by)
	err := error(tools.Errorf(tools.NotFound, "no resource at %s", uri))
	for _, found := range r.toolset.resourcesMatching(uri) {
		var c tools.Content
		if c, err = a.readFrom(ctx, r, found, uri); err == nil || tools.AsError(err).Code != tools.NotFound {
			return c, err
		}
	}
	return tools.Content{}, err
}

func (a agentAPI) readFrom(ctx context.Context, r caller, found resource, uri string) (tools.Content, error) {
	read := newResourceRead(uri)
	read.targets = func(ctx context.Context, open *sourceRef) []string { return open.ResourceTargets(ctx, uri) }
	return runReadOnSource(ctx, a.hub, r, found.source, read, func(ctx context.Context, open *sourceRef) (tools.Content, error) {
		c, err := open.Read(ctx, uri)
		if size := len(c.Text) + len(c.Data); err == nil && size > a.hub.limits.Answer {
			err = tools.Errorf(tools.Limited, "the resource has %d bytes, more than the %d that fit", size, a.hub.limits.Answer)
		}
		return c, err
	})
}

// Prompt implements [mcp.Hub].
func (a agentAPI) Prompt(ctx context.Context, by mcp.RequestOrigin, name string, args map[string]string) ([]tools.Message, error) {
	r := a.caller(by)
	p, ok := r.toolset.prompts[name]
	if !ok {
		return nil, tools.Errorf(tools.NotFound, "no prompt named %s", name)
	}
	src, args, err := p.extractSource(args)
	if err != nil {
		return nil, err
	}
	read := sourceRead{what: "prompts/get", texts: slices.Collect(maps.Values(args))}
	read.targets = func(ctx context.Context, open *sourceRef) []string { return open.PromptTargets(ctx, p.info.Name, args) }
	return runReadOnSource(ctx, a.hub, r, src, read, func(ctx context.Context, open *sourceRef) ([]tools.Message, error) {
		return open.Prompt(ctx, p.info.Name, args)
	})
}

// Complete implements [mcp.Hub].
func (a agentAPI) Complete(ctx context.Context, by mcp.RequestOrigin, c mcp.CompletionRequest) ([]string, error) {
	r := a.caller(by)
	var src *source
	ref := c.Resource
	if c.Prompt == "" {
		for _, res := range r.toolset.resources {
			if res.info.URI == c.Resource && (c.Name == "" || res.name == c.Name) {
				src = res.source
				break
			}
		}
	} else {
		p, ok := r.toolset.prompts[c.Prompt]
		if !ok {
			return nil, tools.Errorf(tools.NotFound, "no prompt named %s", c.Prompt)
		}
		if p.choice.offered && c.Argument == p.choice.argument {
			return p.choice.completeName(c.Value), nil
		}
		ref = p.info.Name
		src, _, _ = p.extractSource(c.Given) // nil while the source is not chosen
	}
	if src == nil {
		return nil, nil
	}
	return runReadOnSource(ctx, a.hub, r, src, sourceRead{what: "completion/complete"},
		func(ctx context.Context, open *sourceRef) ([]string, error) {
			return open.Complete(ctx, ref, c.Argument, c.Value)
		})
}

// extractSource finds the source that args name and takes the choice out of them.
func (p *prompt) extractSource(args map[string]string) (*source, map[string]string, error) {
	src, err := p.choice.findSource(args[p.choice.argument])
	rest := maps.Clone(args)
	delete(rest, p.choice.argument)
	return src, rest, err
}
