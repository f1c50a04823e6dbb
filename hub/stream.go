package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// A stream is one agent on newline-delimited JSON-RPC.
//
// mcp-go's own stdio server is not used: it writes notifications and answers
// from different goroutines, so that progress arrives after the result, it
// drops notifications when its queue of 100 is full, and all its streams in a
// process share one session. Here, one goroutine reads and answers what is
// quick, requests that may take long run beside it, and everything that goes
// out passes one outbox.
type stream struct {
	hub     *Hub
	surface *surface
	session *session
	side    *legacySide
	life    context.Context // of the stream: answers of cancelled requests outlive theirs
	out     *outbox
	crew    *crew
	work    sync.WaitGroup

	mu      sync.Mutex
	pending map[string]pending      // requests in flight, by the bytes of their id
	bytes   int                     // of the requests in flight
	listens int                     // of the requests in flight, the subscriptions
	freed   chan struct{}           // cap 1: a request in flight was answered
	asks    int                     // requests of ours so far
	asked   map[string]chan message // those that have no answer, by the bytes of their id
}

type pending struct {
	cancel    context.CancelFunc
	listening bool // a subscription, which ends only when it is cancelled
	cancelled bool
}

func (h *Hub) serveStream(ctx context.Context, r io.Reader, w io.Writer, a Attach) error {
	if a.Transport == "" {
		a.Transport = status.Stdio
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()

	out := newOutbox(h.limits.Queue, frameWriter(w, h.limits.Write), frameTrier(w))
	go func() { // a client that cannot be written to is gone
		select {
		case <-out.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	sf, ok := h.surface(a.Scope)
	if !ok {
		why := fmt.Sprintf("no source named %s; `lectern source list` shows those there are", a.Scope)
		_ = readFrames(r, h.limits.Frame, refusal(ctx, out, why)).wait(ctx) // why it ended is nobody's concern
		return finish(ctx, r, out, h.limits.Grace)
	}

	st := &stream{hub: h, surface: sf, session: h.newSession(a.Transport, a.Scope, a.PID), out: out, crew: newCrew(ctx), life: ctx, pending: map[string]pending{}, freed: make(chan struct{}, 1)}
	st.session.proven = a.Client
	st.side = newLegacySide(st.session)
	if err := sf.mcp.RegisterSession(ctx, st.side); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	h.join(st.session)
	defer h.leave(st.session)
	defer h.changes.forget(st.side)
	defer sf.mcp.UnregisterSession(context.WithoutCancel(ctx), st.side.SessionID())
	announcing := make(chan struct{})
	go func() { defer close(announcing); st.announce(ctx) }()

	err := readFrames(r, h.limits.Frame, func(raw []byte, err error) error { return st.receive(ctx, raw, err) }).wait(ctx)
	st.drain(ctx, cancel, err)
	<-announcing
	if lost := out.lost(); lost > 0 {
		h.log.Warn("notifications dropped for a client that does not read", "part", "hub", "session", st.session.id, "count", lost)
	}
	return errors.Join(err, finish(ctx, r, out, h.limits.Grace))
}

// receive takes one frame, or hears why there is none. Its error ends the
// stream.
func (st *stream) receive(ctx context.Context, raw []byte, err error) error {
	switch {
	case ctx.Err() != nil: // what comes now is not heard
	case errors.Is(err, frame.ErrTooLong):
		st.answer(errorFrame(nil, mcp.PARSE_ERROR, fmt.Sprintf("a message of more than %d bytes was skipped; send less in one request", st.hub.limits.Frame)))
	case err != nil:
		return fmt.Errorf("read message: %w", err)
	default:
		st.accept(ctx, raw)
	}
	return nil //nolint:nilerr // a stream that has ended is not interested in why reading did
}

func (st *stream) accept(ctx context.Context, raw []byte) {
	st.session.seen(st.hub.now())
	m, bad := parseMessage(raw)
	switch {
	case bad != nil:
		st.answer(bad.frame())
	case m.method == "":
		st.hears(m)
	case m.method == string(mcp.MethodNotificationCancelled):
		st.cancel(m)
	case m.id == nil:
		st.handle(ctx, m, func() {})
	default:
		st.request(ctx, m)
	}
}

// request answers in order what is quick and begins what may take long.
//
// A client that sends faster than it is answered is not read meanwhile: what
// waits in its pipe costs nothing here and no request is turned away. That
// holds up its cancellations too, but no longer than the deadline of a call.
func (st *stream) request(ctx context.Context, m message) {
	for !st.hasRoom(m) {
		select {
		case <-st.freed:
		case <-ctx.Done():
			return
		}
	}
	ctx, bad := st.begin(ctx, m)
	if bad != nil {
		st.answer(bad)
		return
	}
	switch {
	case m.method == string(mcp.MethodSubscriptionsListen):
		st.work.Go(func() { defer st.finish(m); st.listen(ctx, m) })
	case quick(m.method):
		st.handle(ctx, m, func() { st.finish(m) })
	default:
		st.work.Add(1)
		st.crew.run(func() { st.handle(ctx, m, func() { st.finish(m); st.work.Done() }) })
	}
}

// quick says whether a method is answered from memory.
func quick(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return false
	default:
		return true
	}
}

// begin enters m among the requests in flight, or says why it may not.
func (st *stream) begin(ctx context.Context, m message) (context.Context, []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, taken := st.pending[string(m.id)]; taken {
		return ctx, errorFrame(m.id, mcp.INVALID_REQUEST, "id is in use by a request that is not yet answered")
	}
	listening := m.method == string(mcp.MethodSubscriptionsListen)
	if listening && len(m.raw) >= st.hub.limits.Large { // it would stay in the gate for as long as it listens
		return ctx, errorFrame(m.id, mcp.INVALID_REQUEST, fmt.Sprintf("a subscription may have %d bytes", st.hub.limits.Large))
	}
	if listening && st.listens >= st.hub.limits.Waiting {
		return ctx, errorFrame(m.id, busyCode, fmt.Sprintf("at most %d subscriptions at once; end one first", st.hub.limits.Waiting))
	}
	ctx, cancel := context.WithCancel(ctx)
	st.pending[string(m.id)] = pending{cancel: cancel, listening: listening}
	if listening {
		st.listens++
	}
	st.bytes += len(m.raw)
	return ctx, nil
}

// hasRoom says whether m may begin. Only the reading goroutine adds requests,
// so what it answers stays true until that has begun m.
func (st *stream) hasRoom(m message) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if m.method == string(mcp.MethodSubscriptionsListen) {
		return true // they end only by being cancelled, so one too many is refused instead
	}
	return len(st.pending)-st.listens < st.hub.limits.Waiting && (st.bytes == 0 || st.bytes+len(m.raw) <= st.hub.limits.Pending)
}

// finish takes m from the requests in flight.
func (st *stream) finish(m message) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if p, ok := st.pending[string(m.id)]; ok {
		p.cancel()
		delete(st.pending, string(m.id))
		st.bytes -= len(m.raw)
		if p.listening {
			st.listens--
		}
		select {
		case st.freed <- struct{}{}:
		default:
		}
	}
}

func (st *stream) isCancelled(m message) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.pending[string(m.id)].cancelled
}

// cancel ends a request in flight. As the specification asks, it then gets no
// answer; one that is not in flight, or initialize, is left alone.
func (st *stream) cancel(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if p, ok := st.pending[string(params.RequestID)]; ok {
		p.cancelled = true
		st.pending[string(params.RequestID)] = p
		p.cancel()
	}
}

// handle answers m and then calls over.
func (st *stream) handle(ctx context.Context, m message, over func()) {
	defer over()
	x := &exchange{session: st.session, notify: st.out.notify, prompt: st.prompter()}
	st.say(m, st.dispatch(ctx, x, m, st.side))
}

// say queues the answer to m, if there is one and somebody waits for it.
func (st *stream) say(m message, answer []byte) {
	if answer != nil && !st.isCancelled(m) {
		st.answer(answer)
	}
}

// dispatch is the answer to m as a frame; nil for a notification.
func (st *stream) dispatch(ctx context.Context, x *exchange, m message, as clientSide) []byte {
	leave, err := st.hub.gate.enter(ctx, int64(len(m.raw)))
	if err != nil {
		return errorFrame(m.id, mcp.INTERNAL_ERROR, err.Error())
	}
	defer leave()
	answer, err := catchPanic(func() ([]byte, error) {
		if answer, ok := st.surface.plain(ctx, x, m); ok {
			return answer, nil
		}
		answer := st.surface.mcp.HandleMessage(st.surface.mcp.WithContext(x.in(ctx), as), m.raw)
		if answer == nil {
			return nil, nil
		}
		return corrected(x, answer)
	})
	if err != nil {
		st.hub.log.Error("handle message", "part", "hub", "session", st.session.id, "method", m.method, "err", err, "stack", stackOf(err))
		return errorFrame(m.id, mcp.INTERNAL_ERROR, "the request failed; Lectern's log has the reason")
	}
	return answer
}

func (st *stream) answer(answer []byte) {
	if err := st.out.answer(st.life, answer); err != nil {
		st.hub.log.Debug("answer not written", "part", "hub", "session", st.session.id, "err", err)
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
		grace := time.NewTimer(st.hub.limits.Grace)
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
