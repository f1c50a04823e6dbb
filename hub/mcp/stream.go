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
	pending map[string]*pendingRequest // requests that have no answer yet, by the bytes of their id
	waiting int                        // requests whose answer is not written, without the subscriptions
	listens int                        // subscriptions
	bytes   int                        // of both
	freed   chan struct{}              // cap 1: an answer was written
}

// ServeStream serves one agent over newline-delimited JSON-RPC until r ends,
// w cannot be written, ctx ends or the server closes. Calls in flight at the end
// of r may finish within the limits' grace. When it returns for another reason
// it makes a blocked read of r return, by a deadline or by closing it, where r
// can do either.
func (s *Server) ServeStream(ctx context.Context, r io.Reader, w io.Writer, a ConnectionInfo) error {
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
	a.Scope = sortSourceNames(a.Scope)
	ep, ok := s.endpoint(a.Scope)
	if !ok {
		why := noSourceMessage(a.Scope)
		_ = startFrameReader(ctx, r, s.Limits.Frame, newRefusingFrameHandler(ctx, out,
			why)).waitAndStop(ctx) // a client that is refused does not read why the stream ended
		return flushAndEndStream(ctx, r, out, s.Limits.Grace)
	}

	session := s.newSession(a)
	st := &stream{
		endpoint: ep, session: session, client: newMCPSession(session, session.ID), out: out, life: ctx,
		pending: map[string]*pendingRequest{}, freed: make(chan struct{}, 1),
	}
	disconnect, err := ep.registerSession(st.client)
	if err != nil {
		return err
	}
	defer disconnect()
	s.openSession(session)
	defer s.closeSession(session)
	defer context.AfterFunc(session.life, func() {
		st.respond(disconnectedFrame())
		cancel()
	})()
	announcing := make(chan struct{})
	go func() { defer close(announcing); st.forwardAnnouncements(ctx) }()

	handle := func(raw []byte, err error) (func(), error) { return st.handleFrame(ctx, raw, err) }
	err = startFrameReader(ctx, r, s.Limits.Frame, handle).waitAndStop(ctx)
	st.drain(ctx, cancel, err)
	<-announcing
	if lost := out.droppedCount(); lost > 0 {
		s.Log.Warn("notifications dropped for a client that does not read", "component", "hub", "session", session.ID, "count", lost)
	}
	return errors.Join(err, flushAndEndStream(ctx, r, out, s.Limits.Grace))
}

func noSourceMessage(scope string) string {
	if strings.Contains(scope, ",") {
		return fmt.Sprintf("one of %s is no source; `lectern source list` shows the sources", scope)
	}
	return fmt.Sprintf("no source named %s; `lectern source list` shows the sources", scope)
}

// forwardAnnouncements writes announcements until ctx ends.
func (st *stream) forwardAnnouncements(ctx context.Context) {
	for {
		select {
		case n := <-st.client.announcements:
			st.writeAnnouncement(n, st.out.notify)
		case <-ctx.Done():
			return
		}
	}
}

// handleFrame is the stream's [frameHandler]. Its error ends the stream.
func (st *stream) handleFrame(ctx context.Context, raw []byte, err error) (work func(), _ error) {
	switch {
	case ctx.Err() != nil: // the stream has ended
	case errors.Is(err, frame.ErrTooLong):
		why := fmt.Sprintf("a message of more than %d bytes was skipped; send less in one request", st.Limits.Frame)
		st.respond(errorFrame(skippedID(err), mcp.PARSE_ERROR, why))
	case err != nil:
		return nil, fmt.Errorf("read message: %w", err)
	default:
		return st.acceptMessage(ctx, raw), nil
	}
	return nil, nil //nolint:nilerr // a stream that has ended is not interested in why reading did
}

func (st *stream) acceptMessage(ctx context.Context, raw []byte) (work func()) {
	st.session.setSeen(st.Now())
	m, bad := parseMessage(raw)
	switch {
	case bad != nil:
		st.respond(bad.frame())
	case m.method == "":
		st.client.requests.resolve(m)
	case m.method == string(mcp.MethodNotificationCancelled):
		st.cancelRequest(m)
	case m.id == nil:
		st.handleNotification(ctx, m)
	default:
		return st.answerOrDeferRequest(ctx, m)
	}
	return nil
}

// answerOrDeferRequest answers in order what is quick and returns the work of what may take
// long.
//
// A client that sends faster than it is answered is not read meanwhile: what
// waits in its pipe costs nothing here and no request is turned away. That
// holds up its cancellations too, but no longer than the deadline of a call.
func (st *stream) answerOrDeferRequest(ctx context.Context, m message) (work func()) {
	for !st.hasRoom(m) {
		select {
		case <-st.freed:
		case <-ctx.Done():
			return nil
		}
	}
	ctx, p, bad := st.beginRequest(ctx, m)
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

// handleNotification takes note of m, which is a notification.
func (st *stream) handleNotification(ctx context.Context, m message) {
	release, err := st.large.acquire(ctx, int64(len(m.raw)))
	if err != nil {
		return // the stream has ended
	}
	defer release()
	st.endpoint.handleRequest(ctx, st.newRequest(m), st.client)
}

func (st *stream) newRequest(m message) *request {
	x := newRequest(m, m.parseParams(), st.session)
	x.notify, x.ask = st.out.notify, st.ask
	return x
}

// handle answers m, and ends it then: while its tool goes on, if it is answered
// before that has returned.
func (st *stream) handle(ctx context.Context, m message, p *pendingRequest) {
	release, err := st.large.acquire(ctx, int64(len(m.raw)))
	if err != nil { // the stream or the request has ended
		release = func() {}
	}
	var ended atomic.Bool
	end := func(r response) {
		if !ended.CompareAndSwap(false, true) {
			return
		}
		if r.frame != nil && !st.releaseRequestID(m, p) {
			st.respond(r.frame)
		}
		release()
		st.finishRequest(m, p)
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
		r = st.serveSubscription(ctx, x)
	} else {
		r = st.endpoint.handleRequest(ctx, x, st.client)
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

// newRefusingFrameHandler answers every request with the reason why none can be served.
func newRefusingFrameHandler(ctx context.Context, out *outbox, why string) frameHandler {
	return func(raw []byte, err error) (func(), error) {
		if errors.Is(err, frame.ErrTooLong) {
			return nil, nil
		}
		m, bad := parseMessage(raw)
		switch {
		case err != nil:
			return nil, err
		case bad != nil:
			return nil, out.respond(ctx, bad.frame())
		case m.method != "" && m.id != nil:
			return nil, out.respond(ctx, errorFrame(m.id, mcp.INVALID_PARAMS, why))
		}
		return nil, nil
	}
}

// skippedID is the id of a request that was too long; nil: it is not known.
func skippedID(err error) json.RawMessage {
	if skipped, ok := errors.AsType[*frame.TooLongError](err); ok {
		return skipped.ID
	}
	return nil
}

// A frameReader passes the frames of a stream on as they come.
//
// What a frame asks for runs on the goroutine that has read it, and another one
// reads on: the request is then not handed over, only the reading is, which
// nobody waits for. Few goroutines are kept for that, because a new one spends
// as long on growing its stack as a small call takes.
type frameReader struct {
	frames *frame.Reader
	handle frameHandler
	turn   chan struct{} // passes the reading on to a goroutine that is kept
	kept   chan struct{} // holds one for each of them
	done   chan struct{} // closed after the last frame

	mu      sync.Mutex // held while a frame is passed on
	stopped bool
	err     error
}

// A frameHandler gets the frames of a stream, one at a time, or the error that
// came instead: after [frame.ErrTooLong] more frames may follow. While work runs,
// if it is not nil, reading goes on. The first error ends reading.
type frameHandler func(frame []byte, err error) (work func(), _ error)

// maxWaitingReaders is how many goroutines of a stream wait for their turn to read.
const maxWaitingReaders = 2

// startFrameReader reads r in goroutines of its own, because a read cannot be
// interrupted. Those that do not read end with ctx.
func startFrameReader(ctx context.Context, r io.Reader, most int, handle frameHandler) *frameReader {
	in := &frameReader{
		frames: frame.NewReader(r, most), handle: handle,
		turn: make(chan struct{}), kept: make(chan struct{}, maxWaitingReaders), done: make(chan struct{}),
	}
	go in.readLoop(ctx)
	return in
}

func (in *frameReader) readLoop(ctx context.Context) {
	for {
		b, err := in.frames.Next()
		work, more := in.handleFrame(b, err)
		if !more {
			close(in.done)
			return
		}
		if work == nil {
			continue
		}
		select {
		case in.turn <- struct{}{}:
		default:
			go in.readLoop(ctx)
		}
		work()
		select {
		case in.kept <- struct{}{}:
		default:
			return
		}
		select {
		case <-in.turn:
			<-in.kept
		case <-in.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (in *frameReader) handleFrame(b []byte, err error) (work func(), more bool) {
	if errors.Is(err, io.EOF) {
		return nil, false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return nil, false
	}
	work, in.err = in.handle(b, err)
	return work, in.err == nil && (err == nil || errors.Is(err, frame.ErrTooLong))
}

// waitAndStop returns at the end of reading, or when ctx ends, with the error of the
// handler. The handler is not called after that; a read may still go on.
func (in *frameReader) waitAndStop(ctx context.Context) error {
	select {
	case <-in.done:
	case <-ctx.Done():
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	return in.err
}
