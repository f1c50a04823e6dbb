package hub

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

// A session is an agent's session with what the hub counts and remembers for it.
type session struct {
	*mcp.Session
	limiter concurrencyLimiter
	writes  atomic.Int64 // calls that may change something

	mu      sync.Mutex
	allowed map[string]bool // what a person allowed for the session: see call.allowanceKey
}

// A sessionRegistry knows the sessions that are open, and names new ones.
type sessionRegistry struct {
	limits Limits
	now    func() time.Time
	ids    atomic.Uint64 // continues those of earlier hubs

	mu     sync.RWMutex
	open   map[*mcp.Session]*session
	named  map[*mcp.Session]bool         // of these, those whose arrival is recorded
	shared map[sharedSessionKey]*session // of these, those without a connection
}

// A sharedSessionKey is that of a client without a connection: of the routes of one
// source, or of the source itself. All its requests are one session.
type sharedSessionKey struct {
	source    string
	client    policy.Client
	transport status.Transport
}

func newSessionRegistry(limits Limits, now func() time.Time) *sessionRegistry {
	return &sessionRegistry{
		limits: limits, now: now, open: map[*mcp.Session]*session{}, named: map[*mcp.Session]bool{}, shared: map[sharedSessionKey]*session{},
	}
}

// nextID names a session for good: no later hub uses the name again.
func (r *sessionRegistry) nextID() string { return fmt.Sprintf("s%d", r.ids.Add(1)) }

func (r *sessionRegistry) newSession(s *mcp.Session) *session {
	return &session{Session: s, limiter: newConcurrencyLimiter(r.limits.InFlight, r.limits.Waiting)}
}

// findOrMakeSession is what the hub knows about an agent. One that is not open is forgotten
// after its request.
func (r *sessionRegistry) findOrMakeSession(s *mcp.Session) *session {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if known := r.open[s]; known != nil {
		return known
	}
	return r.newSession(s)
}

func (r *sessionRegistry) setOpen(s *mcp.Session, open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if open {
		r.open[s] = r.newSession(s)
	} else {
		delete(r.open, s)
	}
}

// sharedSession is the session of a client without a connection. Those that have
// been idle for long are forgotten when another one begins.
func (r *sessionRegistry) sharedSession(key sharedSessionKey) *session {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.shared[key]; known != nil {
		return known
	}
	for key, old := range r.shared {
		if now.Sub(old.IdleSince()) >= r.limits.Idle {
			delete(r.shared, key)
			delete(r.open, old.Session)
		}
	}
	s := mcp.NewSession(r.nextID(), now, mcp.ConnectionInfo{Scope: key.source, Transport: key.transport, Proven: key.client.Name})
	added := r.newSession(s)
	r.shared[key], r.open[s] = added, added
	return added
}

// list is every open session, in no order.
func (r *sessionRegistry) list() []*mcp.Session {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Keys(r.open))
}

// hasProvenClient reports whether a client of this name is connected and has proved it.
func (r *sessionRegistry) hasProvenClient(name string) bool {
	return slices.ContainsFunc(r.list(), func(s *mcp.Session) bool { return s.Proven == name })
}

// newPersonSession is for one request of a person at the panel or the shell.
func (r *sessionRegistry) newPersonSession(scope, client string) *session {
	s := mcp.NewSession(r.nextID(), r.now(), mcp.ConnectionInfo{Scope: scope, Transport: status.Stdio})
	s.SetClientInfo(client, "")
	return r.newSession(s)
}
