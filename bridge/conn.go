package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// A conn is one authenticated connection of a Peer, from its hello to its end.
// Three goroutines serve it: one reads, one writes, one pings.
type conn struct {
	bridge      *Bridge
	link        link
	origin      string
	epoch       uint64 // of the bridge's connections, from 1
	since       time.Time
	info        atomic.Pointer[peerInfo]
	helloAnswer []byte // the answer to its hello

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

// A connMetrics is what a connection has seen, for people.
type connMetrics struct {
	calls, failures, unmatched uint64
	latency                    time.Duration // of the last ping; 0: none was answered yet
	lastError                  string
}

// outgoing is a frame on its way out, with the call whose request it is.
type outgoing struct {
	frame []byte
	call  *pendingCall // nil: none
}

// optionalFrames is how many frames besides requests may wait to be written:
// cancellations and answers. What finds no room is not worth waiting for.
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

func (c *conn) key() string { return c.info.Load().key() }

// run serves the connection until it ends, and returns when nothing of it is
// left.
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
		c.bridge.removeConn(c) // now: a Peer that does not answer is slow to close
		if why.lastFrame != nil {
			_ = c.link.write(why.lastFrame) // the close says it again
		}
		c.link.close(why.code, why.reason)
	}()
}

// reason is how the connection ended.
func (c *conn) reason() endReason {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endReason == nil {
		return endReason{}
	}
	return *c.endReason
}

func (c *conn) endReplaced() {
	const reason = "the same graph has connected anew; the newest connection is used"
	c.end(endReason{codeReplaced, reason, encodeNotification("replaced", map[string]any{"reason": reason})})
}

// readLoop takes frames until the link or the Peer's good behaviour ends.
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

// handleFrame acts on one frame. An error is a break of the protocol.
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
		c.bridge.publish(c, f.method, a.raw)
		return nil
	default:
		c.bridge.publish(c, f.method, f.params)
		return nil
	}
}

// handleRequest answers what a Peer asks of us, which is next to nothing.
func (c *conn) handleRequest(f frame) {
	if f.method == "ping" {
		c.sendOptional(encodeResult(f.id, json.RawMessage("{}")))
		return
	}
	c.sendOptional(encodeError(f.id, "INVALID_INPUT", "Lectern answers ping alone"))
}

// writeLoop sends what is queued, and skips requests whose caller has gone.
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

// sendOptional queues a frame that nobody waits for, or drops it.
func (c *conn) sendOptional(frame []byte) {
	select {
	case c.out <- outgoing{frame: frame}:
	default:
		c.bridge.log.Warn("frame dropped: the queue is full", "part", "bridge", "graph", c.key(), "bytes", len(frame))
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

// minLatencyChange is the least difference of latency that a person would care for.
const minLatencyChange = 5 * time.Millisecond

// recordLatency takes note of what a ping took, and reports whether that is another
// latency than before: one that only wavers would be drawn anew for ever.
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

// ping reports whether the Peer answered in time; a connection that ends has.
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

// endReasonFrom says why a link's read failed, and how we answer.
func endReasonFrom(err error) endReason {
	closed, told := errors.AsType[websocket.CloseError](err)
	switch {
	case errors.Is(err, errFrameTooLarge):
		return endReason{code: codeTooBig, reason: err.Error()}
	case errors.Is(err, errFrameTimeout), errors.Is(err, errFrameBinary):
		return endReason{code: codeProtocol, reason: err.Error()}
	case told:
		return endReason{code: int(closed.Code), reason: "the peer closed: " + truncate(closed.Reason, maxReasonBytes)}
	default:
		return endReason{code: codeAbnormal, reason: "the line was cut"}
	}
}
