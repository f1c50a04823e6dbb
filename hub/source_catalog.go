package hub

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// A sourceCatalog is the list of sources, in the order of the configuration,
// with what clients see of them under the policy.
type sourceCatalog struct {
	policy     *atomic.Pointer[policy.Policy] // the hub's
	ownChanges bool                           // agents may list and undo their own Changes

	mu      sync.RWMutex
	sources []*source
	latest  map[string]*source       // by name, those that have been dropped too
	caches  map[string]*toolsetCache // by scope

	generation atomic.Uint64 // of the toolsets: how often they were made again
}

func newSourceCatalog(p *atomic.Pointer[policy.Policy], ownChanges bool) *sourceCatalog {
	return &sourceCatalog{policy: p, ownChanges: ownChanges, latest: map[string]*source{}, caches: map[string]*toolsetCache{}}
}

// replace takes over a new list. A source whose description has not changed
// stays; create makes the others.
func (c *sourceCatalog) replace(list []Source, create func(Source) *source) (added, dropped []*source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dropped = slices.Clone(c.sources)
	next := make([]*source, 0, len(list))
	for _, conf := range list {
		i := slices.IndexFunc(dropped, func(s *source) bool { return reflect.DeepEqual(s.conf, conf) })
		if i >= 0 {
			next = append(next, dropped[i])
			dropped = slices.Delete(dropped, i, i+1)
			continue
		}
		s := create(conf)
		s.former, c.latest[conf.Name] = c.latest[conf.Name], s
		next, added = append(next, s), append(added, s)
	}
	c.sources = next
	return added, dropped
}

// sourcesInScope lists the sources of a scope: all, or those that it names, separated by
// commas.
func (c *sourceCatalog) sourcesInScope(scope string) []*source {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sourcesInScopeLocked(scope)
}

func (c *sourceCatalog) sourcesInScopeLocked(scope string) []*source {
	names := strings.Split(scope, ",")
	return slices.DeleteFunc(slices.Clone(c.sources), func(s *source) bool { return scope != "" && !slices.Contains(names, s.conf.Name) })
}

func (c *sourceCatalog) named(name string) (*source, bool) {
	in := c.sourcesInScope("")
	i := slices.IndexFunc(in, func(s *source) bool { return s.conf.Name == name })
	if i < 0 {
		return nil, false
	}
	return in[i], true
}

// toolsetCacheFor is the cache of a scope, made when it is first needed; false if the
// scope names what is no source.
func (c *sourceCatalog) toolsetCacheFor(scope string) (*toolsetCache, bool) {
	c.mu.RLock()
	cache := c.caches[scope]
	c.mu.RUnlock()
	if cache != nil {
		return cache, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	sources := c.sourcesInScopeLocked(scope)
	if cache = c.caches[scope]; cache == nil {
		cache = newToolsetCache(c.policy.Load(), sources, c.ownChanges)
	}
	if scope != "" && len(sources) < 1+strings.Count(scope, ",") {
		return cache, false // not kept: anything can be asked for
	}
	c.caches[scope] = cache
	return cache, true
}

// forgetToolsets has all toolsets made again when they are next needed.
func (c *sourceCatalog) forgetToolsets() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.caches)
	c.generation.Add(1)
}

// describeGrants says in a few words what a client may do, where that differs
// from what the sources grant to every client.
func (c *sourceCatalog) describeGrants(client policy.Client, scope string) string {
	p := c.policy.Load()
	if !p.DependsOnClient() {
		return ""
	}
	var words []string
	for _, src := range c.sourcesInScope(scope) {
		has := src.accessOf(p, client)
		may := ""
		if !slices.Equal(has.effects, src.effects) {
			may = cmp.Or(strings.Join(effectNames(has.effects), ", "), "nothing")
		}
		if has.role != src.defaultRole() {
			may = strings.TrimSpace(may + " as " + has.role)
		}
		if may != "" {
			words = append(words, src.conf.Name+": "+may)
		}
	}
	return strings.Join(words, "; ")
}
