// Package hub is the process that owns the sources: it opens them, publishes
// their tools, resources and prompts over MCP, and passes every call of every
// agent through one function, [Hub.call].
//
// It takes Systems as an argument and never names one; it listens nowhere and
// reads no configuration, which is cmd's work. It does not speak MCP: package
// hub/mcp does, and reaches the hub through agent_api.go. cmd/lectern imports it.
//
// Start reading at call.go, then [Hub].
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
	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Config is what a Hub is made of. Kinds, Log and Now are required.
type Config struct {
	Systems []tools.Kind
	Sources []Source // in the order shown to people; names are unique
	Limits  Limits
	Version string // of Lectern, told to agents
	Skill   string // version of SKILL.md, told to agents
	State   SnapshotStore
	// Bridge is where Systems with a Peer find it. The hub neither serves nor
	// closes it. Nil: no Peer ever connects.
	Bridge *bridge.Bridge
	// Policy is what agents may do besides what the sources grant; nil: there
	// is none.
	Policy *policy.Policy
	// Journal records what agents change. The caller closes it, after the hub.
	// Nil: nothing is recorded, which is for tests.
	Journal *journal.Journal
	// VerifyClient returns the name of the client that has proved it by its
	// token, or "". Nil: no client can.
	VerifyClient func(*http.Request) string
	// OnApproval is called for every call that begins to wait for a person; it
	// must not block. Nil: nothing is called.
	OnApproval func(status.Approval)
	// Reveal reads the secrets of sources. Nil: none can be read.
	Reveal tools.Reveal
	// OwnChanges gives agents the tools to list and undo their own Changes.
	OwnChanges bool
	// NoDataMarker leaves out of answers the mark that they are data, not
	// instructions.
	NoDataMarker bool
	Log          *slog.Logger
	Now          func() time.Time
}

// Source says how to open one knowledge base and what agents may do with it.
type Source struct {
	Name     string // [a-z0-9-]+
	Kind     string // the name of its System
	ReadOnly bool   // grants only reads, whatever Effects says
	// Effects are granted to agents. Nil grants all but [tools.Admin], which
	// is never granted unless it is named.
	Effects []tools.Effect
	// Privacy hides parts of it from agents.
	Privacy  tools.Privacy
	Options  json.RawMessage // the System's own keys
	Location string          // folder, graph or address, for people
	Sample   bool            // the Welcome vault
}

// SnapshotStore is the part of supervisor.State that the hub writes to.
type SnapshotStore interface {
	Update(change func(*status.Snapshot))
	Raise(p status.Problem)
	Clear(code, component string)
}

// Hub opens sources and serves them. Its methods may be used from any
// goroutine.
type Hub struct {
	kinds    map[string]tools.Kind
	limits   Limits
	skill    string
	log      *slog.Logger
	now      func() time.Time
	snapshot *snapshotWriter
	bridge   *bridge.Bridge
	journal  *journal.Journal
	reveal   tools.Reveal
	stopped  atomic.Bool // the journal cannot be written
	policy   atomic.Pointer[policy.Policy]
	mcp      *mcp.Server

	life    context.Context // ends with Close
	end     context.CancelFunc
	work    sync.WaitGroup // what life ends
	reload  sync.Mutex     // one Reload at a time
	started atomic.Bool

	mu            sync.RWMutex
	sources       []*source
	toolsetCaches map[string]*toolsetCache  // by scope
	sessions      map[*mcp.Session]*session // that are open

	approvals        *approval.Queue
	offersOwnChanges bool // agents may list and undo their own Changes
	usage            clientUsage
	history          *callHistory
	trail            atomic.Pointer[audit.Trail]
	calls            atomic.Uint64
	failures         atomic.Uint64
	inFlight         atomic.Int64
	ids              atomic.Uint64
	drained          chan struct{} // cap 1: the last call in flight has ended
}

// New makes a hub. Nothing is opened before [Hub.Start].
func New(c Config) *Hub {
	h := &Hub{
		kinds: map[string]tools.Kind{}, limits: c.Limits.orDefaults(),
		skill: c.Skill, log: c.Log, now: c.Now, bridge: c.Bridge, journal: c.Journal, reveal: c.Reveal,
		toolsetCaches: map[string]*toolsetCache{}, sessions: map[*mcp.Session]*session{}, drained: make(chan struct{}, 1),
	}
	h.offersOwnChanges = c.OwnChanges && c.Journal != nil
	h.history = &callHistory{size: historySize}
	for _, k := range c.Systems {
		h.kinds[k.Manifest().Name] = k
	}
	h.policy.Store(cmp.Or(c.Policy, policy.New(nil, nil)))
	h.life, h.end = context.WithCancel(context.Background())
	h.snapshot = newSnapshotWriter(c.State, c.Now)
	h.approvals = approval.NewQueue(approval.Config{
		Timeout: h.limits.Approval, FormTimeout: h.limits.Form, UseWithin: h.limits.Deadline,
		Log: c.Log, Now: c.Now, Changed: h.snapshot.touch, OnApproval: c.OnApproval,
	})
	h.mcp = mcp.New(mcp.Config{
		Hub: agentAPI{h}, Limits: h.limits.Limits, Version: c.Version, Skill: c.Skill, SessionID: h.nextSessionID, SessionChanged: h.sessionChanged,
		VerifyClient: c.VerifyClient, NoDataMarker: c.NoDataMarker, Log: c.Log, Now: c.Now,
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
	h.continueSessionIDs()
	h.work.Go(func() { h.snapshot.run(h.life, h.fillSnapshot) })
	h.work.Go(func() { h.mcp.CloseIdle(h.life) })
	h.mu.RLock()
	sources := slices.Clone(h.sources)
	h.mu.RUnlock()
	for _, s := range sources {
		h.work.Go(func() { s.maintain() })
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	for _, s := range sources {
		select {
		case <-s.firstAttempt:
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
			h.work.Go(func() { s.maintain() })
		}
	}
	h.refreshToolsets(false)
	h.snapshot.touch()
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
	s, ok := h.sourceNamed(name)
	if !ok {
		return fmt.Errorf("reopen source: no source named %s", name)
	}
	return s.requestReopen(ctx)
}

func (h *Hub) sourceNamed(name string) (*source, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	i := slices.IndexFunc(h.sources, func(s *source) bool { return s.conf.Name == name })
	if i < 0 {
		return nil, false
	}
	return h.sources[i], true
}

// Answer approves or refuses a call that waits for a person: see
// [approval.Queue.Answer].
func (h *Hub) Answer(id string, allow bool, a status.Answer) error {
	return h.approvals.Answer(id, allow, a)
}

// Approval is a call that waits: see [approval.Queue.Get].
func (h *Hub) Approval(id string) (a status.Approval, plan status.Plan, always policy.Rule, ok bool) {
	return h.approvals.Get(id)
}

// Close lets calls in flight finish within the limits' grace, then cancels
// them, closes the sources and ends every session.
func (h *Hub) Close() error {
	h.approvals.Close()
	grace := time.NewTimer(h.limits.Grace)
	defer grace.Stop()
	for waiting := true; waiting && h.inFlight.Load() > 0; {
		select {
		case <-h.drained:
		case <-grace.C:
			waiting = false
		}
	}
	h.end()
	h.history.close()
	h.mcp.Close()
	h.work.Wait()
	h.mu.RLock()
	defer h.mu.RUnlock()
	var errs []error
	for _, s := range h.sources {
		errs = append(errs, s.lastCloseError())
	}
	return errors.Join(errs...)
}

// trackCall counts a call in flight until done.
func (h *Hub) trackCall(release func()) (done func()) {
	h.inFlight.Add(1)
	return func() {
		release()
		if h.inFlight.Add(-1) == 0 {
			select {
			case h.drained <- struct{}{}:
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
