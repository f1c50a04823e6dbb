package hub

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/mark3labs/mcp-go/mcp"
)

// A session is one agent connected to the hub, whatever carries it: a stream,
// an HTTP session, or the HTTP requests of one modern client, which has no
// sessions of its own.
type session struct {
	id        string
	transport status.Transport
	scope     string
	pid       int
	since     time.Time
	slots     slots

	mu       sync.Mutex
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
		slots: newSlots(h.limits.InFlight, h.limits.Waiting),
	}
}

// join shows a session on the panel until leave.
func (h *Hub) join(s *session) {
	h.mu.Lock()
	h.sessions[s] = struct{}{}
	h.mu.Unlock()
	h.log.Info("session opened", "part", "hub", "session", s.id, "transport", string(s.transport), "scope", s.scope)
	h.picture.touch()
}

func (h *Hub) leave(s *session) {
	h.mu.Lock()
	_, was := h.sessions[s]
	delete(h.sessions, s)
	h.mu.Unlock()
	if was {
		h.log.Info("session closed", "part", "hub", "session", s.id, "client", s.clientName())
		h.picture.touch()
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

func (s *session) clientName() string {
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
		Part:   status.Part{Name: s.id, State: status.Ready, Since: s.since},
		Client: s.client.Name, Version: s.client.Version, Transport: s.transport, Scope: s.scope,
		Protocol: s.protocol, PID: s.pid, Calls: s.calls, LastCall: s.lastCall, LastTool: s.lastTool,
	}
}

// slots bound the calls of one session that run at once. More wait their turn,
// first come first served, up to a bound of their own. Because every session
// has its own slots, a busy agent never makes another wait.
type slots struct {
	running chan struct{}
	present chan struct{} // running and waiting
}

func newSlots(running, waiting int) slots {
	return slots{make(chan struct{}, running), make(chan struct{}, running+waiting)}
}

// take waits for a slot. The caller gives it back with release.
func (s slots) take(ctx context.Context) (release func(), err error) {
	select {
	case s.present <- struct{}{}:
	default:
		return nil, tools.Errorf(tools.Limited, "more than %d calls of this session are waiting", cap(s.present)-cap(s.running)).
			WithHint("Wait for answers before you call again.")
	}
	select {
	case s.running <- struct{}{}:
		return func() { <-s.running; <-s.present }, nil
	case <-ctx.Done():
		<-s.present
		return nil, ctx.Err()
	}
}

// An exchange is one message of an agent while it is being answered.
//
// It travels in the context, because that is all mcp-go hands to what it
// calls; nothing else in this package does.
type exchange struct {
	session *session
	notify  func(frame []byte) // queues a notification to be read before the answer

	mu     sync.Mutex
	modern bool
	code   int            // JSON-RPC code of the answer, where mcp-go knows only -32603
	data   map[string]any // and its data
	uri    string         // of the resource that the message reads
}

type exchangeKey struct{}

func (x *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// fails makes the answer a JSON-RPC error with this code. The handler returns
// the error that carries the message.
func (x *exchange) fails(code int, data map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.code, x.data = code, data
}

func (x *exchange) becomesModern() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.modern = true
}

func (x *exchange) isModern() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.modern
}

// reads notes the resource that the message asks for.
func (x *exchange) reads(uri string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.uri = uri
}

// mends says what mcp-go's error code must become, and what data goes with it,
// which mcp-go never sends: a resource that is not there is named, as the
// specification asks.
func (x *exchange) mends(code int) (right int, data map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case code == mcp.INTERNAL_ERROR && x.code != 0:
		return x.code, x.data
	case x.uri != "" && (code == mcp.RESOURCE_NOT_FOUND || code == mcp.INVALID_PARAMS):
		return code, map[string]any{"uri": x.uri}
	default:
		return code, nil
	}
}
