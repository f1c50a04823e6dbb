package hub

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Source says how to open one knowledge base and what agents may do with it.
type Source struct {
	Name     string // [a-z0-9-]+
	Kind     string // the name of its System
	ReadOnly bool   // grants only reads, whatever Effects says
	// Effects are granted to agents. Nil: those of [policy.ResolveSourceEffects].
	Effects []tools.Effect
	// Privacy hides parts of it from agents.
	Privacy tools.Privacy
	// Role is that of clients that were assigned none, in a System with roles;
	// empty: the least.
	Role string
	// Tools are those that agents see besides the System's default list.
	Tools    []string
	AllTools bool            // they see every one
	Options  json.RawMessage // the System's own keys
	Location string          // folder, graph or address, for people
	Sample   bool            // the Welcome vault
}

// A source is one entry of the configuration with the opened source behind it,
// if it could be opened. One goroutine, runLifecycle, opens, checks and closes it.
// There is one opened source of a name at a time, so that two never write the
// same folder: the former one is closed before the next is opened.
type source struct {
	hub     *Hub
	conf    Source
	kind    tools.Kind // nil: the configuration names an unknown System
	effects []tools.Effect
	calls   atomic.Uint64
	writes  atomic.Uint64 // of these, calls of tools that may change something

	life           context.Context // ends with the hub or when a Reload drops it
	end            context.CancelFunc
	former         *source       // had the name before; nil: none
	closed         chan struct{} // closed when this one has been closed
	firstAttempt   chan struct{} // closed after the first attempt to open
	reopenRequests chan chan error
	recovered      bool   // writes that were cut short are settled; runLifecycle's
	postponed      string // why they are not, as the log has it; runLifecycle's

	mu       sync.Mutex
	open     *sourceRef    // nil: not open
	reopened chan struct{} // closed after the attempt to open that is under way; nil: none is
	failure  *tools.Error  // why it does not serve; nil: it serves
	state    status.State
	since    time.Time
	closeErr error // of the last Close

	unpublished sync.Map // *tool by name: what calls within calls have called
}

// A sourceRef is an opened source with a count of the calls that use it: it is
// closed when the last of them has ended.
type sourceRef struct {
	*tools.OpenedSource
	users      sync.WaitGroup
	report     *reporter
	background sync.WaitGroup // Run
	endRun     context.CancelFunc
}

func (h *Hub) newSource(conf Source) *source {
	effects, _ := policy.ResolveSourceEffects(conf.ReadOnly, conf.Effects, nil)
	s := &source{
		hub: h, conf: conf, kind: h.kinds[conf.Kind], effects: effects,
		closed: make(chan struct{}), firstAttempt: make(chan struct{}), reopenRequests: make(chan chan error),
		state: status.Starting, since: h.now(),
	}
	s.life, s.end = context.WithCancel(h.life)
	return s
}

func (s *source) grantsEffect(e tools.Effect) bool { return slices.Contains(s.effects, e) }

// tool is a tool of the source's System as calls within calls have it; nil: there is
// none. It is made once, because its digest takes longer than a small call.
func (s *source) tool(name string) *tool {
	if known, ok := s.unpublished.Load(name); ok {
		return known.(*tool) //nolint:forcetypeassert // nothing else is in it
	}
	info, ok := s.kind.Manifest().Tool(name)
	if !ok {
		return nil
	}
	t := &tool{name: info.Name, info: info, digest: policy.ToolDigest(info), kind: s.kind}
	s.unpublished.Store(name, t)
	return t
}

// notifyResourceChanged is told by the source that a resource has changed, or may have.
func (s *source) notifyResourceChanged(uri string) {
	if s.polls(uri) {
		s.hub.resources.lookSoon()
		return
	}
	s.tellSubscribers(uri)
}

// tellSubscribers tells those subscribers of uri who could read it from s.
func (s *source) tellSubscribers(uri string) {
	s.hub.mcp.NotifyResourceChanged(uri, func(scope string, who policy.Client) bool {
		cache, _ := s.hub.sources.toolsetCacheFor(scope)
		v := cache.forClient(who)
		return v.includesSource(s) && v.grantsEffectInSource(s, tools.Reads) &&
			checkRead(s.hub.policy.Load(), newResourceRead(uri).policyRequest(who, s)) == nil
	})
}
