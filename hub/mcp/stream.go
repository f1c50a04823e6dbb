package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// A stream is one agent on newline-delimited JSON-RPC.
//
// mcp-go's own stdio server is not used: it writes notifications and responses
// from different goroutines, so that progress arrives after the result, it
// drops notifications when its queue of 100 is full, and all its streams in a
// process share one session. Here, one goroutine reads and answers what is
// quick, requests that may take long run beside the reading, and everything that
// goes out passes one outbox.
type stream struct {
	*endpoint
	session *Session
	client  *mcpSession
	life    context.Context // of the stream: responses to cancelled requests outlive theirs
	out     *outbox
	work    sync.WaitGroup

	mu      sync.Mutex
	pending map[string]*pending // requests that have no answer yet, by the bytes of their id
	waiting int                 // requests whose answer is not written, without the subscriptions
	listens int                 // subscriptions
	bytes   int                 // of both
	freed   chan struct{}       // cap 1: an answer was written
}

type pending struct {
	cancel    context.CancelFunc
	listening bool // a subscription, which ends only when it is cancelled
	cancelled bool
}

// ServeStream serves one agent over newline-delimited JSON-RPC until r ends,
// w cannot be written, ctx ends or the server closes. Calls in flight at the end
// of r may finish within the limits' grace. When it returns for another reason
// it makes a blocked read of r return, by a deadline or by closing it, where r
// can do either.
func (s *Server) ServeStream(ctx context.Context, r io.Reader, w io.Writer, a Attach) error {
	if a.Transport == "" {
		a.Transport = status.Stdio
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()

	out := newOutbox(s.Limits.Queue, frameWriter(w, s.Limits.Write), tryFrameWriter(w))
	go func() { // a client that cannot be written to is gone
		select {
		case <-out.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	a.Scope = canonicalScope(a.Scope)
	ep, ok := s.endpoint(a.Scope)
	if !ok {
		why := noSource(a.Scope)
		_ = readFrames(ctx, r, s.Limits.Frame, refuseAll(ctx, out, why)).wait(ctx) // a client that is refused does not read why the stream ended
		return finish(ctx, r, out, s.Limits.Grace)
	}

	session := s.newSession(a)
	st := &stream{
		endpoint: ep, session: session, client: newMCPSession(session, session.ID), out: out, life: ctx,
		pending: map[string]*pending{}, freed: make(chan struct{}, 1),
	}
	disconnect, err := ep.connect(st.client)
	if err != nil {
		return err
	}
	defer disconnect()
	s.open(session)
	defer s.close(session)
	defer context.AfterFunc(session.life, func() {
		st.respond(disconnectedFrame())
		cancel()
	})()
	announcing := make(chan struct{})
	go func() { defer close(announcing); st.announce(ctx) }()

	err = readFrames(ctx, r, s.Limits.Frame, func(raw []byte, err error) (func(), error) { return st.receive(ctx, raw, err) }).wait(ctx)
	st.drain(ctx, cancel, err)
	<-announcing
	if lost := out.lost(); lost > 0 {
		s.Log.Warn("notifications dropped for a client that does not read", "component", "hub", "session", session.ID, "count", lost)
	}
	return errors.Join(err, finish(ctx, r, out, s.Limits.Grace))
}

func noSource(scope string) string {
	if strings.Contains(scope, ",") {
		return fmt.Sprintf("one of %s is no source; `lectern source list` shows the sources", scope)
	}
	return fmt.Sprintf("no source named %s; `lectern source list` shows the sources", scope)
}

// announce writes announcements until ctx ends.
func (st *stream) announce(ctx context.Context) {
	for {
		select {
		case n := <-st.client.announcements:
			st.writeAnnouncement(n, st.out.notify)
		case <-ctx.Done():
			return
		}
	}
}

// receive is the stream's [frameHandler]. Its error ends the stream.
func (st *stream) receive(ctx context.Context, raw []byte, err error) (work func(), _ error) {
	switch {
	case ctx.Err() != nil: // the stream has ended
	case errors.Is(err, frame.ErrTooLong):
		why := fmt.Sprintf("a message of more than %d bytes was skipped; send less in one request", st.Limits.Frame)
		st.respond(errorFrame(skippedID(err), mcp.PARSE_ERROR, why))
	case err != nil:
		return nil, fmt.Errorf("read message: %w", err)
	default:
		return st.accept(ctx, raw), nil
	}
	return nil, nil //nolint:nilerr // a stream that has ended is not interested in why reading did
}

func (st *stream) accept(ctx context.Context, raw []byte) (work func()) {
	st.session.setSeen(st.Now())
	m, bad := parseMessage(raw)
	switch {
	case bad != nil:
		st.respond(bad.frame())
	case m.method == "":
		st.client.requests.resolve(m)
	case m.method == string(mcp.MethodNotificationCancelled):
		st.cancel(m)
	case m.id == nil:
		st.note(ctx, m)
	default:
		return st.request(ctx, m)
	}
	return nil
}

// request answers in order what is quick and returns the work of what may take
// long.
//
// A client that sends faster than it is answered is not read meanwhile: what
// waits in its pipe costs nothing here and no request is turned away. That
// holds up its cancellations too, but no longer than the deadline of a call.
func (st *stream) request(ctx context.Context, m message) (work func()) {
	for !st.hasRoom(m) {
		select {
		case <-st.freed:
		case <-ctx.Done():
			return nil
		}
	}
	ctx, p, bad := st.begin(ctx, m)
	switch {
	case bad != nil:
		st.respond(bad)
	case isQuick(m.method):
		st.work.Add(1)
		st.handle(ctx, m, p)
	default:
		st.work.Add(1)
		return func() { st.handle(ctx, m, p) }
	}
	return nil
}

// isQuick reports whether a method is answered from memory.
func isQuick(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete, mcp.MethodSubscriptionsListen:
		return false
	default:
		return true
	}
}

// begin enters m among the requests in flight, or returns the error frame that
// says why it may not.
func (st *stream) begin(ctx context.Context, m message) (context.Context, *pending, []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, taken := st.pending[string(m.id)]; taken {
		return ctx, nil, errorFrame(m.id, mcp.INVALID_REQUEST, "id is in use by a request that is not yet answered")
	}
	listening := m.method == string(mcp.MethodSubscriptionsListen)
	if listening && len(m.raw) >= st.Limits.Large { // it would hold the semaphore for as long as it listens
		return ctx, nil, errorFrame(m.id, mcp.INVALID_REQUEST, fmt.Sprintf("a subscription may have %d bytes", st.Limits.Large))
	}
	if listening && st.listens >= st.Limits.Waiting {
		return ctx, nil, errorFrame(m.id, codeBusy, fmt.Sprintf("at most %d subscriptions at once; end one first", st.Limits.Waiting))
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &pending{cancel: cancel, listening: listening}
	st.pending[string(m.id)] = p
	*st.count(p)++
	st.bytes += len(m.raw)
	return ctx, p, nil
}

// hasRoom reports whether m may begin. Requests are added only while a frame
// is passed on, so the answer stays true until m has begun.
func (st *stream) hasRoom(m message) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if m.method == string(mcp.MethodSubscriptionsListen) {
		return true // they end only by being cancelled, so one too many is refused instead
	}
	return st.waiting < st.Limits.Waiting && (st.bytes == 0 || st.bytes+len(m.raw) <= st.Limits.Pending)
}

// count is the number that p is part of. Its caller holds mu.
func (st *stream) count(p *pending) *int {
	if p.listening {
		return &st.listens
	}
	return &st.waiting
}

// free makes the id of m free, before its answer is written: a client that has read
// the answer may use it again. It reports whether m has been cancelled.
func (st *stream) free(m message, p *pending) (cancelled bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.pending, string(m.id))
	return p.cancelled
}

// finish makes room for another request.
func (st *stream) finish(m message, p *pending) {
	p.cancel()
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending[string(m.id)] == p { // it has no answer
		delete(st.pending, string(m.id))
	}
	*st.count(p)--
	st.bytes -= len(m.raw)
	select {
	case st.freed <- struct{}{}:
	default:
	}
}

// cancel ends a request in flight. As the specification asks, it then gets no
// response. It does nothing to a request that is not in flight, nor to initialize.
func (st *stream) cancel(m message) {
	id := m.cancelledID()
	st.mu.Lock()
	defer st.mu.Unlock()
	if p, ok := st.pending[string(id)]; ok {
		p.cancelled = true
		p.cancel()
	}
}

// note takes note of m, which is a notification.
func (st *stream) note(ctx context.Context, m message) {
	release, err := st.large.acquire(ctx, int64(len(m.raw)))
	if err != nil {
		return // the stream has ended
	}
	defer release()
	st.endpoint.respond(ctx, st.newRequest(m), st.client)
}

func (st *stream) newRequest(m message) *request {
	x := newRequest(m, m.parseParams(), st.session)
	x.notify, x.ask = st.out.notify, st.ask
	return x
}

// handle answers m, and ends it then: while its tool goes on, if it is answered
// before that has returned.
func (st *stream) handle(ctx context.Context, m message, p *pending) {
	release, err := st.large.acquire(ctx, int64(len(m.raw)))
	if err != nil { // the stream or the request has ended
		release = func() {}
	}
	var ended atomic.Bool
	end := func(r response) {
		if !ended.CompareAndSwap(false, true) {
			return
		}
		if r.frame != nil && !st.free(m, p) {
			st.respond(r.frame)
		}
		release()
		st.finish(m, p)
		st.work.Done()
	}
	var r response
	defer func() { end(r) }()
	if err != nil {
		return
	}
	x := st.newRequest(m)
	x.answer = end
	if m.method == string(mcp.MethodSubscriptionsListen) {
		r = st.listen(ctx, x)
	} else {
		r = st.endpoint.respond(ctx, x, st.client)
	}
}

// ask sends a request to the client.
func (st *stream) ask(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return st.client.requests.ask(ctx, st.out.respond, st.out.notify, method, params)
}

func (st *stream) respond(frame []byte) {
	if err := st.out.respond(st.life, frame); err != nil {
		st.Log.Debug("response not written", "component", "hub", "session", st.session.ID, "err", err)
	}
}

// drain gives calls in flight the grace when the client closed its end in
// good order, and then, or otherwise, ends them.
func (st *stream) drain(ctx context.Context, cancel context.CancelFunc, failed error) {
	st.mu.Lock()
	for _, p := range st.pending {
		if p.listening {
			p.cancel()
		}
	}
	st.mu.Unlock()
	idle := make(chan struct{})
	go func() { st.work.Wait(); close(idle) }()
	if failed == nil {
		grace := time.NewTimer(st.Limits.Grace)
		defer grace.Stop()
		select {
		case <-idle:
		case <-grace.C:
		case <-ctx.Done():
		}
	}
	cancel()
	<-idle
}
