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
		return inFlight == 0 && !h.life.inUse(), nil
	})
	if err != nil {
		inFlight, _ := h.Busy()
		h.Log.Warn("calls were cut off", "in_flight", inFlight, "waited", h.Timing.Drain)
	}
}

// bequeath writes into hub.json who comes next. It happens before the first
// client is let go, so that an older one leaves the start to the newer.
func (h *shell) bequeath(d Discovery) error {
	decision := h.life.decided()
	if decision == nil || decision.next == nil {
		return nil
	}
	d.Next, d.NextUntil = decision.next, h.Now().Add(h.Timing.Drain+handOverGrace)
	return writeDiscovery(h.Paths, d)
}

// farewell takes hub.json away, unless it says who comes next.
func (h *shell) farewell() error {
	decision := h.life.decided()
	if decision == nil {
		return nil // it never came so far
	}
	if decision.next == nil {
		if err := os.Remove(h.Paths.Discovery()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if decision.again {
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
