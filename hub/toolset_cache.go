package hub

import (
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A toolsetCache holds the toolsets of one scope under one policy. Clients that are
// granted the same share one, so there are as few as there are differing grants.
type toolsetCache struct {
	policy     *policy.Policy
	sources    []*source
	ownChanges bool
	usual      *toolset // of clients that no grant names
	widest     *toolset // the union of what all clients are granted

	mu sync.Mutex
	by map[string]*toolset // by what is granted
}

func newToolsetCache(p *policy.Policy, sources []*source, ownChanges bool) *toolsetCache {
	s := &toolsetCache{
		policy: p, sources: sources, ownChanges: ownChanges, usual: newToolset(sources, (*source).grants, ownChanges), by: map[string]*toolset{},
	}
	s.widest = s.usual
	if p.ByClient() {
		s.by[s.key(func(src *source) []tools.Effect { return src.effects })] = s.usual
		s.widest = s.withEffects(func(src *source) []tools.Effect { return p.Widest(src.conf.Name, src.effects, src.maxEffects()) })
	}
	return s
}

// forClient is what a client sees.
func (s *toolsetCache) forClient(who policy.Client) *toolset {
	if !s.policy.ByClient() {
		return s.usual
	}
	return s.withEffects(func(src *source) []tools.Effect {
		return s.policy.Effects(who, src.conf.Name, src.effects, src.maxEffects())
	})
}

// withEffects is the toolset of clients that are granted these effects.
func (s *toolsetCache) withEffects(granted func(*source) []tools.Effect) *toolset {
	key := s.key(granted)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.by[key]
	if v == nil {
		by := map[*source][]tools.Effect{}
		for _, src := range s.sources {
			by[src] = granted(src)
		}
		v = newToolset(s.sources, func(src *source, e tools.Effect) bool { return slices.Contains(by[src], e) }, s.ownChanges)
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

// maxEffects is what no grant to a client goes beyond.
func (s *source) maxEffects() []tools.Effect {
	if s.conf.ReadOnly {
		return []tools.Effect{tools.Reads}
	}
	return tools.Effects()
}
