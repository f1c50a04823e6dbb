package hub

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/status"
)

// A session is one agent connected to the hub, whatever carries it: a stream,
// an HTTP session, or the HTTP requests of one modern client, which has no
// sessions of its own.
type session struct {
	id        string
	transport status.Transport
	scope     string
	proven    string // the client that showed its token; empty: none
	shared    bool   // known by what a client calls itself alone: whoever says the same is in it
	pid       int
	since     time.Time
	limiter   concurrencyLimiter
	writes    atomic.Int64 // calls that may change something

	mu       sync.Mutex
	allowed  map[string]bool // what a person allowed for the session: see call.allowance
	client   mcp.Implementation
	protocol string
	level    mcp.LoggingLevel // the least that the client wants; empty: info
	calls    uint64
	lastTool string
	lastCall time.Time
	lastSeen time.Time
}

func (h *Hub) newSession(transport status.Transport, scope string, pid int) *session {
	now := h.now()
	return &session{
		id: fmt.Sprintf("s%d", h.ids.Add(1)), transport: transport, scope: scope, pid: pid, since: now, lastSeen: now,
		limiter: newConcurrencyLimiter(h.limits.InFlight, h.limits.Waiting),
	}
}

// join shows a session on the panel until leave.
func (h *Hub) join(s *session) {
	h.mu.Lock()
	h.sessions[s] = struct{}{}
	h.mu.Unlock()
	h.log.Info("session opened", "part", "hub", "session", s.id, "transport", string(s.transport), "scope", s.scope)
	h.snapshot.touch()
}

func (h *Hub) leave(s *session) {
	h.mu.Lock()
	_, was := h.sessions[s]
	delete(h.sessions, s)
	h.mu.Unlock()
	h.approvals.EndSession(s.id)
	if was {
		h.log.Info("session closed", "part", "hub", "session", s.id, "client", s.clientName())
		h.snapshot.touch()
	}
}

func (s *session) introduces(client mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

func (s *session) speaks(protocol string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.protocol = protocol
}

func (s *session) wants(level mcp.LoggingLevel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = level
}

// clientName is what the client is known by: a claim, unless it is proven.
func (s *session) clientName() string {
	if s.proven != "" {
		return s.proven
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Name
}

func (s *session) clientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// logLevel is what the client asked for, or info: the specification leaves the
// choice to the server until a client sets one.
func (s *session) logLevel() mcp.LoggingLevel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.level == "" {
		return mcp.LoggingLevelInfo
	}
	return s.level
}

func (s *session) seen(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSeen = now
}

func (s *session) idleSince() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastSeen
}

func (s *session) called(tool string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.lastTool, s.lastCall, s.lastSeen = tool, now, now
}

func (s *session) status() status.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return status.Session{
		Component: status.Component{Name: s.id, State: status.Ready, Since: s.since},
		Client:    cmp.Or(s.proven, s.client.Name), Proven: s.proven != "", Version: s.client.Version, Transport: s.transport, Scope: s.scope,
		Protocol: s.protocol, PID: s.pid, Calls: s.calls, LastCall: s.lastCall, LastTool: s.lastTool,
	}
}
