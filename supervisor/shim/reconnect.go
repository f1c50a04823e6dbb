package shim

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/lectern-mcp/lectern/supervisor"
)

// reconnectPolicy spaces the attempts to reach a hub.
var reconnectPolicy = supervisor.RestartPolicy{Steps: []time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
	1600 * time.Millisecond, 3200 * time.Millisecond, 5 * time.Second,
}}

// firstConnectTimeout bounds Patience until there was a first hub: the client waits
// for its initialize, and some give up within a minute without a reason.
const firstConnectTimeout = 10 * time.Second

// connectHub returns a stream to a hub, or nil when ctx ends. While no call waits
// it tries without end; calls that wait are answered after c.Patience.
func (r *relay) connectHub(ctx context.Context, first bool) net.Conn {
	var waiting time.Time // since when; zero: no call waits
	attempts := supervisor.RestartHistory{RestartPolicy: reconnectPolicy}
	for atOnce := first; ; atOnce = false {
		connect := r.Reconnect
		if r.needsHub() || atOnce {
			connect = r.Connect
		}
		waiting = r.callWaitingSince(waiting)
		conn, err := connect(ctx)
		if ctx.Err() == nil {
			r.setConnectError(err)
		}
		if err == nil {
			return conn
		}
		if ctx.Err() != nil {
			return nil
		}
		if supervisor.IsFinalError(err) || !waiting.IsZero() && time.Since(waiting) >= r.connectTimeout(first) {
			r.Log.Warn("no hub can be reached", "error", err)
			r.failPending(err)
			waiting = time.Time{}
		}
		delay, _ := attempts.RecordExit(0, time.Now())
		if r.sleepUntilCall(ctx, delay) {
			attempts.Reset()
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// callWaitingSince is since when a call waits for an answer; zero: none does.
func (r *relay) callWaitingSince(since time.Time) time.Time {
	switch {
	case !r.hasAwaitedCalls():
		return time.Time{}
	case since.IsZero():
		return time.Now()
	default:
		return since
	}
}

func (r *relay) connectTimeout(first bool) time.Duration {
	if first {
		return min(r.ReconnectTimeout, firstConnectTimeout)
	}
	return r.ReconnectTimeout
}

// sleepUntilCall waits for delay, or until a first call waits; then it returns true.
func (r *relay) sleepUntilCall(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake:
		return true
	case <-ctx.Done():
	}
	return false
}

// errDisconnected is why a relay connects to no hub any more.
var errDisconnected = errors.New("the user disconnected this agent from Lectern")

func (r *relay) isDisconnectedByPerson() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.disconnected
}

// refuseCalls answers every call with an error until ctx ends: a person
// disconnected the agent, and it stays so until the client starts another relay.
func (r *relay) refuseCalls(ctx context.Context) {
	r.Log.Warn("the user disconnected this agent from Lectern; restart the client to connect it again")
	r.setConnectError(errDisconnected)
	for {
		r.failPending(errDisconnected)
		select {
		case <-r.wake:
		case <-ctx.Done():
			return
		}
	}
}

// handleHubLoss answers the requests that the next hub must not get.
func (r *relay) handleHubLoss() {
	r.mu.Lock()
	r.hub = nil
	if r.allAnswered {
		r.calls.giveBack()
		r.allAnswered = false
	}
	repeatable := r.session.repeatable
	var failed []*pendingCall
	if r.closed { // nobody is asked about what a client that has left wants to write
		failed = r.calls.removeMatching(func(c *pendingCall) bool { return c.givenBack && !repeatable(c) })
	}
	failed = append(failed, r.calls.removeUnrepeatable(repeatable)...)
	withdrawn := r.serverRequests.dropLostRequests()
	disconnected := r.disconnected
	r.mu.Unlock()
	for _, c := range failed {
		switch {
		case disconnected:
			r.writeClient(disconnectedByPersonFrame(c.id))
		case c.givenBack:
			r.writeClient(givenBackFrame(c.id, nil))
		default:
			r.writeClient(errorFrame(c.id, codeHubLost, hubRestartedMessage))
		}
	}
	for _, id := range withdrawn {
		r.writeClient(newNotification("notifications/cancelled", `{"requestId":`+string(id)+`,"reason":"the hub restarted"}`))
	}
	r.endIfDone()
}

// endIfDone ends the relay if the client has closed its end and waits for nothing.
func (r *relay) endIfDone() {
	r.mu.Lock()
	done := r.closed && !r.hasAwaitedCallsLocked()
	r.mu.Unlock()
	if done {
		r.end(errClientDone)
	}
}

// setConnectError records the result of the last attempt to reach a hub.
func (r *relay) setConnectError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connectError = err
}

// needsHub reports whether a call waits that may start a hub.
func (r *relay) needsHub() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue) > 0 || r.calls.needsHub()
}

// hasAwaitedCalls is hasAwaitedCallsLocked with mu.
func (r *relay) hasAwaitedCalls() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hasAwaitedCallsLocked()
}

// failPending answers every request that waits for a hub with an error.
func (r *relay) failPending(reason error) {
	r.mu.Lock()
	failed := r.calls.removeAll()
	queue := r.queue
	r.queue, r.queued = nil, 0
	r.queueSpace.Broadcast()
	r.mu.Unlock()
	say := func(id []byte) { r.writeClient(unreachableFrame(id, reason)) }
	if errors.Is(reason, errDisconnected) {
		say = func(id []byte) { r.writeClient(disconnectedByPersonFrame(id)) }
	}
	for _, c := range failed {
		if c.givenBack && !errors.Is(reason, errDisconnected) {
			r.writeClient(givenBackFrame(c.id, reason))
			continue
		}
		say(c.id)
	}
	for _, f := range queue {
		switch m, whole := parseFrame(f); {
		case !whole:
			r.writeClient(errorFrame(nil, codeParseError, "not a JSON object"))
		case m.awaitsAnswer():
			say(m.id)
		}
	}
	r.endIfDone()
}
