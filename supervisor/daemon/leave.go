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
func (h *shell) drain(ctx context.Context) {
	d := h.life.decided()
	h.Log.Info("hub is leaving", "reason", d.why)
	ctx, cancel := context.WithTimeout(ctx, h.Timing.Drain)
	defer cancel()
	deadline, _ := ctx.Deadline()
	for _, l := range h.open() {
		l.end(deadline)
	}
	if h.Drain != nil {
		if err := h.Drain(ctx); err != nil {
			h.Log.Warn("calls were cut off", "error", err)
		}
	}
	err := waitFor(ctx, func() (bool, error) {
		inFlight, _ := h.Busy()
		return inFlight == 0 && h.life.streams() == 0, nil
	})
	if err != nil {
		inFlight, _ := h.Busy()
		h.Log.Warn("calls were cut off", "in_flight", inFlight, "waited", h.Timing.Drain)
	}
}

// bequeath takes hub.json away, or writes into it who comes next. It happens
// before the first client is let go: what the file says tells a client that
// comes back whether to start a hub, and whether another is to do so.
func (h *shell) bequeath(d Discovery) error {
	next := h.life.decided().next
	if next == nil {
		err := os.Remove(h.Paths.Discovery())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	d.Next, d.NextUntil = next, h.Now().Add(h.Timing.Drain+handOverGrace)
	return writeDiscovery(h.Paths, d)
}

// farewell is what Run returns.
func (h *shell) farewell() error {
	if decision := h.life.decided(); decision != nil && decision.again {
		return ErrAgain
	}
	return nil
}

// handOverGrace is how long older clients leave the start to a newer one, once
// the hub has had its time to drain. handOverMax bounds what hub.json may ask.
const (
	handOverGrace = 3 * time.Second
	handOverMax   = 30 * time.Second
)

// track notes a link as open, or forgets it.
func (h *shell) track(l *link, open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if open {
		h.links[l] = struct{}{}
	} else {
		delete(h.links, l)
	}
}

func (h *shell) open() []*link {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*link, 0, len(h.links))
	for l := range h.links {
		all = append(all, l)
	}
	return all
}

// cut closes every link that is still open.
func (h *shell) cut() {
	for _, l := range h.open() {
		_ = l.Close()
	}
}
