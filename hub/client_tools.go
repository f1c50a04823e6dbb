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

// Tools answers what a client sees in a scope, by name: status.Desk's.
func (h *Hub) Tools(_ context.Context, scope, client string) ([]status.Tool, error) {
	v, ok := h.seenBy(scope, client)
	if !ok {
		return nil, fmt.Errorf("list tools: no source named %s; `lectern source list` shows them", scope)
	}
	list := make([]status.Tool, 0, len(v.tools))
	for _, name := range slices.Sorted(maps.Keys(v.tools)) {
		list = append(list, v.tools[name].show())
	}
	return list, nil
}

// seenBy is the view of a client that is known by this name: with what its token
// grants it while it is connected and has shown that.
func (h *Hub) seenBy(scope, name string) (*view, bool) {
	sources := h.inScope(scope)
	s := newToolsetCache(h.policy.Load(), sources)
	if name == "" {
		return s.usual, scope == "" || len(sources) > 0
	}
	return s.of(policy.Client{Name: name, Proven: h.isProven(name)}), scope == "" || len(sources) > 0
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

// show is t as a person reads it. Its examples are those of the declaration:
// they say nothing of a source.
func (t *tool) show() status.Tool {
	declaration, schema := mcp.Declaration(t.declaration())
	out := status.Tool{
		Name: t.name, Title: t.info.Title, Description: t.info.Doc, System: t.kind.Manifest().Name,
		Effect: string(t.info.Effect), Sources: t.choice.names, Schema: schema, Bytes: len(declaration), Examples: []status.Example{},
	}
	for _, x := range t.info.Examples {
		out.Examples = append(out.Examples, status.Example{Why: x.Purpose, Args: x.In})
	}
	return out
}
