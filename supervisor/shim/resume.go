package shim

import (
	"context"
	"net"
	"time"
)

// initWait is how long a hub may take to answer the replayed initialize.
const initWait = 10 * time.Second

// resume tells a new hub what the session has been so far, asks it again what
// the last one owed, and then opens it to the client. It returns early when
// the hub goes away, which whoever reads from conn notices too.
func (r *relay) resume(ctx context.Context, conn net.Conn) {
	if !r.greet(ctx, conn) {
		return
	}
	r.mu.Lock()
	frames := r.retell()
	frames = append(frames, r.calls.resend()...)
	announce := r.asks.hubs > 0 && r.past.welcomed && r.past.ready && r.past.changes
	r.mu.Unlock()
	if announce {
		// The new hub may be of another version, with other tools.
		r.say(notification("notifications/tools/list_changed", "{}"))
	}
	if write(conn, frames) {
		r.flush(conn)
	}
}

// greet repeats the handshake of a session that has had one.
func (r *relay) greet(ctx context.Context, conn net.Conn) bool {
	r.mu.Lock()
	if !r.past.welcomed {
		r.mu.Unlock()
		return true // the client's own initialize is yet to come, or is asked again
	}
	clear(r.past.waiting)
	hello, answered := r.past.replay("initialize", r.past.hello)
	ready := r.past.ready
	r.mu.Unlock()
	if !write(conn, [][]byte{hello}) {
		return false
	}
	timer := time.NewTimer(initWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-ctx.Done():
		return false
	case <-timer.C:
		r.Log.Warn("the hub did not answer initialize", "waited", initWait)
		_ = conn.Close()
		return false
	}
	return !ready || write(conn, [][]byte{notification("notifications/initialized", "{}")})
}

// retell makes the requests that restore the session. mu is held.
func (r *relay) retell() [][]byte {
	var frames [][]byte
	if !r.past.welcomed || r.asks.hubs == 0 {
		return nil
	}
	if r.past.level != nil {
		f, _ := r.past.replay("logging/setLevel", r.past.level)
		frames = append(frames, f)
	}
	for _, params := range r.past.topics {
		f, _ := r.past.replay("resources/subscribe", params)
		frames = append(frames, f)
	}
	return frames
}

// flush sends what the client said meanwhile, and opens the way for what it
// says next.
func (r *relay) flush(conn net.Conn) {
	for {
		r.mu.Lock()
		if len(r.queue) == 0 {
			r.up = conn
			r.room.Broadcast()
			r.mu.Unlock()
			return
		}
		f := r.queue[0]
		r.queue = r.queue[1:]
		r.queued -= len(f)
		m, whole := parse(f)
		f, pass := r.note(f, m, whole)
		r.mu.Unlock()
		if pass && !write(conn, [][]byte{f}) {
			return
		}
	}
}

func write(conn net.Conn, frames [][]byte) bool {
	for _, f := range frames {
		if _, err := conn.Write(append(f, '\n')); err != nil {
			return false
		}
	}
	return true
}
