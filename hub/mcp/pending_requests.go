package mcp

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

type pendingRequest struct {
	cancel    context.CancelFunc
	listening bool // a subscription, which ends only when it is cancelled
	cancelled bool
}

// beginRequest enters m among the requests in flight, or returns the error frame that
// says why it may not.
func (st *stream) beginRequest(ctx context.Context, m message) (context.Context, *pendingRequest, []byte) {
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
	p := &pendingRequest{cancel: cancel, listening: listening}
	st.pending[string(m.id)] = p
	*st.counterFor(p)++
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

// counterFor is the number that p is part of. Its caller holds mu.
func (st *stream) counterFor(p *pendingRequest) *int {
	if p.listening {
		return &st.listens
	}
	return &st.waiting
}

// releaseRequestID makes the id of m free, before its answer is written: a client that has read
// the answer may use it again. It reports whether m has been cancelled.
func (st *stream) releaseRequestID(m message, p *pendingRequest) (cancelled bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.pending, string(m.id))
	return p.cancelled
}

// finishRequest makes room for another request.
func (st *stream) finishRequest(m message, p *pendingRequest) {
	p.cancel()
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.pending[string(m.id)] == p { // it has no answer
		delete(st.pending, string(m.id))
	}
	*st.counterFor(p)--
	st.bytes -= len(m.raw)
	select {
	case st.freed <- struct{}{}:
	default:
	}
}

// cancelRequest ends a request in flight. As the specification asks, it then gets no
// response. It does nothing to a request that is not in flight, nor to initialize.
func (st *stream) cancelRequest(m message) {
	id := m.cancelledID()
	st.mu.Lock()
	defer st.mu.Unlock()
	if p, ok := st.pending[string(id)]; ok {
		p.cancelled = true
		p.cancel()
	}
}
