package hub

import (
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A toolsetCache holds the views of one scope under one policy. Clients that are
// granted the same share one, so there are as few as there are differing grants.
type toolsetCache struct {
	policy  *policy.Policy
	sources []*source
	usual   *view // of clients that no grant names
	widest  *view // the union of what all clients are granted

	mu sync.Mutex
	by map[string]*view // by what is granted
}

// toolsets is the cache of a scope, made when it is first needed; false if the
// scope does not exist.
func (h *Hub) toolsets(scope string) (*toolsetCache, bool) {
	h.mu.RLock()
	cache := h.toolsetCaches[scope]
	h.mu.RUnlock()
	if cache != nil {
		return cache, true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	sources := h.inScopeLocked(scope)
	if cache = h.toolsetCaches[scope]; cache == nil {
		cache = newToolsetCache(h.policy.Load(), sources)
	}
	if scope != "" && len(sources) == 0 {
		return cache, false // not kept: anything can be asked for
	}
	h.toolsetCaches[scope] = cache
	return cache, true
}

func newToolsetCache(p *policy.Policy, sources []*source) *toolsetCache {
	s := &toolsetCache{policy: p, sources: sources, usual: newView(sources, granted), by: map[string]*view{}}
	s.widest = s.usual
	if p.ByClient() {
		s.by[s.key(func(src *source) []tools.Effect { return src.effects })] = s.usual
		s.widest = s.view(func(src *source) []tools.Effect { return p.Widest(src.conf.Name, src.effects, src.maxEffects()) })
	}
	return s
}

// of is what a client sees.
func (s *toolsetCache) of(who policy.Client) *view {
	if !s.policy.ByClient() {
		return s.usual
	}
	return s.view(func(src *source) []tools.Effect {
		return s.policy.Effects(who, src.conf.Name, src.effects, src.maxEffects())
	})
}

// view is the one of clients that are granted these effects.
func (s *toolsetCache) view(granted func(*source) []tools.Effect) *view {
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
func (s *toolsetCache) key(granted func(*source) []tools.Effect) string {
	var b strings.Builder
	for _, src := range s.sources {
		for _, e := range granted(src) {
			b.WriteString(string(e) + ",")
		}
		b.WriteByte('/')
	}
	return b.String()
}

// granted are the grants of a client that the policy does not name.
func granted(s *source, e tools.Effect) bool { return s.grants(e) }

// maxEffects is what no grant to a client goes beyond.
func (s *source) maxEffects() []tools.Effect {
	if s.conf.ReadOnly {
		return []tools.Effect{tools.Reads}
	}
	return tools.Effects()
}
