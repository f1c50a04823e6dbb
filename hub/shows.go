package hub

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// shows are the views of one surface. Clients that are granted the same share
// one, so there are as few as there are differing grants.
type shows struct {
	policy  *policy.Policy
	sources []*source
	usual   *view // of whom no grant names
	widest  *view // of whom most is granted: what mcp-go has

	mu sync.Mutex
	by map[string]*view // by what is granted
}

func newShows(p *policy.Policy, sources []*source) *shows {
	s := &shows{policy: p, sources: sources, usual: newView(sources, granted), by: map[string]*view{}}
	s.widest = s.usual
	if p.ByClient() {
		s.by[s.key(func(src *source) []tools.Effect { return src.effects })] = s.usual
		s.widest = s.view(func(src *source) []tools.Effect { return p.Widest(src.conf.Name, src.effects, src.maxEffects()) })
	}
	return s
}

// viewOf is what the client of x sees.
func (sf *surface) viewOf(x *exchange) *view {
	s := sf.shows.Load()
	if !s.policy.ByClient() {
		return s.usual // the usual case looks nobody up
	}
	return s.of(x.who())
}

func (s *shows) of(who policy.Client) *view {
	if !s.policy.ByClient() {
		return s.usual
	}
	return s.view(func(src *source) []tools.Effect {
		return s.policy.Effects(who, src.conf.Name, src.effects, src.maxEffects())
	})
}

// view is the one of whom effects are granted so.
func (s *shows) view(granted func(*source) []tools.Effect) *view {
	key := s.key(granted)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.by[key]
	if v == nil {
		by := map[*source][]tools.Effect{}
		for _, src := range s.sources {
			by[src] = granted(src)
		}
		v = newView(s.sources, func(src *source, e tools.Effect) bool { return slices.Contains(by[src], e) })
		s.by[key] = v
	}
	return v
}

// key spells what is granted.
func (s *shows) key(granted func(*source) []tools.Effect) string {
	var b strings.Builder
	for _, src := range s.sources {
		for _, e := range granted(src) {
			b.WriteString(string(e) + ",")
		}
		b.WriteByte('/')
	}
	return b.String()
}

// granted are the grants of a client that nothing is said about.
func granted(s *source, e tools.Effect) bool { return s.grants(e) }

// maxEffects is what no grant to a client goes beyond.
func (s *source) maxEffects() []tools.Effect {
	if s.conf.ReadOnly {
		return []tools.Effect{tools.Reads}
	}
	return tools.Effects()
}

// narrow makes lists show no more than the client may use.
func (sf *surface) narrow(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		if v := sf.narrower(ctx); v != nil {
			r.Tools = []mcp.Tool{}
			for _, name := range slices.Sorted(maps.Keys(v.tools)) {
				r.Tools = append(r.Tools, v.tools[name].publish())
			}
		}
	})
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, r *mcp.ListPromptsResult) {
		if v := sf.narrower(ctx); v != nil {
			r.Prompts = slices.DeleteFunc(slices.Clone(r.Prompts), func(p mcp.Prompt) bool { return v.prompts[p.Name] == nil })
		}
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
		if v := sf.narrower(ctx); v != nil {
			r.Resources = slices.DeleteFunc(slices.Clone(r.Resources), func(p mcp.Resource) bool { return !v.names(p.Name) })
		}
	})
	hooks.AddAfterListResourceTemplates(func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, r *mcp.ListResourceTemplatesResult) {
		if v := sf.narrower(ctx); v != nil {
			r.ResourceTemplates = slices.DeleteFunc(slices.Clone(r.ResourceTemplates), func(p mcp.ResourceTemplate) bool { return !v.names(p.Name) })
		}
	})
}

// narrower is the view of a client that may see less than mcp-go has, or nil.
func (sf *surface) narrower(ctx context.Context) *view {
	v := sf.viewOf(exchangeOf(ctx))
	if v == sf.shows.Load().widest {
		return nil
	}
	return v
}

// names reports whether a resource of this name is in the view.
func (v *view) names(name string) bool {
	return slices.ContainsFunc(v.resources, func(r resource) bool { return r.name == name })
}
