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
	allowed map[string]bool // what a person allowed for the session: see call.allowance
}

// A sessionRegistry knows the sessions that are open, and names new ones.
type sessionRegistry struct {
	limits Limits
	now    func() time.Time
	ids    atomic.Uint64 // continues those of earlier hubs

	mu     sync.RWMutex
	open   map[*mcp.Session]*session
	routes map[routeClient]*session // of these, those of requests to routes
}

// A routeClient is a client of the routes of one source. All its requests are one
// session.
type routeClient struct {
	source string
	client policy.Client
}

func newSessionRegistry(limits Limits, now func() time.Time) *sessionRegistry {
	return &sessionRegistry{limits: limits, now: now, open: map[*mcp.Session]*session{}, routes: map[routeClient]*session{}}
}

// nextID names a session for good: no later hub uses the name again.
func (r *sessionRegistry) nextID() string { return fmt.Sprintf("s%d", r.ids.Add(1)) }

func (r *sessionRegistry) newSession(s *mcp.Session) *session {
	return &session{Session: s, limiter: newConcurrencyLimiter(r.limits.InFlight, r.limits.Waiting)}
}

// session is what the hub knows about an agent. One that is not open is forgotten
// after its request.
func (r *sessionRegistry) session(s *mcp.Session) *session {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if known := r.open[s]; known != nil {
		return known
	}
	return r.newSession(s)
}

func (r *sessionRegistry) set(s *mcp.Session, open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if open {
		r.open[s] = r.newSession(s)
	} else {
		delete(r.open, s)
	}
}

// route is the session of a client of a source's routes. Those that have been idle
// for long are forgotten when another one begins.
func (r *sessionRegistry) route(source string, client policy.Client) *session {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	key := routeClient{source, client}
	if known := r.routes[key]; known != nil {
		return known
	}
	for key, old := range r.routes {
		if now.Sub(old.IdleSince()) >= r.limits.Idle {
			delete(r.routes, key)
			delete(r.open, old.Session)
		}
	}
	s := mcp.NewSession(r.nextID(), now, mcp.Attach{Scope: source, Transport: status.Route, Proven: client.Name})
	added := r.newSession(s)
	r.routes[key], r.open[s] = added, added
	return added
}

// list is every open session, in no order.
func (r *sessionRegistry) list() []*mcp.Session {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Keys(r.open))
}

// isProven reports whether a client of this name is connected and has proved it.
func (r *sessionRegistry) isProven(name string) bool {
	return slices.ContainsFunc(r.list(), func(s *mcp.Session) bool { return s.Proven == name })
}

// newLocal is for one request of a person at the panel or the shell.
func (r *sessionRegistry) newLocal(scope, client string) *session {
	s := mcp.NewSession(r.nextID(), r.now(), mcp.Attach{Scope: scope, Transport: status.Stdio})
	s.Introduce(client, "")
	return r.newSession(s)
}
