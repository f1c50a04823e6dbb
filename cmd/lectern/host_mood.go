package main

import (
	"context"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// measureEvery is how often the hub looks at its own size.
const measureEvery = 5 * time.Second

// raise shows a Problem of the hub itself.
func (h *host) raise(p status.Problem) {
	h.state.Raise(p)
	h.state.Update(mood)
}

// clear ends a Problem of the hub itself.
func (h *host) clear(t status.Trouble) {
	h.state.Clear(t.Code, hubPart)
	h.state.Update(mood)
}

// hubPart is the hub's own name among the parts.
const hubPart = "hub"

// mood makes the hub's state follow from its problems. A notice is none to
// worry about.
func mood(s *status.Snapshot) {
	wrong := slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
		return p.Part == hubPart && p.Severity != status.Notice
	})
	switch {
	case wrong && s.Hub.State == status.Ready:
		s.Hub.State = status.Degraded
	case !wrong && s.Hub.State == status.Degraded:
		s.Hub.State = status.Ready
	}
}

// measure keeps the hub's memory in the picture until ctx ends. It draws only
// what a person would notice.
func (h *host) measure(ctx context.Context) {
	const noticeable = 1 << 20
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	shown := uint64(0)
	for {
		if now := memory(); max(now, shown)-min(now, shown) >= noticeable {
			shown = now
			h.state.Update(func(s *status.Snapshot) { s.Hub.Memory = now })
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// memory is what this process holds of the system's, in bytes.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
