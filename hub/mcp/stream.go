package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// A stream is one agent on newline-delimited JSON-RPC.
//
// mcp-go's own stdio server is not used: it writes notifications and responses
// from different goroutines, so that progress arrives after the result, it
// drops notifications when its queue of 100 is full, and all its streams in a
// process share one session. Here, one goroutine answers what is quick in the order
// in which it is read, requests that may take long have a goroutine each, and everything
// that goes out passes one outbox.
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
	lost    bool                       // an answer could not be queued
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
		// A client that is refused does not read why the stream ended.
		_ = readFrames(ctx, r, s.Limits.Frame, newRefusingFrameHandler(ctx, out, why))
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
	st.writeReadOnlyTools()
	s.openSession(session)
	defer s.closeSession(session)
	defer context.AfterFunc(session.life, func() {
		st.respond(disconnectedFrame())
		cancel()
	})()
	announcing := make(chan struct{})
	go func() { defer close(announcing); st.forwardAnnouncements(ctx) }()

	err = readFrames(ctx, r, s.Limits.Frame, func(raw []byte, err error) error { return st.handleFrame(ctx, raw, err) })
	st.drain(ctx, cancel, err)
	<-announcing
	st.writeAllAnswered()
	if lost := out.droppedCount(); lost > 0 {
		s.Log.Warn("notifications dropped for a client that does not read", "component", "hub", "session", session.ID, "count", lost)
	}
	return errors.Join(err, flushAndEndStream(ctx, r, out, s.Limits.Grace))
}

func noSourceMessage(scope string) string {
	if strings.Contains(scope, ",") {
		return fmt.Sprintf("one of %s is not a source; `lectern source list` shows the sources", scope)
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
func (st *stream) handleFrame(ctx context.Context, raw []byte, err error) error {
	switch {
	case ctx.Err() != nil: // the stream has ended
	case errors.Is(err, frame.ErrTooLong):
		why := fmt.Sprintf("a message of more than %d bytes was skipped; send less in one request", st.Limits.Frame)
		st.respond(errorFrame(skippedID(err), mcp.PARSE_ERROR, why))
	case err != nil:
		return fmt.Errorf("read message: %w", err)
	default:
		st.acceptMessage(ctx, raw)
	}
	return nil //nolint:nilerr // a stream that has ended is not interested in why reading did
}

func (st *stream) acceptMessage(ctx context.Context, raw []byte) {
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
		st.acceptRequest(ctx, m)
	}
}

// acceptRequest answers what is quick, and begins to answer what may take long.
//
// A client that sends faster than it is answered is not read meanwhile: what
// waits in its pipe costs nothing here and no request is turned away. That
// holds up its cancellations too, but no longer than the deadline of a call.
func (st *stream) acceptRequest(ctx context.Context, m message) {
	for !st.hasRoom(m) {
		select {
		case <-st.freed:
		case <-ctx.Done():
			return
		}
	}
	ctx, p, bad := st.beginRequest(ctx, m)
	switch {
	case bad != nil:
		st.respond(bad)
	case isQuick(m.method):
		st.answer(ctx, m, p)
	default:
		st.work.Go(func() { st.answer(ctx, m, p) })
	}
}

// isQuick reports whether a method is answered from memory.
func isQuick(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete, mcp.MethodSubscriptionsListen,
		mcp.MethodResourcesSubscribe:
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

// answer answers m and ends it. It is the only place where a request is answered, and
// comes to that once.
func (st *stream) answer(ctx context.Context, m message, p *pendingRequest) {
	defer st.finishRequest(m, p)
	release, err := st.large.acquire(ctx, int64(len(m.raw)))
	if err != nil {
		return // the stream or the request has ended
	}
	defer release()
	x := st.newRequest(m)
	var r response
	if m.method == string(mcp.MethodSubscriptionsListen) {
		r = st.serveSubscription(ctx, x)
	} else {
		r = st.endpoint.handleRequest(ctx, x, st.client)
	}
	givenBack := r.notBegun && st.session.Relay && len(m.raw) <= frame.MaxResendBytes
	if r.frame != nil && !givenBack && !st.releaseRequestID(m, p) {
		st.respond(r.frame)
	}
}

// ask sends a request to the client.
func (st *stream) ask(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return st.client.requests.ask(ctx, st.out.respond, st.out.notify, method, params)
}

func (st *stream) respond(frame []byte) {
	if err := st.out.respond(st.life, frame); err != nil {
		st.mu.Lock()
		st.lost = true
		st.mu.Unlock()
		st.Log.Debug("response not written", "component", "hub", "session", st.session.ID, "err", err)
	}
}

// newRefusingFrameHandler answers every request with the reason why none can be served.
func newRefusingFrameHandler(ctx context.Context, out *outbox, why string) frameHandler {
	return func(raw []byte, err error) error {
		if errors.Is(err, frame.ErrTooLong) {
			return nil
		}
		m, bad := parseMessage(raw)
		switch {
		case err != nil:
			return err
		case bad != nil:
			return out.respond(ctx, bad.frame())
		case m.method != "" && m.id != nil:
			return out.respond(ctx, errorFrame(m.id, mcp.INVALID_PARAMS, why))
		}
		return nil
	}
}

// skippedID is the id of a request that was too long; nil: it is not known.
func skippedID(err error) json.RawMessage {
	if skipped, ok := errors.AsType[*frame.TooLongError](err); ok {
		return skipped.ID
	}
	return nil
}

// A frameHandler gets the frames of a stream, one at a time, or the error that
// came instead: after [frame.ErrTooLong] more frames may follow. Its error ends reading.
type frameHandler func(frame []byte, err error) error

// readFrames passes the frames of r to handle until r ends, ctx ends or handle fails, and
// returns the error of handle. It reads in a goroutine of its own, because a read cannot be
// interrupted; that goroutine ends with ctx, or with the read during which ctx ended.
func readFrames(ctx context.Context, r io.Reader, most int, handle frameHandler) error {
	readings := make(chan frameReading)
	go sendFrames(ctx, frame.NewReader(r, most), readings)
	for {
		select {
		case got, more := <-readings:
			if !more {
				return nil
			}
			if err := handle(got.frame, got.err); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// A frameReading is what reading once has given.
type frameReading struct {
	frame []byte
	err   error
}

// sendFrames sends what it reads to readings until there is no more or ctx ends, and then
// closes readings.
func sendFrames(ctx context.Context, frames *frame.Reader, readings chan<- frameReading) {
	defer close(readings)
	for {
		b, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		select {
		case readings <- frameReading{b, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, frame.ErrTooLong) {
			return
		}
	}
}
