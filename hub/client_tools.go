package hub

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

// Tools lists what a client sees in a scope, by name: what its token grants it
// while it is connected and has shown that. An empty client is one that no grant
// names.
func (h *Hub) Tools(_ context.Context, scope, client string) ([]status.Tool, error) {
	cache, ok := h.toolsets(scope)
	if !ok {
		return nil, fmt.Errorf("list tools: no source named %s; `lectern source list` shows them", scope)
	}
	v := cache.usual
	if client != "" {
		v = cache.forClient(policy.Client{Name: client, Proven: h.isProven(client)})
	}
	list := make([]status.Tool, 0, len(v.tools))
	for _, name := range slices.Sorted(maps.Keys(v.tools)) {
		list = append(list, v.tools[name].show())
	}
	return list, nil
}

func (h *Hub) isProven(name string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for s := range h.sessions {
		if s.Proven == name {
			return true
		}
	}
	return false
}

// show is t as a person reads it. Its examples are those of the declaration, for
// no particular source.
func (t *tool) show() status.Tool {
	declaration, schema := mcp.Declaration(t.declaration())
	out := status.Tool{
		Name: t.name, Title: t.info.Title, Description: t.info.Doc, System: t.kind.Manifest().Name,
		Effect: string(t.info.Effect), Sources: t.choice.names, Schema: schema, Bytes: len(declaration), Examples: []status.Example{},
	}
	for _, x := range t.info.Examples {
		out.Examples = append(out.Examples, status.Example{Purpose: x.Purpose, Args: x.In})
	}
	return out
}
