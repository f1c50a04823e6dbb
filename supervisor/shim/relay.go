package shim

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// Bounds of what is kept for a hub that is not there. When they are reached,
// the client's pipe is no longer read.
const (
	queueFrames = 1024
	queueBytes  = 8 << 20
)

// hubMax is the longest frame from the hub, in bytes: it may add to what fits
// into one of the client's.
const hubMax = 4 * frame.Max

// A relay is a running shim. Frames to the hub are written by readClient, and
// by resume while up is nil; frames to the client under out.
type relay struct {
	Config

	end  context.CancelCauseFunc
	stir chan struct{} // a frame came while no hub was there

	out sync.Mutex // held to write to Out

	mu     sync.Mutex
	room   sync.Cond // signalled when queue is emptied
	up     net.Conn  // nil: no hub, or not yet told what came before
	queue  [][]byte  // from the client while up is nil
	queued int       // bytes in queue
	closed bool      // In has ended
	absent error     // why the hub could not be reached the last time; nil: it was
	calls  calls
	asks   asks
	past   past
}

func newRelay(c Config, end context.CancelCauseFunc) *relay {
	r := &relay{Config: c, end: end, stir: make(chan struct{}, 1), calls: newCalls(), asks: asks{}, past: newPast()}
	r.room.L = &r.mu
	return r
}

// readClient copies frames to the hub until In ends.
func (r *relay) readClient(ctx context.Context) {
	in := frame.NewReader(r.In, frame.Max)
	for ctx.Err() == nil {
		f, err := in.Next()
		switch {
		case errors.Is(err, frame.ErrTooLong):
			r.say(refusal(nil, codeInvalidRequest, "a frame of more than 16 MiB was skipped; send less in one request"))
		case err != nil:
			r.clientDone(err)
			return
		default:
			r.fromClient(f)
		}
	}
}

// clientDone lets what was asked be answered, and then ends the shim.
func (r *relay) clientDone(err error) {
	if !errors.Is(err, io.EOF) {
		r.Log.Warn("the client's pipe broke", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if !r.waits() {
		r.end(errDone)
		return
	}
	time.AfterFunc(r.Linger, func() {
		r.mu.Lock()
		why := r.absent
		r.mu.Unlock()
		if why != nil { // an answer is better than none
			r.Log.Warn("no hub can be reached", "error", why)
			r.giveUp(why)
		}
		r.end(errDone)
	})
}

// fromClient passes one frame on, or keeps it until there is a hub.
func (r *relay) fromClient(f []byte) {
	m, whole := parse(f)
	r.mu.Lock()
	for r.up == nil && (len(r.queue) >= queueFrames || r.queued >= queueBytes) {
		r.room.Wait()
	}
	conn := r.up
	if conn == nil {
		first := !r.waits()
		r.queue = append(r.queue, f)
		r.queued += len(f)
		r.mu.Unlock()
		if first {
			select {
			case r.stir <- struct{}{}:
			default:
			}
		}
		return
	}
	f, pass := r.note(f, m, whole)
	r.mu.Unlock()
	if pass {
		// An error needs no answer here: reading from the hub ends too, and
		// what was noted is asked again or answered then.
		_, _ = conn.Write(append(f, '\n'))
	}
}

// note remembers what a frame from the client asks for, and reports how and
// whether to pass it on. mu is held.
func (r *relay) note(f []byte, m message, whole bool) ([]byte, bool) {
	switch {
	case !whole: // garbage: the hub answers it
	case m.method == "" && m.id != nil:
		return r.asks.answer(f, m)
	case m.method != "":
		r.past.note(m)
		if m.id != nil {
			r.calls.add(f, m, r.past.reads(m))
		} else if m.method == "notifications/cancelled" {
			r.calls.cancel(m)
		}
	}
	return f, true
}

// serve carries frames from the hub until it goes away or ctx ends.
func (r *relay) serve(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var resumed sync.WaitGroup
	resumed.Go(func() { r.resume(ctx, conn) })
	in := frame.NewReader(conn, hubMax)
	for {
		f, err := in.Next()
		if errors.Is(err, frame.ErrTooLong) {
			r.Log.Error("a frame from the hub was longer than the bound and is lost", "bound", hubMax)
			continue
		}
		if err != nil {
			r.Log.Debug("the hub's stream ended", "error", err)
			break
		}
		r.fromHub(f)
	}
	cancel() // resume may wait for an answer that will not come
	stop()
	_ = conn.Close()
	resumed.Wait()
}

// fromHub passes one frame on, unless nobody waits for it.
func (r *relay) fromHub(f []byte) {
	m, whole := parse(f)
	if !whole {
		r.Log.Warn("a frame from the hub was cut off")
		return
	}
	r.mu.Lock()
	pass := true
	switch {
	case m.method != "" && m.id != nil:
		f = r.asks.add(f, m)
	case m.method == "" && m.id != nil:
		pass = r.answered(m)
	}
	done := r.closed && !r.waits()
	r.mu.Unlock()
	if pass {
		r.say(f)
	}
	if done {
		r.end(errDone)
	}
}

// answered crosses off the request that m answers, and reports whether the
// client made it and still waits. mu is held.
func (r *relay) answered(m message) bool {
	if r.past.replayed(m) {
		return false
	}
	c := r.calls.take(m.key())
	if c == nil {
		r.Log.Debug("the hub answered what nobody waits for")
		return false
	}
	r.past.learn(c.method, m.result)
	return true
}

// say writes one frame to the client.
func (r *relay) say(f []byte) {
	r.out.Lock()
	defer r.out.Unlock()
	if _, err := r.Out.Write(append(f, '\n')); err != nil {
		r.end(err)
	}
}

// waits reports whether the client is owed an answer. mu is held.
func (r *relay) waits() bool { return len(r.queue) > 0 || r.calls.owed() > 0 }

// wanted is waits for those who do not hold mu.
func (r *relay) wanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waits()
}

// lost answers what the next hub must not be asked again.
func (r *relay) lost() {
	r.mu.Lock()
	r.up = nil
	failed := r.calls.lose()
	withdrawn := r.asks.lose()
	r.mu.Unlock()
	for _, c := range failed {
		r.say(refusal(c.id, codeHubLost, hubRestarted))
	}
	for _, id := range withdrawn {
		r.say(notification("notifications/cancelled", `{"requestId":`+string(id)+`,"reason":"the hub restarted"}`))
	}
}

// missed remembers how the last attempt to reach a hub came out.
func (r *relay) missed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.absent = err
}

// giveUp answers everything that waits for a hub with why there is none.
func (r *relay) giveUp(reason error) {
	r.mu.Lock()
	failed := r.calls.drop()
	queue := r.queue
	r.queue, r.queued = nil, 0
	r.room.Broadcast()
	r.mu.Unlock()
	say := func(id []byte) { r.say(unreachable(id, reason)) }
	for _, c := range failed {
		say(c.id)
	}
	for _, f := range queue {
		switch m, whole := parse(f); {
		case !whole:
			r.say(refusal(nil, codeParse, "not a JSON object"))
		case m.method != "" && m.id != nil:
			say(m.id)
		}
	}
	r.mu.Lock()
	done := r.closed && !r.waits()
	r.mu.Unlock()
	if done {
		r.end(errDone)
	}
}
