package hub

import (
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/hub/policy"
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
	s := &toolsetCache{policy: p, sources: sources, ownChanges: ownChanges, by: map[string]*toolset{}}
	s.usual = s.toolsetForAccess((*source).defaultAccess)
	s.widest = s.toolsetForAccess(func(src *source) access { return src.widestAccess(p) })
	return s
}

// forClient is what a client sees.
func (s *toolsetCache) forClient(who policy.Client) *toolset {
	if !s.policy.DependsOnClient() {
		return s.usual
	}
	return s.toolsetForAccess(func(src *source) access { return src.accessOf(s.policy, who) })
}

// toolsetForAccess is the toolset of clients with this access to each source.
func (s *toolsetCache) toolsetForAccess(of accessFunc) *toolset {
	by := map[*source]access{}
	var key strings.Builder
	for _, src := range s.sources {
		a := of(src)
		by[src] = a
		for _, e := range a.effects {
			key.WriteString(string(e) + ",")
		}
		key.WriteString(a.role)
		if a.anyRole && src.defaultRole() != "" {
			key.WriteByte('*')
		}
		key.WriteByte('/')
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.by[key.String()]
	if v == nil {
		v = newToolset(s.sources, func(src *source) access { return by[src] }, s.ownChanges)
		s.by[key.String()] = v
	}
	return v
}
