package shim

import (
	"context"
	"net"
	"slices"
	"time"
)

// initializeTimeout is how long a hub may take to answer the replayed initialize.
const initializeTimeout = 10 * time.Second

// replaySession repeats the session to a new hub, sends it the requests that the
// last one did not answer, and then passes on frames of the client. It returns
// early when the hub goes away, which serveHub notices too.
func (r *relay) replaySession(ctx context.Context, conn net.Conn) {
	if !r.replayHandshake(ctx, conn) {
		return
	}
	r.mu.Lock()
	frames := r.newSessionReplayFrames()
	frames = append(frames, r.calls.framesForNextAttempt()...)
	announce := r.serverRequests.lostHubs > 0 && r.session.initialized && r.session.initializedSent && r.session.toolsListChanged
	r.mu.Unlock()
	if announce {
		// The new hub may be of another version, with other tools.
		r.writeClient(newNotification("notifications/tools/list_changed", "{}"))
	}
	if writeFrames(conn, frames) {
		r.flushQueue(conn)
	}
}

// replayHandshake repeats the handshake of a session that has had one.
func (r *relay) replayHandshake(ctx context.Context, conn net.Conn) bool {
	r.mu.Lock()
	if !r.session.initialized {
		r.mu.Unlock()
		return true // the client's own initialize is still to come, or is sent again
	}
	clear(r.session.replays)
	hello, answered := r.session.newReplayRequest("initialize", r.session.initializeParams)
	ready := r.session.initializedSent
	r.mu.Unlock()
	if !writeFrames(conn, [][]byte{hello}) {
		return false
	}
	timer := time.NewTimer(initializeTimeout)
	defer timer.Stop()
	select {
	case <-answered:
	case <-ctx.Done():
		return false
	case <-timer.C:
		r.Log.Warn("the hub did not answer initialize", "waited", initializeTimeout)
		_ = conn.Close()
		return false
	}
	return !ready || writeFrames(conn, [][]byte{newNotification("notifications/initialized", "{}")})
}

// newSessionReplayFrames makes the requests that restore the session. mu is held.
func (r *relay) newSessionReplayFrames() [][]byte {
	var frames [][]byte
	if !r.session.initialized || r.serverRequests.lostHubs == 0 {
		return nil
	}
	if r.session.logLevel != nil {
		f, _ := r.session.newReplayRequest("logging/setLevel", r.session.logLevel)
		frames = append(frames, f)
	}
	for _, params := range r.session.subscriptions {
		f, _ := r.session.newReplayRequest("resources/subscribe", params)
		frames = append(frames, f)
	}
	return frames
}

// flushQueue sends the frames that the client sent meanwhile, and has later ones
// go to the hub directly.
func (r *relay) flushQueue(conn net.Conn) {
	for {
		r.mu.Lock()
		if len(r.queue) == 0 {
			r.hub = conn
			if r.closed {
				endWrites(conn)
			}
			r.queueSpace.Broadcast()
			r.mu.Unlock()
			return
		}
		f := r.queue[0]
		r.queue = r.queue[1:]
		r.queued -= len(f)
		m, whole := parseFrame(f)
		f, pass := r.recordFrame(f, m, whole)
		r.mu.Unlock()
		if pass && !writeFrames(conn, [][]byte{f}) {
			return
		}
	}
}

func writeFrames(conn net.Conn, frames [][]byte) bool {
	for _, f := range frames {
		if _, err := conn.Write(copyAsLine(f)); err != nil {
			return false
		}
	}
	return true
}

// copyAsLine copies the frame and ends it. A copy, because a frame that is kept to be sent
// again may be on its way to the hub that was lost at that very moment.
func copyAsLine(f []byte) []byte { return slices.Concat(f, []byte{'\n'}) }
