// Package hub is the process that owns the sources: it opens them, publishes
// their tools, resources and prompts over MCP, and passes every call of every
// agent through one function, [Hub.call].
//
// It takes Systems as an argument and never names one; it listens nowhere and
// reads no configuration, which is cmd's work. It does not speak MCP: package
// hub/mcp does, and reaches the hub through agent_api.go. cmd/lectern imports it.
//
// Start reading at [Hub], then call.go.
package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Config is what a Hub is made of. Kinds, Log and Now are required.
type Config struct {
	Kinds   []tools.Kind
	Sources []Source // in the order shown to people; names are unique
	Limits  Limits
	Version string // of Lectern, told to agents
	Skill   string // version of SKILL.md, told to agents
	State   Picture
	// Bridge is where Systems with a Peer find it. The hub neither serves nor
	// closes it. Nil: no Peer ever connects.
	Bridge *bridge.Bridge
	// Policy is what agents may do besides what the sources grant; nil: there
	// is none.
	Policy *policy.Policy
	// Journal keeps what agents change. Whoever made it closes it, after the hub.
	// Nil: nobody remembers, which is for tests.
	Journal *journal.Journal
	// Proves names the client that has proved its name by its token, or "".
	// Nil: none does.
	Proves func(*http.Request) string
	// Asks hears of every call that begins to wait for a person; it must not
	// block. Nil: nobody does.
	Asks func(status.Approval)
	// Pasts gives agents the tools to list and undo their own Changes.
	Pasts bool
	// Unmarked leaves out of answers the mark that they are data, not
	// instructions.
	Unmarked bool
	Log      *slog.Logger
	Now      func() time.Time
}

// Source says how to open one knowledge base and what agents may do with it.
type Source struct {
	Name     string // [a-z0-9-]+
	Kind     string // the name of its System
	ReadOnly bool   // grants reads alone, whatever Effects says
	// Effects are granted to agents. Nil grants all but [tools.Admin], which
	// is never granted unless it is named.
	Effects []tools.Effect
	// Privacy says what agents must not see of it.
	Privacy tools.Privacy
	Options json.RawMessage // the System's own keys
	Place   string          // folder, graph or address, for people
	Sample  bool            // the Welcome vault
}

// Picture is the part of supervisor.State that the hub draws on.
type Picture interface {
	Update(change func(*status.Snapshot))
	Raise(p status.Problem)
	Clear(code, part string)
}

// Hub opens sources and serves them. Its methods may be used from any
// goroutine.
type Hub struct {
	kinds   map[string]tools.Kind
	limits  Limits
	skill   string
	log     *slog.Logger
	now     func() time.Time
	picture *picture
	bridge  *bridge.Bridge
	journal *journal.Journal
	stopped atomic.Bool // the journal cannot be written
	policy  atomic.Pointer[policy.Policy]
	mcp     *mcp.Server

	life    context.Context // ends with Close
	end     context.CancelFunc
	work    sync.WaitGroup // what life ends
	reload  sync.Mutex     // one Reload at a time
	started atomic.Bool

	mu            sync.RWMutex
	sources       []*source
	toolsetCaches map[string]*toolsetCache  // by scope
	sessions      map[*mcp.Session]*session // that are open

	approvals  approvals
	pasts      bool // agents may see and undo their own Changes
	allowances allowances
	ring       *callRing
	trail      atomic.Pointer[audit.Trail]
	calls      atomic.Uint64
	failures   atomic.Uint64
	inFlight   atomic.Int64
	ids        atomic.Uint64
	settled    chan struct{} // cap 1: the last call in flight has ended

	asks func(status.Approval) // hears of every call that begins to wait
}

// New makes a hub. Nothing is opened before [Hub.Start].
func New(c Config) *Hub {
	h := &Hub{
		kinds: map[string]tools.Kind{}, limits: c.Limits.orDefaults(),
		skill: c.Skill, log: c.Log, now: c.Now, bridge: c.Bridge, journal: c.Journal, asks: c.Asks,
		toolsetCaches: map[string]*toolsetCache{}, sessions: map[*mcp.Session]*session{}, settled: make(chan struct{}, 1),
	}
	h.pasts = c.Pasts && c.Journal != nil
	h.ring = &callRing{size: callsKept}
	for _, k := range c.Kinds {
		h.kinds[k.Manifest().Name] = k
	}
	h.policy.Store(cmp.Or(c.Policy, policy.New(nil, nil)))
	h.life, h.end = context.WithCancel(context.Background())
	h.picture = newPicture(c.State, c.Now)
	h.mcp = mcp.New(mcp.Config{
		Hub: agentAPI{h}, Limits: h.limits.Limits, Version: c.Version, Skill: c.Skill, SessionID: h.sessionID, SessionChanged: h.sessionChanged,
		Proves: c.Proves, NoDataMarker: c.Unmarked, Log: c.Log, Now: c.Now,
	})
	for _, s := range c.Sources {
		h.sources = append(h.sources, h.newSource(s))
	}
	return h
}

// Start opens the sources, all at once, and returns when each was tried or
// after two seconds: a slow one goes on by itself. A source that cannot be
// opened is a Problem, not an error, and is tried again every 30 s.
func (h *Hub) Start(ctx context.Context) error {
	if h.started.Swap(true) {
		return errors.New("start hub: it has been started before")
	}
	h.countOn()
	h.work.Go(func() { h.picture.run(h.life, h.draw) })
	h.work.Go(func() { h.mcp.CloseIdle(h.life) })
	h.mu.RLock()
	sources := slices.Clone(h.sources)
	h.mu.RUnlock()
	for _, s := range sources {
		h.work.Go(func() { s.keep() })
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	for _, s := range sources {
		select {
		case <-s.tried:
		case <-wait.C:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("start hub: %w", ctx.Err())
		}
	}
	return nil
}

// Reload takes over a new list of sources. One whose description has not
// changed stays open; agents whose lists change are told so.
func (h *Hub) Reload(_ context.Context, sources []Source) error {
	if h.life.Err() != nil {
		return errors.New("reload sources: the hub is closed")
	}
	h.reload.Lock()
	defer h.reload.Unlock()

	h.mu.Lock()
	gone := slices.Clone(h.sources)
	next := make([]*source, 0, len(sources))
	var fresh []*source
	for _, conf := range sources {
		i := slices.IndexFunc(gone, func(s *source) bool { return reflect.DeepEqual(s.conf, conf) })
		if i >= 0 {
			next = append(next, gone[i])
			gone = slices.Delete(gone, i, i+1)
			continue
		}
		s := h.newSource(conf)
		next, fresh = append(next, s), append(fresh, s)
	}
	h.sources = next
	h.mu.Unlock()

	for _, s := range gone {
		s.end()
	}
	if h.started.Load() {
		for _, s := range fresh {
			h.work.Go(func() { s.keep() })
		}
	}
	h.refreshToolsets(false)
	h.picture.touch()
	return nil
}

// refreshToolsets makes all toolsets again and tells agents whose lists changed.
func (h *Hub) refreshToolsets(perClient bool) {
	h.mu.Lock()
	clear(h.toolsetCaches)
	h.mu.Unlock()
	h.mcp.Refresh(perClient)
}

// inScope lists the sources of a scope.
func (h *Hub) inScope(scope string) []*source {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.inScopeLocked(scope)
}

func (h *Hub) inScopeLocked(scope string) []*source {
	return slices.DeleteFunc(slices.Clone(h.sources), func(s *source) bool { return scope != "" && s.conf.Name != scope })
}

// Reopen closes a source and opens it again now, as a person may ask when its
// Problem says so. It returns why the source cannot be opened.
func (h *Hub) Reopen(ctx context.Context, name string) error {
	h.mu.RLock()
	i := slices.IndexFunc(h.sources, func(s *source) bool { return s.conf.Name == name })
	var s *source
	if i >= 0 {
		s = h.sources[i]
	}
	h.mu.RUnlock()
	if s == nil {
		return fmt.Errorf("reopen source: no source named %s", name)
	}
	return s.reopenNow(ctx)
}

// Close lets calls in flight finish within the limits' grace, then cancels
// them, closes the sources and ends every session.
func (h *Hub) Close() error {
	h.approvals.close()
	grace := time.NewTimer(h.limits.Grace)
	defer grace.Stop()
	for waiting := true; waiting && h.inFlight.Load() > 0; {
		select {
		case <-h.settled:
		case <-grace.C:
			waiting = false
		}
	}
	h.end()
	h.ring.close()
	h.mcp.Close()
	h.work.Wait()
	h.mu.RLock()
	defer h.mu.RUnlock()
	var errs []error
	for _, s := range h.sources {
		errs = append(errs, s.closed())
	}
	return errors.Join(errs...)
}

// begins counts a call in flight until done.
func (h *Hub) begins(release func()) (done func()) {
	h.inFlight.Add(1)
	return func() {
		release()
		if h.inFlight.Add(-1) == 0 {
			select {
			case h.settled <- struct{}{}:
			default:
			}
		}
	}
}

// Busy says how many calls are in flight and how many sessions are open.
func (h *Hub) Busy() (inFlight, sessions int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return int(h.inFlight.Load()), len(h.sessions)
}

// MCP serves agents. It is closed with the hub.
func (h *Hub) MCP() *mcp.Server { return h.mcp }
