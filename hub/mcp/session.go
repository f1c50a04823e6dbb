package mcp

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/status"
)

// ConnectionInfo says who a connection belongs to.
type ConnectionInfo struct {
	Scope     string // the names of sources, separated by commas; empty: all sources
	Transport status.Transport
	Proven    string // the client that proved its name by a token; empty: none
	PID       int    // of the `lectern serve` process, or 0
	// Relay says that a relay is in between, which understands the notifications of package
	// frame and sends to the next hub what this one gives back.
	Relay bool
}

// A Session is one agent connected to the hub, whatever carries it: a stream,
// an HTTP session, or the HTTP requests of one modern client, which has no
// sessions of its own.
type Session struct {
	ConnectionInfo
	ID     string
	Shared bool // known only by what a client calls itself: every client of that name is in it
	Since  time.Time

	life       context.Context // ends when a person disconnects it
	disconnect context.CancelFunc
	presence   context.Context // ends when the client sends nothing more
	leave      context.CancelFunc

	mu       sync.Mutex
	client   mcp.Implementation
	protocol string
	level    mcp.LoggingLevel // least severe level that the client wants; empty: info
	calls    uint64
	lastTool string
	lastCall time.Time
	lastSeen time.Time
}

// NewSession makes a session that is not open yet.
func NewSession(id string, now time.Time, a ConnectionInfo) *Session {
	s := &Session{ConnectionInfo: a, ID: id, Since: now, lastSeen: now}
	s.life, s.disconnect = context.WithCancel(context.Background())
	s.presence, s.leave = context.WithCancel(context.Background())
	return s
}

// ContextUntilLeft is ctx, which ends when the client of a stream has closed its end: calls under
// way may still finish then.
func (s *Session) ContextUntilLeft(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.presence, cancel)
	return ctx, func() { stop(); cancel() }
}

// SetClientInfo sets what the client calls itself.
func (s *Session) SetClientInfo(name, version string) {
	s.setClient(mcp.Implementation{Name: name, Version: version})
}

func (s *Session) setClient(client mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

func (s *Session) setProtocol(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.protocol = version
}

func (s *Session) protocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.protocol
}

func (s *Session) setLogLevel(level mcp.LoggingLevel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = level
}

// ClientName is the proven name of the client, or else what it calls itself.
func (s *Session) ClientName() string {
	return cmp.Or(s.Proven, s.clientInfo().Name)
}

func (s *Session) clientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// logLevel is what the client asked for, or info: the specification leaves the
// choice to the server until a client sets one.
func (s *Session) logLevel() mcp.LoggingLevel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.level, mcp.LoggingLevelInfo)
}

func (s *Session) setSeen(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSeen = now
}

func (s *Session) IdleSince() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastSeen
}

// CountCall notes that a tool was called.
func (s *Session) CountCall(tool string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.lastTool, s.lastCall, s.lastSeen = tool, now, now
}

// Status is the session as people see it, without its grants.
func (s *Session) Status() status.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return status.Session{
		Component: status.Component{Name: s.ID, State: status.Ready, Since: s.Since},
		Client:    cmp.Or(s.Proven, s.client.Name), Proven: s.Proven != "", Version: s.client.Version, Transport: s.Transport, Scope: s.Scope,
		Protocol: s.protocol, PID: s.PID, Calls: s.calls, LastCall: s.lastCall, LastTool: s.lastTool,
	}
}
