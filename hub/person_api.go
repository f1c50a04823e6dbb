package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// personClientName is the client name of a person at the panel or the shell, in
// policy and audit.
const personClientName = "lectern call"

// A PersonAPI is the hub as a person at the panel or the shell reaches it, who
// sees the sources as agents see them.
type PersonAPI struct{ hub *Hub }

// callerForSource is a person who sees one source.
func (a PersonAPI) callerForSource(name string) (caller, *source, error) {
	src, ok := a.hub.sources.named(name)
	if !ok {
		return caller{}, nil, tools.Errorf(tools.NotFound, "no source named %q", name).WithHint("`lectern source list` shows them.")
	}
	v := newToolset([]*source{src}, (*source).personAccess, false) // a person has `lectern changes`
	by := caller{
		session: a.hub.sessions.newPersonSession(name, personClientName), client: policy.Client{Name: personClientName, Proven: true}, toolset: v,
		via: tools.ViaPerson,
	}
	return by, src, nil
}

// Call runs a tool, by its specification's name, on one source, as for an
// agent: grants, limits and audit hold. Its error is a [tools.Error].
func (a PersonAPI) Call(ctx context.Context, source, tool string, args json.RawMessage) (tools.Result, error) {
	by, _, err := a.callerForSource(source)
	if err != nil {
		return tools.Result{}, err
	}
	return a.hub.call(ctx, by, mcp.Call{Tool: tool, Args: args})
}

// ClientTools lists what a client sees in a scope, by name: what its token grants it
// while it is connected and has shown that. An empty client is one that no grant
// names.
func (a PersonAPI) ClientTools(_ context.Context, scope, client string) ([]status.Tool, error) {
	cache, ok := a.hub.sources.toolsetCacheFor(scope)
	if !ok {
		return nil, fmt.Errorf("list tools: no source named %s; `lectern source list` shows them", scope)
	}
	v := cache.usual
	if client != "" {
		v = cache.forClient(policy.Client{Name: client, Proven: a.hub.sessions.hasProvenClient(client)})
	}
	list := make([]status.Tool, 0, len(v.tools))
	for _, name := range slices.Sorted(maps.Keys(v.tools)) {
		list = append(list, v.tools[name].toStatus())
	}
	return list, nil
}

// toStatus is t as a person reads it. Its examples are those of the declaration, for
// no particular source.
func (t *tool) toStatus() status.Tool {
	declaration, schema := mcp.ToolDeclarationJSON(t.declaration())
	out := status.Tool{
		Name: t.name, Title: t.info.Title, Description: t.info.Doc, System: t.kind.Manifest().Name,
		Effect: string(t.info.Effect), Sources: t.choice.names, Schema: schema, Bytes: len(declaration), Examples: []status.Example{},
	}
	for _, x := range t.info.Examples {
		out.Examples = append(out.Examples, status.Example{Purpose: x.Purpose, Args: x.In})
	}
	return out
}
