package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// drain lets calls in flight end. Sockets stay open meanwhile, so that
// late-comers are told to come back rather than left to guess.
func (h *hubServer) drain(ctx context.Context) {
	d := h.lifecycle.decision()
	h.Log.Info("hub is leaving", "reason", d.reason)
	ctx, cancel := context.WithTimeout(ctx, h.Timing.Drain)
	defer cancel()
	deadline, _ := ctx.Deadline()
	for _, l := range h.openConns() {
		l.stopReading(deadline)
	}
	if h.Drain != nil {
		if err := h.Drain(ctx); err != nil {
			h.Log.Warn("calls were cut off", "error", err)
		}
	}
	err := waitFor(ctx, func() (bool, error) {
		inFlight, _ := h.Busy()
		return inFlight == 0 && h.lifecycle.attachedStreams() == 0, nil
	})
	if err != nil {
		inFlight, _ := h.Busy()
		h.Log.Warn("calls were cut off", "in_flight", inFlight, "waited", h.Timing.Drain)
	}
}

// retireDiscovery takes hub.json away, or writes into it who comes next. It happens
// before the first client is let go: what the file says tells a client that
// comes back whether to start a hub, and whether another is to do so.
func (h *hubServer) retireDiscovery(d Discovery) error {
	next := h.lifecycle.decision().successor
	if next == nil {
		err := os.Remove(h.Paths.Discovery())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	d.Next, d.NextUntil = next, h.Now().Add(h.Timing.Drain+handoverGrace)
	return writeDiscovery(h.Paths, d)
}

// exitError is what Run returns.
func (h *hubServer) exitError() error {
	if decision := h.lifecycle.decision(); decision != nil && decision.restart {
		return ErrAgain
	}
	return nil
}

// handoverGrace is how long older clients leave the start to a newer one, once
// the hub has had its time to drain. handoverMax bounds what hub.json may ask.
const (
	handoverGrace = 3 * time.Second
	handoverMax   = 30 * time.Second
)

// track notes a link as open, or forgets it.
func (h *hubServer) track(l *agentConn, open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if open {
		h.conns[l] = struct{}{}
	} else {
		delete(h.conns, l)
	}
}

func (h *hubServer) openConns() []*agentConn {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*agentConn, 0, len(h.conns))
	for l := range h.conns {
		all = append(all, l)
	}
	return all
}

// closeConns closes every link that is still open.
func (h *hubServer) closeConns() {
	for _, l := range h.openConns() {
		_ = l.Close()
	}
}
