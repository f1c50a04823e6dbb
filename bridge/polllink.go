package bridge

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// A poll is a link over HTTP requests that come and go. What waits to be
// collected is bounded by the calls in flight; a Peer that collects nothing
// answers no ping and is ended by that.
type poll struct {
	session string // 128 random bits
	polls   *polls
	in      chan []byte   // frames of the Peer
	over    chan struct{} // closed when the link is

	mu      sync.Mutex
	limit   int
	out     []json.RawMessage
	ready   chan struct{} // closed, and replaced, when out or closed have changed
	newest  uint64        // of the requests that wait; the others return
	waiting bool
	closed  *pollClosed
}

func newPoll(s *polls) *poll {
	return &poll{
		session: newNonce(), polls: s, in: make(chan []byte), over: make(chan struct{}),
		ready: make(chan struct{}),
	}
}

func (p *poll) transport() string { return overPoll }

func (p *poll) raise(limit int) {
	p.mu.Lock()
	p.limit = limit
	p.mu.Unlock()
}

// put hands a frame to read, and waits until it is taken.
func (p *poll) put(ctx context.Context, frame json.RawMessage) bool {
	select {
	case p.in <- frame:
		return true
	case <-p.over:
	case <-ctx.Done():
	}
	return false
}

func (p *poll) read() ([]byte, error) {
	select {
	case frame := <-p.in:
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(frame) > p.limit {
			return nil, errTooBig
		}
		return frame, nil
	case <-p.over:
		return nil, errClosed
	}
}

func (p *poll) write(frame []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return errClosed
	}
	p.out = append(p.out, frame)
	p.wake()
	return nil
}

// wake rouses who waits in collect; p.mu is held.
func (p *poll) wake() {
	close(p.ready)
	p.ready = make(chan struct{})
}

func (p *poll) close(code int, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return
	}
	p.closed = &pollClosed{code, short(reason, reasonBytes)}
	close(p.over)
	p.wake()
	time.AfterFunc(pollKept, func() { p.polls.forget(p) })
}

// leave is the Peer's own goodbye.
func (p *poll) leave() { p.close(codeLost, "the peer left") }

// collect returns the frames for the Peer, and waits for one if there is none.
// Of several that wait, the newest gets them.
func (p *poll) collect(request context.Context, wait time.Duration) ([]json.RawMessage, *pollClosed) {
	ctx, cancel := context.WithTimeout(request, max(wait, 0))
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait <= 0 && p.waiting {
		return []json.RawMessage{}, nil // the one that waits gets them
	}
	p.newest++
	turn := p.newest
	p.wake()
	p.waiting = wait > 0
	for len(p.out) == 0 && p.closed == nil && turn == p.newest && ctx.Err() == nil {
		ready := p.ready
		p.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	if turn != p.newest {
		return []json.RawMessage{}, nil
	}
	p.waiting = false
	if request.Err() != nil {
		return []json.RawMessage{}, nil // they wait for the next request
	}
	frames := append([]json.RawMessage{}, p.out...)
	p.out = nil
	return frames, p.closed
}
