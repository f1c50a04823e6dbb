package mcp

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/status"
)

// httpSessions are the agents that connect over HTTP.
type httpSessions struct {
	mu     sync.Mutex
	legacy map[string]*httpSession // by Mcp-Session-Id
	modern map[string]*Session     // by scope, proven name and what the client calls itself
	barred map[clientKey]bool      // that a person disconnected
}

// An httpSession is a session of the legacy era. Until it has answered
// initialize it only takes its place.
type httpSession struct {
	*mcpSession
	ended      chan struct{} // closed with the session
	end        func()        // closes ended
	disconnect func()        // nil: not open yet

	pendingMu sync.Mutex
	pending   map[string]*func() // requests in flight, by the bytes of their id
}

// beginRequest enters a request among those in flight until end is called. Of requests
// with one id, which the specification forbids, only one can be cancelled.
func (hs *httpSession) beginRequest(ctx context.Context, m message) (_ context.Context, end func()) {
	if m.id == nil {
		return ctx, func() {}
	}
	ctx, cancel := hs.session.contextUntilDisconnected(ctx)
	hs.pendingMu.Lock()
	defer hs.pendingMu.Unlock()
	hs.pending[string(m.id)] = &cancel
	return ctx, func() {
		cancel()
		hs.pendingMu.Lock()
		defer hs.pendingMu.Unlock()
		if hs.pending[string(m.id)] == &cancel { // a client that has read the answer may use its id again
			delete(hs.pending, string(m.id))
		}
	}
}

// cancelRequest ends the request in flight that a notifications/cancelled names.
func (hs *httpSession) cancelRequest(m message) {
	hs.pendingMu.Lock()
	defer hs.pendingMu.Unlock()
	if cancel, ok := hs.pending[string(m.cancelledID())]; ok {
		(*cancel)()
	}
}

// minIdleBeforeEviction is how long a session must have been quiet to make way for a new
// one when there are as many as may be: clients that crash do not say goodbye.
const minIdleBeforeEviction = 5 * time.Minute

const sessionIDPrefix = "lectern-"

// reserveSession makes a session of 128 random bits that is not open yet; false
// if there are too many.
func (s *Server) reserveSession(scope, proven string) (*httpSession, bool) {
	h := &s.http
	h.mu.Lock()
	var evicted *httpSession
	if len(h.legacy) >= s.Limits.Sessions {
		for _, hs := range h.legacy {
			if evicted == nil || hs.session.IdleSince().Before(evicted.session.IdleSince()) {
				evicted = hs
			}
		}
		if evicted == nil || s.Now().Sub(evicted.session.IdleSince()) < minIdleBeforeEviction {
			h.mu.Unlock()
			return nil, false
		}
		delete(h.legacy, evicted.id)
	}
	session := s.newSession(ConnectionInfo{Scope: scope, Transport: status.HTTP, Proven: proven})
	hs := &httpSession{
		mcpSession: newMCPSession(session, sessionIDPrefix+rand.Text()), ended: make(chan struct{}), pending: map[string]*func(){},
	}
	hs.end = sync.OnceFunc(func() { close(hs.ended) })
	h.legacy[hs.id] = hs
	h.mu.Unlock()
	if evicted != nil {
		s.closeHTTPSession(evicted)
	}
	return hs, true
}

func (s *Server) openHTTPSession(ep *endpoint, hs *httpSession) error {
	disconnect, err := ep.registerSession(hs.mcpSession)
	if err != nil {
		s.closeHTTPSession(hs)
		return err
	}
	s.http.mu.Lock()
	hs.disconnect = disconnect
	s.http.mu.Unlock()
	s.openSession(hs.session)
	return nil
}

func (s *Server) closeHTTPSession(hs *httpSession) {
	s.http.mu.Lock()
	delete(s.http.legacy, hs.id)
	disconnect := hs.disconnect
	hs.disconnect = nil
	s.http.mu.Unlock()
	hs.end()
	if disconnect != nil {
		disconnect()
		s.closeSession(hs.session)
	}
}

// httpSession finds an open session. It must be used in the scope it was opened
// for, with the token that opened it.
func (s *Server) httpSession(id, scope, proven string) *httpSession {
	s.http.mu.Lock()
	defer s.http.mu.Unlock()
	hs := s.http.legacy[id]
	if hs == nil || hs.disconnect == nil || hs.session.Scope != scope || hs.session.Proven != proven {
		return nil
	}
	hs.session.setSeen(s.Now())
	return hs
}

// findOrOpenModernSession is the session of a client of the modern era, which is known by
// what it calls itself. When there are too many, the one that was quiet for
// longest is forgotten.
func (s *Server) findOrOpenModernSession(scope, proven string, meta *mcp.Meta) *Session {
	client := mcp.Implementation{}
	if c := meta.ClientInfo(); c != nil {
		client = *c
	}
	key := strings.Join([]string{scope, proven, client.Name, client.Version}, "\x00")
	h := &s.http
	h.mu.Lock()
	session, known := h.modern[key]
	var evicted *Session
	if !known {
		session = s.newSession(ConnectionInfo{Scope: scope, Transport: status.HTTP, Proven: proven})
		session.client, session.Shared = client, true
		if len(h.modern) >= s.Limits.Sessions {
			evicted = h.forgetQuietest()
		}
		h.modern[key] = session
	}
	session.setSeen(s.Now())
	h.mu.Unlock()
	if evicted != nil {
		s.closeSession(evicted)
	}
	if !known {
		s.openSession(session)
	}
	return session
}

// forgetQuietest is called with the lock.
func (h *httpSessions) forgetQuietest() (quietest *Session) {
	var key string
	for k, session := range h.modern {
		if quietest == nil || session.IdleSince().Before(quietest.IdleSince()) {
			key, quietest = k, session
		}
	}
	delete(h.modern, key)
	return quietest
}

// CloseIdleSessionsLoop ends idle HTTP sessions from time to time until ctx ends.
func (s *Server) CloseIdleSessionsLoop(ctx context.Context) {
	tick := time.NewTicker(min(time.Minute, s.Limits.Idle))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.closeIdleSessions(s.Limits.Idle)
		case <-ctx.Done():
			return
		}
	}
}

// closeIdleSessions ends the HTTP sessions that have been quiet for a time.
func (s *Server) closeIdleSessions(quiet time.Duration) {
	var legacy []*httpSession
	var modern []*Session
	now := s.Now()
	isIdle := func(session *Session) bool { return now.Sub(session.IdleSince()) >= quiet }
	s.http.mu.Lock()
	for _, hs := range s.http.legacy {
		if isIdle(hs.session) {
			legacy = append(legacy, hs)
		}
	}
	for key, session := range s.http.modern {
		if isIdle(session) {
			delete(s.http.modern, key)
			modern = append(modern, session)
		}
	}
	s.http.mu.Unlock()
	for _, hs := range legacy {
		s.closeHTTPSession(hs)
	}
	for _, session := range modern {
		s.closeSession(session)
	}
}
