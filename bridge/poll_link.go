package bridge

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A pollLink is a link over consecutive HTTP requests. The calls in flight
// bound what waits to be collected; a Peer that collects nothing answers no
// ping and is disconnected.
type pollLink struct {
	session  string // 128 random bits
	sessions *pollSessions
	incoming chan []byte   // frames of the Peer
	done     chan struct{} // closed when the link is

	mu          sync.Mutex
	limit       int
	outgoing    []json.RawMessage
	ready       chan struct{} // closed, and replaced, when outgoing or closed have changed
	lastRequest uint64        // the waiting request that gets the frames; earlier ones return
	waiting     bool
	closed      *pollClosed
}

func newPollLink(s *pollSessions) *pollLink {
	return &pollLink{
		session: newNonce(), sessions: s, incoming: make(chan []byte), done: make(chan struct{}),
		ready: make(chan struct{}),
	}
}

func (p *pollLink) transport() string { return transportPoll }

func (p *pollLink) setReadLimit(limit int) {
	p.mu.Lock()
	p.limit = limit
	p.mu.Unlock()
}

// deliver hands a frame to read, and waits until it is taken.
func (p *pollLink) deliver(ctx context.Context, frame json.RawMessage) bool {
	select {
	case p.incoming <- frame:
		return true
	case <-p.done:
	case <-ctx.Done():
	}
	return false
}

func (p *pollLink) read() ([]byte, error) {
	select {
	case frame := <-p.incoming:
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(frame) > p.limit {
			return nil, errFrameTooLarge
		}
		return frame, nil
	case <-p.done:
		return nil, errLinkClosed
	}
}

func (p *pollLink) write(frame []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return errLinkClosed
	}
	p.outgoing = append(p.outgoing, frame)
	p.wake()
	return nil
}

// wake wakes the request that waits in collect; p.mu is held.
func (p *pollLink) wake() {
	close(p.ready)
	p.ready = make(chan struct{})
}

func (p *pollLink) close(code int, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return
	}
	p.closed = &pollClosed{code, safetext.Truncate(reason, maxReasonBytes)}
	close(p.done)
	p.wake()
	time.AfterFunc(closedSessionTTL, func() { p.sessions.remove(p) })
}

// closeByPeer ends the session because the Peer says so.
func (p *pollLink) closeByPeer() { p.close(codeAbnormal, "the peer disconnected") }

// collect returns the frames for the Peer, and waits for one if there is none.
// Of several requests that wait, the newest gets them.
func (p *pollLink) collect(request context.Context, wait time.Duration) ([]json.RawMessage, *pollClosed) {
	ctx, cancel := context.WithTimeout(request, max(wait, 0))
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait <= 0 && p.waiting {
		return []json.RawMessage{}, nil // the waiting request gets them
	}
	p.lastRequest++
	turn := p.lastRequest
	p.wake()
	p.waiting = wait > 0
	for len(p.outgoing) == 0 && p.closed == nil && turn == p.lastRequest && ctx.Err() == nil {
		ready := p.ready
		p.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	if turn != p.lastRequest {
		return []json.RawMessage{}, nil
	}
	p.waiting = false
	if request.Err() != nil {
		return []json.RawMessage{}, nil // the frames wait for the next request
	}
	frames := append([]json.RawMessage{}, p.outgoing...)
	p.outgoing = nil
	return frames, p.closed
}
