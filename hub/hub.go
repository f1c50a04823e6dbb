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
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/pauses"
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
	// Policy is what agents may do besides what the sources grant, and what a
	// person is asked; nil: what is granted is allowed, which is for tests.
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
	// Getenv is [tools.Env].Getenv. Nil: no variable is set.
	Getenv func(name string) string
	// Unattended: no person reaches this hub, so what a person would be asked is
	// refused at once, unless the client asks its own user.
	Unattended bool
	// Pauses keeps whose writes a person has paused. Nil: nobody's ever are, which is
	// for tests.
	Pauses *pauses.File
	// OwnChanges gives agents the tools to list and undo their own Changes.
	OwnChanges bool
	// NoDataMarker leaves out of answers the mark that they are data, not
	// instructions.
	NoDataMarker bool
	// Folders makes the folders of a source's own: see [tools.Env]. Nil: there are
	// none, which is for tests.
	Folders func(kind, name string) (cache, data string, err error)
	Log     *slog.Logger
	Now     func() time.Time
}

// Hub opens sources and serves them. Its methods may be used from any
// goroutine.
type Hub struct {
	kinds   map[string]tools.Kind
	limits  Limits
	skill   string
	version string
	log     *slog.Logger
	now     func() time.Time
	bridge  *bridge.Bridge
	mcp     *mcp.Server
	// clientOf is the client that a request proves by its token; empty: none.
	clientOf func(*http.Request) string
	reveal   tools.Reveal
	getenv   func(name string) string
	// unattended: see [Config].
	unattended bool
	// folders makes the folders of a source's own; nil: there are none.
	folders func(kind, name string) (cache, data string, err error)

	life    context.Context // ends with Close
	end     context.CancelFunc
	work    sync.WaitGroup // what life ends
	reload  sync.Mutex     // one Reload at a time
	started atomic.Bool

	policy    atomic.Pointer[policy.Policy]
	sources   *sourceCatalog
	sessions  *sessionRegistry
	approvals *approval.Queue
	limiter   *ClientLimiter
	refusals  *refusalBudgets
	runner    *callRunner
	computing *computeQueue
	unsettled *unsettledWrites
	changes   *ChangeLog
	calls     *CallLog
	checks    *SourceCheckRunner
	resources *resourceWatch
	snapshot  *snapshotUpdater
}

// New makes a hub. Nothing is opened before [Hub.Start].
func New(c Config) *Hub {
	h := &Hub{
		kinds: map[string]tools.Kind{}, limits: c.Limits.orDefaults(), skill: c.Skill, version: c.Version, log: c.Log, now: c.Now,
		bridge: c.Bridge, folders: c.Folders, reveal: c.Reveal, getenv: c.Getenv, clientOf: c.VerifyClient, unattended: c.Unattended,
	}
	if h.clientOf == nil {
		h.clientOf = func(*http.Request) string { return "" }
	}
	for _, k := range c.Systems {
		h.kinds[k.Manifest().Name] = k
	}
	h.policy.Store(cmp.Or(c.Policy, policy.New(nil, nil)))
	h.life, h.end = context.WithCancel(context.Background())
	h.checks = &SourceCheckRunner{hub: h, questions: map[string]chan bool{}}
	h.snapshot = newSnapshotUpdater(c.State, c.Now)
	h.sources = newSourceCatalog(&h.policy, c.OwnChanges && c.Journal != nil)
	h.sessions = newSessionRegistry(h.limits, c.Now)
	h.limiter = &ClientLimiter{limits: h.limits, now: c.Now, snapshot: h.snapshot, pauses: c.Pauses, by: map[policy.Client]*clientUsage{}}
	h.refusals = newRefusalBudgets(h.limits.HiddenWritesPerMinute, c.Now, h.snapshot)
	h.runner = newCallRunner(h.limits.Deadline)
	h.computing = newComputeQueue(h.limits.Computing)
	h.unsettled = newUnsettledWrites()
	h.changes = &ChangeLog{journal: c.Journal, sources: h.sources, snapshot: h.snapshot, log: c.Log}
	h.calls = newCallLog(c.Log, c.Now, h.snapshot)
	h.approvals = approval.NewQueue(approval.Config{
		Timeout: h.limits.Approval, FormTimeout: h.limits.Form, UseWithin: h.limits.Deadline,
		Unattended: c.Unattended, Log: c.Log, Now: c.Now, Changed: h.snapshot.requestUpdate, OnApproval: c.OnApproval,
	})
	h.resources = newResourceWatch(h)
	h.mcp = mcp.New(mcp.Config{
		Hub: agentAPI{h}, Limits: h.limits.Limits, Version: c.Version, Skill: c.Skill,
		SessionID: h.sessions.nextID, SessionChanged: h.handleSessionChange, Subscribing: h.resources.begin,
		VerifyClient: c.VerifyClient, NoDataMarker: c.NoDataMarker, Log: c.Log, Now: c.Now,
	})
	h.sources.replace(c.Sources, h.newSource)
	return h
}

// Start opens the sources, all at once, and returns when each was tried or
// after two seconds: a slow one goes on by itself. A source that cannot be
// opened is a Problem, not an error, and is tried again every 30 s.
func (h *Hub) Start(ctx context.Context) error {
	if h.started.Swap(true) {
		return errors.New("start hub: it has been started before")
	}
	h.sessions.ids.Store(h.changes.lastSessionNumber())
	if h.changes.journal != nil {
		h.changes.showNotices()
	}
	h.limiter.raisePauseProblems()
	h.work.Go(func() { h.snapshot.run(h.life, h.fillSnapshot, h.calls.running.any) })
	h.work.Go(func() { h.mcp.CloseIdleSessionsLoop(h.life) })
	h.work.Go(func() { h.resources.run(h.life) })
	sources := h.sources.sourcesInScope("")
	h.startSources(sources)
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

func (h *Hub) startSources(sources []*source) {
	for _, s := range sources {
		h.work.Go(s.runLifecycle)
	}
}

// ReloadSources takes over a new list of sources. One whose description has not
// changed stays open; agents whose lists change are told so.
func (h *Hub) ReloadSources(_ context.Context, sources []Source) error {
	_, err := h.replaceSources(sources)
	return err
}

// ReloadAndAwaitClosed is Reload that returns when the sources that are no longer listed
// are closed, so that what they have on disk can be moved.
func (h *Hub) ReloadAndAwaitClosed(ctx context.Context, sources []Source) error {
	dropped, err := h.replaceSources(sources)
	for _, s := range dropped {
		select {
		case <-s.closed:
		case <-ctx.Done():
			return fmt.Errorf("close source %s: %w", s.conf.Name, ctx.Err())
		}
	}
	return err
}

func (h *Hub) replaceSources(sources []Source) (dropped []*source, err error) {
	if h.life.Err() != nil {
		return nil, errors.New("reload sources: the hub is closed")
	}
	h.reload.Lock()
	defer h.reload.Unlock()
	added, dropped := h.sources.replace(sources, h.newSource)
	for _, s := range dropped {
		s.end()
		if !h.started.Load() {
			close(s.closed) // it was never opened
		}
	}
	if h.started.Load() {
		h.startSources(added)
	}
	h.refreshToolsets(false)
	h.snapshot.requestUpdate()
	return dropped, nil
}

// SetPolicy replaces what a person lets agents do. Agents whose lists change are
// told, calls that wait for a person are judged again, and what was allowed for
// a session is forgotten.
func (h *Hub) SetPolicy(p *policy.Policy) {
	h.reload.Lock()
	defer h.reload.Unlock()
	former := h.policy.Load()
	if former.Digest() == p.Digest() {
		return
	}
	h.policy.Store(p)
	h.approvals.DecideAllAgain()
	h.refreshToolsets(former.DependsOnClient() || p.DependsOnClient())
	h.snapshot.requestUpdate()
}

// refreshToolsets makes all toolsets again and tells agents whose lists changed.
func (h *Hub) refreshToolsets(perClient bool) {
	h.sources.forgetToolsets()
	h.mcp.ReloadTools(perClient)
}

// ReopenSource closes a source and opens it again now, as a person may ask when its
// Problem says so. It returns why the source cannot be opened.
func (h *Hub) ReopenSource(ctx context.Context, name string) error {
	s, ok := h.sources.named(name)
	if !ok {
		return fmt.Errorf("reopen source: no source named %s", name)
	}
	return s.requestReopenAndWait(ctx)
}

// handleSessionChange is called for each session that is opened or closed.
func (h *Hub) handleSessionChange(s *mcp.Session, open bool) {
	h.sessions.setOpen(s, open)
	if !open {
		h.approvals.EndSessionForms(s.ID)
		recordAgentLeft(h, s)
	}
	h.snapshot.requestUpdate()
}

// ActivityCounts says how many calls are in flight and how many sessions are open.
func (h *Hub) ActivityCounts() (inFlight, sessions int) {
	return h.runner.inFlight(), len(h.sessions.list())
}

// BlocksIdleExit reports whether a source keeps the hub from leaving when idle.
func (h *Hub) BlocksIdleExit() bool {
	return slices.ContainsFunc(h.sources.sourcesInScope(""), func(s *source) bool { return len(s.status().Holds) > 0 })
}

// Close lets calls in flight finish within the limits' grace, then cancels
// them, closes the sources and ends every session.
func (h *Hub) Close() error {
	h.approvals.Close()
	h.runner.drain(h.limits.Grace)
	h.end()
	h.calls.Flush()
	h.calls.history.close()
	h.mcp.Close()
	h.work.Wait()
	var errs []error
	for _, s := range h.sources.sourcesInScope("") {
		errs = append(errs, s.lastCloseError())
	}
	return errors.Join(errs...)
}

// Routes serves the requests that sources answer themselves.
func (h *Hub) Routes() Routes { return Routes{hub: h} }

// MCP serves agents. It is closed with the hub.
func (h *Hub) MCP() *mcp.Server { return h.mcp }

// PersonAPI is what the panel and the commands ask for a person.
func (h *Hub) PersonAPI() PersonAPI { return PersonAPI{h} }

// SourceChecks are what Systems look at for the doctor.
func (h *Hub) SourceChecks() *SourceCheckRunner { return h.checks }

// Approvals are the calls that wait for a person.
func (h *Hub) Approvals() *approval.Queue { return h.approvals }

// Limiter bounds what each client does.
func (h *Hub) Limiter() *ClientLimiter { return h.limiter }

// Changes are what agents changed.
func (h *Hub) Changes() *ChangeLog { return h.changes }

// Calls are what agents called.
func (h *Hub) Calls() *CallLog { return h.calls }
