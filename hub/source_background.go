package hub

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

var sourceBackgroundProblem = status.ProblemType{
	Code: "source.background", Severity: status.Warning,
	Description: "The background work of a source ended with an error: its index, its synchronisation or its schedule is not up to date. " +
		"The source serves what it has.",
	Title: "source {source}: background work stopped: {why}",
	Fix:   "Lectern tries again automatically, at the latest after a minute; `lectern logs` has the reason.",
}

// minHealthyRunTime is how long background work must last for its end to count as the
// first failure.
const minHealthyRunTime = time.Minute

// backgroundRestartDelays are the times before background work is started again; the last
// repeats.
func backgroundRestartDelays() []time.Duration {
	return []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
	}
}

// runBackground calls Run until it has nothing left to do or ctx ends.
func (s *source) runBackground(ctx context.Context, r tools.Runner, show *reporter) {
	for failures := 0; ; failures++ {
		began := s.hub.now()
		healthy := time.AfterFunc(minHealthyRunTime, func() { show.Clear(sourceBackgroundProblem) })
		_, err := catchPanic(func() (struct{}, error) { return struct{}{}, r.Run(ctx) })
		healthy.Stop()
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			show.Clear(sourceBackgroundProblem)
			return
		}
		if s.hub.now().Sub(began) >= minHealthyRunTime {
			failures = 0
		}
		s.hub.log.Error("background work ended", "component", s.conf.Name, "err", err, "stack", panicStack(err))
		show.raise(sourceBackgroundProblem, status.Args{"why": err.Error()})
		delays := backgroundRestartDelays()
		if !sleepContext(ctx, delays[min(failures, len(delays)-1)]) {
			return
		}
	}
}

// sleepContext waits, and reports whether ctx still goes on.
func sleepContext(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
