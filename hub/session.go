package hub

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/hub/mcp"
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

func (h *Hub) newSession(s *mcp.Session) *session {
	return &session{Session: s, limiter: newConcurrencyLimiter(h.limits.InFlight, h.limits.Waiting)}
}

// nextSessionID names a session for good: no later hub uses the name again.
func (h *Hub) nextSessionID() string { return fmt.Sprintf("s%d", h.ids.Add(1)) }

// session is what the hub knows of an agent. One that is not open is forgotten
// with the request it makes.
func (h *Hub) session(s *mcp.Session) *session {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if known := h.sessions[s]; known != nil {
		return known
	}
	return h.newSession(s)
}

// sessionChanged hears of each session that was opened or closed.
func (h *Hub) sessionChanged(s *mcp.Session, open bool) {
	h.mu.Lock()
	if open {
		h.sessions[s] = h.newSession(s)
	} else {
		delete(h.sessions, s)
	}
	h.mu.Unlock()
	if !open {
		h.approvals.EndSession(s.ID)
	}
	h.snapshot.touch()
}

// localSession is the session of a person at the panel or the shell, who makes
// one request.
func (h *Hub) localSession(scope, client string) *session {
	s := mcp.NewSession(h.nextSessionID(), h.now(), mcp.Attach{Scope: scope, Transport: status.Stdio})
	s.Introduce(client, "")
	return h.newSession(s)
}
