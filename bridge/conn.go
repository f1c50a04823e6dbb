package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A conn is one authenticated connection of a Peer. Three goroutines serve it:
// one reads, one writes, one pings.
type conn struct {
	bridge      *Bridge
	link        link
	origin      string
	epoch       uint64 // number of the connection, from 1
	since       time.Time
	info        atomic.Pointer[peerInfo]
	helloAnswer []byte // to its hello

	out      chan outgoing
	closed   chan struct{} // closed when the connection has ended
	inFlight chan struct{} // one for each call in flight
	waiting  atomic.Int64  // calls that wait for a slot
	closing  sync.WaitGroup

	mu        sync.Mutex
	count     uint64 // of requests sent
	calls     map[string]*pendingCall
	recent    recentCalls
	unmatched unmatchedCount
	endReason *endReason // nil: alive
	metrics   connMetrics
}

// connMetrics counts what a connection has seen, for people.
type connMetrics struct {
	calls, failures, unmatched uint64
	latency                    time.Duration // of the last ping; 0: none was answered yet
	lastError                  string
}

// An outgoing is a frame to be sent, with the call whose request it is.
type outgoing struct {
	frame []byte
	call  *pendingCall // nil: none
}

// optionalFrames is how many frames besides requests may wait to be written:
// cancellations and answers. More are dropped.
const optionalFrames = 64

func newConn(b *Bridge, l link, origin string, a *peerInfo) *conn {
	c := &conn{
		bridge: b, link: l, origin: origin, epoch: b.epochs.Add(1), since: b.conf.Now(),
		out: make(chan outgoing, b.limits.InFlight+optionalFrames), closed: make(chan struct{}),
		inFlight: make(chan struct{}, b.limits.InFlight), calls: map[string]*pendingCall{}, recent: newRecentCalls(),
	}
	c.info.Store(a)
	return c
}

func (c *conn) key() connKey { return c.info.Load().key() }

// run serves the connection until it ends, and returns when all its goroutines
// have ended.
func (c *conn) run() {
	if err := c.link.write(c.helloAnswer); err != nil {
		c.end(endReason{code: codeAbnormal, reason: "the answer to hello could not be sent"})
	}
	var work sync.WaitGroup
	work.Go(c.writeLoop)
	work.Go(c.keepAlive)
	c.end(c.readLoop())
	work.Wait()
	c.closing.Wait()
}

// end ends the connection once: calls in flight fail now, the link closes in
// the background.
func (c *conn) end(why endReason) {
	c.mu.Lock()
	if c.endReason != nil {
		c.mu.Unlock()
		return
	}
	c.endReason = &why
	calls := c.calls
	c.calls = nil
	c.closing.Add(1)
	c.mu.Unlock()
	close(c.closed)
	for _, k := range calls {
		k.finish(nil, &connectionLostError{reason: why, sent: k.sent, onlyCall: len(calls) == 1})
	}
	go func() {
		defer c.closing.Done()
		c.bridge.removeConn(c) // first, because a Peer that does not answer is slow to close
		if why.lastFrame != nil {
			_ = c.link.write(why.lastFrame) // the close says it again
		}
		c.link.close(why.code, why.reason)
	}()
}

// reason returns why the connection ended.
func (c *conn) reason() endReason {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endReason == nil {
		return endReason{}
	}
	return *c.endReason
}

func (c *conn) endReplaced() {
	const reason = "the same graph has connected again; the newest connection is used"
	c.end(endReason{codeReplaced, reason, encodeNotification("replaced", map[string]any{"reason": reason})})
}

// readLoop handles frames until the link ends or the Peer breaks the protocol.
func (c *conn) readLoop() endReason {
	for {
		text, err := c.link.read()
		if err != nil {
			return endReasonFrom(err)
		}
		f, err := parseFrame(text, c.bridge.limits.Depth)
		if err == nil {
			err = c.handleFrame(f)
		}
		if err != nil {
			return endReason{code: codeProtocol, reason: err.Error()}
		}
	}
}

// handleFrame acts on one frame. An error means that the Peer broke the
// protocol.
func (c *conn) handleFrame(f frame) error {
	switch {
	case f.method == "":
		return c.handleAnswer(f)
	case f.id != "":
		c.handleRequest(f)
		return nil
	case f.method == "announce":
		a, err := c.bridge.parseHello(f.params)
		if err != nil {
			return fmt.Errorf("announce: %w", err)
		}
		c.bridge.updateInfo(c, a)
		c.bridge.publish(c, f.method, a.hello)
		return nil
	default:
		c.bridge.publish(c, f.method, f.params)
		return nil
	}
}

// handleRequest answers requests of a Peer. Only ping is one.
func (c *conn) handleRequest(f frame) {
	if f.method == "ping" {
		c.sendOptional(encodeResult(f.id, json.RawMessage("{}")))
		return
	}
	c.sendOptional(encodeError(f.id, "INVALID_INPUT", "Lectern answers only ping"))
}

// writeLoop sends what is queued and skips requests whose caller has gone.
func (c *conn) writeLoop() {
	for {
		select {
		case <-c.closed:
			return
		case o := <-c.out:
			if o.call != nil && !c.markSent(o.call) {
				continue
			}
			if err := c.link.write(o.frame); err != nil {
				c.end(endReason{code: codeAbnormal, reason: "the peer takes no more frames"})
				return
			}
		}
	}
}

// sendOptional queues a frame that no caller waits for, or drops it.
func (c *conn) sendOptional(frame []byte) {
	select {
	case c.out <- outgoing{frame: frame}:
	default:
		c.bridge.log.Warn("frame dropped: the queue is full", "component", "bridge", "peer", c.key().key, "bytes", len(frame))
	}
}

// keepAlive pings, and ends a connection whose Peer does not answer in time.
func (c *conn) keepAlive() {
	tick := time.NewTicker(c.bridge.limits.Ping)
	defer tick.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-tick.C:
		}
		start := time.Now()
		if !c.ping() {
			c.end(endReason{code: codeNoPong, reason: fmt.Sprintf("no answer to ping within %s", c.bridge.limits.Pong)})
			return
		}
		if took := time.Since(start); c.recordLatency(took) {
			c.bridge.notifyChanged()
		}
	}
}

// minLatencyChange is the least difference of latency that a person would notice.
const minLatencyChange = 5 * time.Millisecond

// recordLatency stores the latency of a ping and reports whether it differs
// noticeably from the one before: the panel must not redraw for every
// fluctuation.
func (c *conn) recordLatency(now time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.metrics.latency
	if before > 0 && max(now, before)-min(now, before) < max(minLatencyChange, before/2) {
		return false
	}
	c.metrics.latency = now
	return true
}

// ping reports whether the Peer answered in time, or the connection is ending
// anyway.
func (c *conn) ping() bool {
	k, err := c.registerCall("p", c.key())
	if err != nil {
		return true
	}
	late := time.NewTimer(c.bridge.limits.Pong)
	defer late.Stop()
	select {
	case c.out <- outgoing{encodeRequest(k.id, "ping", nil), k}:
	case <-late.C:
		return false
	}
	select {
	case <-k.done:
		return true
	case <-late.C:
		return false
	}
}

// endReasonFrom turns an error of reading a link into the reason that we close
// with.
func endReasonFrom(err error) endReason {
	closed, told := errors.AsType[websocket.CloseError](err)
	switch {
	case errors.Is(err, errFrameTooLarge):
		return endReason{code: codeTooBig, reason: err.Error()}
	case errors.Is(err, errFrameTimeout), errors.Is(err, errFrameBinary):
		return endReason{code: codeProtocol, reason: err.Error()}
	case told:
		return endReason{code: int(closed.Code), reason: "the peer closed: " + safetext.Truncate(closed.Reason, maxReasonBytes)}
	default:
		return endReason{code: codeAbnormal, reason: "the connection was cut"}
	}
}
