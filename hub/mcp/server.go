// Package mcp speaks the Model Context Protocol: it frames and checks messages,
// keeps sessions over streams and HTTP, and turns tools, resources, prompts,
// errors and forms into what the specification wants, in both of its eras: the
// one that begins with initialize ("legacy") and the one without sessions
// ("modern", 2026-07-28).
//
// It does not decide anything: who may do what, and what a call does, is the
// hub's, which it sees through [Hub] only. It is the only importer of mcp-go,
// which it uses for the protocol's messages but not for its transports: they
// lose and reorder notifications, see stream.go and http.go. The package hub
// imports it.
//
// Start reading at [Hub], then stream.go, then response.go.
package mcp

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// Config is what a Server is made of. Hub, Limits, SessionID, Log and Now are
// required.
type Config struct {
	Hub     Hub
	Limits  Limits
	Version string // of Lectern, shown to agents
	Skill   string // version of SKILL.md, shown to agents
	// SessionID returns an identifier that no session has had.
	SessionID func() string
	// VerifyClient returns the name of the client that has proved it by the token
	// in a request, or "". Nil: no client can.
	VerifyClient func(*http.Request) string
	// SessionChanged hears of each session that was opened or closed. It must
	// not block. Nil: nothing does.
	SessionChanged func(s *Session, open bool)
	// Subscribing hears of each subscription to a resource, and the answer to it waits until
	// Subscribing returns. Nil: nothing does.
	Subscribing func(uri string)
	// NoDataMarker leaves out of answers the marker that says that they are
	// data, not instructions.
	NoDataMarker bool
	Log          *slog.Logger
	Now          func() time.Time
}

// Limits bound what agents may cost. All are required.
type Limits struct {
	Grace         time.Duration // for calls in flight when their session ends
	Write         time.Duration // for a client that does not read
	Idle          time.Duration // of an HTTP session
	Waiting       int           // requests of one session not yet answered
	Queue         int           // bytes of one session's unread answers
	Frame         int           // bytes of one message on a stream
	Pending       int           // bytes of one stream's requests in flight
	Body          int64         // bytes of one HTTP body
	Large         int           // bytes from which a message waits for its turn
	LargeAtOnce   int           // large messages handled at once by the server
	Sessions      int           // HTTP sessions
	Subscriptions int           // of one session
}

// A Server serves agents. Its methods may be used from any goroutine.
type Server struct {
	Config

	life  context.Context // ends with Close
	end   context.CancelFunc
	large largeMessageSemaphore
	http  httpSessions

	endpointMu sync.Mutex           // held while the hub is asked for a toolset
	endpoints  map[string]*endpoint // by scope

	mu       sync.Mutex // held for moments only
	sessions map[*Session]struct{}
	clients  map[*mcpSession]struct{} // that hear announcements

	// onEndpoint lets the conformance test add what a System cannot declare.
	onEndpoint func(*server.MCPServer)
}

// New makes a server. It listens nowhere: see [Server.ServeStream] and
// [Server.HTTP].
func New(c Config) *Server {
	if c.VerifyClient == nil {
		c.VerifyClient = func(*http.Request) string { return "" }
	}
	if c.SessionChanged == nil {
		c.SessionChanged = func(*Session, bool) {}
	}
	if c.Subscribing == nil {
		c.Subscribing = func(string) {}
	}
	s := &Server{
		Config: c, large: newLargeMessageSemaphore(c.Limits.Large, c.Limits.LargeAtOnce),
		http:      httpSessions{legacy: map[string]*httpSession{}, modern: map[string]*Session{}, barred: map[clientKey]bool{}},
		endpoints: map[string]*endpoint{}, sessions: map[*Session]struct{}{}, clients: map[*mcpSession]struct{}{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends every session. It does not wait for them.
func (s *Server) Close() {
	s.end()
	s.closeIdleSessions(0)
}

// Sessions lists the open sessions, in no order.
func (s *Server) Sessions() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.sessions))
}

// newSession makes a session that is not open yet.
func (s *Server) newSession(a ConnectionInfo) *Session { return NewSession(s.SessionID(), s.Now(), a) }

// openSession shows a session to people until it is closed.
func (s *Server) openSession(session *Session) {
	s.mu.Lock()
	s.sessions[session] = struct{}{}
	s.mu.Unlock()
	s.Log.Info("session opened", "component", "hub", "session", session.ID, "transport", string(session.Transport), "scope", session.Scope)
	s.SessionChanged(session, true)
}

func (s *Server) closeSession(session *Session) {
	s.mu.Lock()
	_, open := s.sessions[session]
	delete(s.sessions, session)
	s.mu.Unlock()
	if open {
		s.Log.Info("session closed", "component", "hub", "session", session.ID, "client", session.ClientName())
		s.SessionChanged(session, false)
	}
}

// ReloadTools reads all toolsets again and tells agents whose lists changed.
// perClient says that lists of single clients may have changed even where the
// union of all did not.
func (s *Server) ReloadTools(perClient bool) {
	s.endpointMu.Lock()
	endpoints := slices.Collect(maps.Values(s.endpoints))
	s.endpointMu.Unlock()
	for _, ep := range endpoints {
		ep.publish(perClient)
	}
}

// SubscribedURIs returns the URIs that sessions are subscribed to, each once.
func (s *Server) SubscribedURIs() []string {
	s.mu.Lock()
	clients := slices.Collect(maps.Keys(s.clients))
	s.mu.Unlock()
	uris := map[string]bool{}
	for _, c := range clients {
		for _, uri := range c.SubscribedResources() {
			uris[uri] = true
		}
	}
	return slices.Collect(maps.Keys(uris))
}

// NotifyResourceChanged tells the subscribers of uri that its content changed, but
// only clients that may see it in their scope. It never blocks.
func (s *Server) NotifyResourceChanged(uri string, sees func(scope string, client policy.Client) bool) {
	s.mu.Lock()
	clients := slices.Collect(maps.Keys(s.clients))
	s.mu.Unlock()
	for _, c := range clients {
		if c.IsSubscribedToResource(uri) && sees(c.session.Scope, c.policyClient()) {
			c.announceUpdate(uri)
		}
	}
}
