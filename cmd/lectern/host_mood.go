package main

import (
	"context"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// measureEvery is how often the hub looks at its own size and its log.
const measureEvery = 5 * time.Second

// raise shows a Problem of the hub itself.
func (h *host) raise(p status.Problem) {
	h.state.Raise(p)
	h.state.Update(mood)
}

// clear ends a Problem of the hub itself.
func (h *host) clear(t status.ProblemType) {
	h.state.Clear(t.Code, hubPart)
	h.state.Update(mood)
}

// hubPart is the hub's own name among the parts.
const hubPart = "hub"

// mood makes the hub's state follow from its problems. A notice is none to
// worry about.
func mood(s *status.Snapshot) {
	wrong := slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
		return p.Component == hubPart && p.Severity != status.Notice
	})
	switch {
	case wrong && s.Hub.State == status.Ready:
		s.Hub.State = status.Degraded
	case !wrong && s.Hub.State == status.Degraded:
		s.Hub.State = status.Ready
	}
}

// measure keeps the hub's memory, and what became of log, audit and journal, in the
// picture until ctx ends. It draws only what a person would notice.
func (h *host) measure(ctx context.Context) {
	const noticeable = 1 << 20
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	shown, silent, unrecorded := uint64(0), false, false
	var damaged []string
	for {
		if now := memory(); max(now, shown)-min(now, shown) >= noticeable {
			shown = now
			h.state.Update(func(s *status.Snapshot) { s.Hub.Memory = now })
		}
		silent, unrecorded, damaged = h.lookAtLog(silent), h.lookAtTrail(unrecorded), h.lookAtJournal(damaged)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// lookAtLog says when the log file is no longer written, and when it is again.
// It returns which of both is so, and is told what was so before.
func (h *host) lookAtLog(silent bool) bool {
	err := h.logs.FileError()
	switch {
	case err != nil:
		h.raise(logStopped.New(hubPart, status.Args{"why": err.Error(), "file": h.logFile()}))
	case silent:
		h.clear(logStopped)
	}
	return err != nil
}

// memory is what this process holds of the system's, in bytes.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
