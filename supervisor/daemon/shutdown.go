package daemon

import (
	"context"
	"time"
)

// drain lets calls in flight end. The sockets stay open meanwhile, so that a
// client that connects late gets a refusal that asks it to retry.
func (h *hubServer) drain(ctx context.Context) {
	d := h.lifecycle.decidedShutdown()
	h.Log.Info("hub is shutting down", "reason", d.reason)
	ctx, cancel := context.WithTimeout(ctx, h.Timing.Drain)
	defer cancel()
	deadline, _ := ctx.Deadline()
	if h.Drain != nil { // before reading ends, which looks as if the clients had left
		if err := h.Drain(ctx); err != nil {
			h.Log.Warn("calls were cut off", "error", err)
		}
	}
	for _, l := range h.listOpenConns() {
		l.stopReading(deadline)
	}
	err := waitFor(ctx, func() (bool, error) {
		inFlight, _ := h.Busy()
		return inFlight == 0 && h.lifecycle.countAttachedStreams() == 0, nil
	})
	if err != nil {
		inFlight, _ := h.Busy()
		h.Log.Warn("calls were cut off", "in_flight", inFlight, "waited", h.Timing.Drain)
	}
}

// exitError is the error that Run returns.
func (h *hubServer) exitError() error {
	if decision := h.lifecycle.decidedShutdown(); decision != nil && decision.restart {
		return ErrRestart
	}
	return nil
}

// handoverGrace is how long older clients wait for a newer one to start the hub,
// after the time to drain. maxHandoverWait bounds the wait that hub.json may ask for.
const (
	handoverGrace   = 3 * time.Second
	maxHandoverWait = 30 * time.Second
)

// trackConn adds a connection to the open ones, or removes it.
func (h *hubServer) trackConn(l *agentConn, open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if open {
		h.conns[l] = struct{}{}
	} else {
		delete(h.conns, l)
	}
}

func (h *hubServer) listOpenConns() []*agentConn {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*agentConn, 0, len(h.conns))
	for l := range h.conns {
		all = append(all, l)
	}
	return all
}

// closeConns closes every connection that is still open.
func (h *hubServer) closeConns() {
	for _, l := range h.listOpenConns() {
		_ = l.Close()
	}
}

// What becomes of calls that wait for a person when a hub ends: only those that came through
// a shim are asked about again.
const (
	AskedAgain              = "the next hub asks again; clients over HTTP are told to call again"
	AskedAgainWithinAMinute = "a hub that starts within a minute asks again; after that, and over HTTP at once, agents are told to call again"
)
