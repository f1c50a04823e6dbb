package hub

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
)

// A session is an agent's session with what the hub counts and remembers of it.
type session struct {
	*mcp.Session
	slots  slots
	writes atomic.Int64 // calls that may change something

	mu      sync.Mutex
	allowed map[string]bool // what a person allowed for the session: see standing
}

func (h *Hub) newSession(s *mcp.Session) *session {
	return &session{Session: s, slots: newSlots(h.limits.InFlight, h.limits.Waiting)}
}

// sessionID names a session for good: not even a later hub uses the name again.
func (h *Hub) sessionID() string { return fmt.Sprintf("s%d", h.ids.Add(1)) }

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
	known := h.sessions[s]
	if open {
		h.sessions[s] = h.newSession(s)
	} else {
		delete(h.sessions, s)
	}
	h.mu.Unlock()
	if known != nil && !open {
		h.voidsOf(known)
	}
	h.picture.touch()
}

// localSession is the session of a person at the panel or the shell, who makes
// one request.
func (h *Hub) localSession(scope, name string) *session {
	s := mcp.NewSession(h.sessionID(), h.now(), mcp.Attach{Scope: scope, Transport: status.Stdio})
	s.Introduce(name, "")
	return h.newSession(s)
}
