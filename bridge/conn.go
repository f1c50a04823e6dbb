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
	bridge *Bridge
	link   link
	origin string
	epoch  uint64 // of the bridge's connections, from 1
	since  time.Time
	about  atomic.Pointer[about]
	ack    []byte // the answer to its hello

	out     chan outgoing
	gone    chan struct{} // closed when the connection has ended
	slots   chan struct{} // one for each call in flight
	waiting atomic.Int64  // calls that wait for a slot
	closing sync.WaitGroup

	mu     sync.Mutex
	count  uint64 // of requests sent
	calls  map[string]*call
	past   past
	strays strays
	ended  *ending // nil: alive
	tally  tally
}

// A tally is what a connection has seen, for people.
type tally struct {
	calls, failures, strays uint64
	latency                 time.Duration // of the last ping; 0: none was answered yet
	lastError               string
}

// outgoing is a frame on its way out, with the call whose request it is.
type outgoing struct {
	frame []byte
	call  *call // nil: none
}

// spareFrames is how many frames besides requests may wait to be written:
// cancellations and answers. What finds no room is not worth waiting for.
const spareFrames = 64

func newConn(b *Bridge, l link, origin string, a *about) *conn {
	c := &conn{
		bridge: b, link: l, origin: origin, epoch: b.epochs.Add(1), since: b.conf.Now(),
		out: make(chan outgoing, b.limits.InFlight+spareFrames), gone: make(chan struct{}),
		slots: make(chan struct{}, b.limits.InFlight), calls: map[string]*call{}, past: newPast(),
	}
	c.about.Store(a)
	return c
}

func (c *conn) key() string { return c.about.Load().key() }

// run serves the connection until it ends, and returns when nothing of it is
// left.
func (c *conn) run() {
	if err := c.link.write(c.ack); err != nil {
		c.end(ending{code: codeLost, reason: "the answer to hello could not be sent"})
	}
	var work sync.WaitGroup
	work.Go(c.write)
	work.Go(c.keepAlive)
	c.end(c.read())
	work.Wait()
	c.closing.Wait()
}

// end ends the connection once: calls in flight fail now, the link closes in
// the background.
func (c *conn) end(why ending) {
	c.mu.Lock()
	if c.ended != nil {
		c.mu.Unlock()
		return
	}
	c.ended = &why
	calls := c.calls
	c.calls = nil
	c.closing.Add(1)
	c.mu.Unlock()
	close(c.gone)
	for _, k := range calls {
		k.reply(nil, &lost{why: why, sent: k.sent, alone: len(calls) == 1})
	}
	go func() {
		defer c.closing.Done()
		c.bridge.leave(c) // now: a Peer that does not answer is slow to close
		if why.farewell != nil {
			_ = c.link.write(why.farewell) // the close says it again
		}
		c.link.close(why.code, why.reason)
	}()
}

// why is how the connection ended.
func (c *conn) why() ending {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		return ending{}
	}
	return *c.ended
}

func (c *conn) replaced() {
	const reason = "the same graph has connected anew; the newest connection is used"
	c.end(ending{codeReplaced, reason, notification("replaced", map[string]any{"reason": reason})})
}

// read takes frames until the link or the Peer's good behaviour ends.
func (c *conn) read() ending {
	for {
		text, err := c.link.read()
		if err != nil {
			return endingOf(err)
		}
		f, err := parse(text, c.bridge.limits.Depth)
		if err == nil {
			err = c.take(f)
		}
		if err != nil {
			return ending{code: codeProtocol, reason: err.Error()}
		}
	}
}

// take acts on one frame. An error is a break of the protocol.
func (c *conn) take(f frame) error {
	switch {
	case f.method == "":
		return c.answered(f)
	case f.id != "":
		c.requested(f)
		return nil
	case f.method == "announce":
		a, err := c.bridge.describe(f.params)
		if err != nil {
			return fmt.Errorf("announce: %w", err)
		}
		c.bridge.move(c, a)
		c.bridge.hear(c, f.method, a.raw)
		return nil
	default:
		c.bridge.hear(c, f.method, f.params)
		return nil
	}
}

// requested answers what a Peer asks of us, which is next to nothing.
func (c *conn) requested(f frame) {
	if f.method == "ping" {
		c.spare(answer(f.id, json.RawMessage("{}")))
		return
	}
	c.spare(failure(f.id, "INVALID_INPUT", "Lectern answers ping alone"))
}

// write sends what is queued, and skips requests whose caller has gone.
func (c *conn) write() {
	for {
		select {
		case <-c.gone:
			return
		case o := <-c.out:
			if o.call != nil && !c.sending(o.call) {
				continue
			}
			if err := c.link.write(o.frame); err != nil {
				c.end(ending{code: codeLost, reason: "the peer takes no more frames"})
				return
			}
		}
	}
}

// spare queues a frame that nobody waits for, or drops it.
func (c *conn) spare(frame []byte) {
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
		case <-c.gone:
			return
		case <-tick.C:
		}
		start := time.Now()
		if !c.ping() {
			c.end(ending{code: codeNoPong, reason: fmt.Sprintf("no answer to ping within %s", c.bridge.limits.Pong)})
			return
		}
		if took := time.Since(start); c.changedPace(took) {
			c.bridge.changed()
		}
	}
}

// notable is the least difference of latency that a person would care for.
const notable = 5 * time.Millisecond

// changedPace takes note of what a ping took, and reports whether that is another
// latency than before: one that only wavers would be drawn anew for ever.
func (c *conn) changedPace(now time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.tally.latency
	if before > 0 && max(now, before)-min(now, before) < max(notable, before/2) {
		return false
	}
	c.tally.latency = now
	return true
}

// ping reports whether the Peer answered in time; a connection that ends has.
func (c *conn) ping() bool {
	k, err := c.begin("p", c.key())
	if err != nil {
		return true
	}
	late := time.NewTimer(c.bridge.limits.Pong)
	defer late.Stop()
	select {
	case c.out <- outgoing{request(k.id, "ping", nil), k}:
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

// endingOf says why a link's read failed, and how we answer.
func endingOf(err error) ending {
	closed, told := errors.AsType[websocket.CloseError](err)
	switch {
	case errors.Is(err, errTooBig):
		return ending{code: codeTooBig, reason: err.Error()}
	case errors.Is(err, errSlow), errors.Is(err, errBinary):
		return ending{code: codeProtocol, reason: err.Error()}
	case told:
		return ending{code: int(closed.Code), reason: "the peer closed: " + short(closed.Reason, reasonBytes)}
	default:
		return ending{code: codeLost, reason: "the line was cut"}
	}
}
