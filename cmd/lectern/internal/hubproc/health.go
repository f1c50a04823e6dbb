package hubproc

import (
	"context"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
)

// healthCheckInterval is how often the hub checks its memory, log, audit and journal.
const healthCheckInterval = 5 * time.Second

// raiseProblem shows a problem of the hub itself.
func (h *hubProcess) raiseProblem(p status.Problem) {
	h.state.RaiseProblem(p)
	h.state.Update(refreshHubState)
}

// clearProblem ends a problem of the hub itself.
func (h *hubProcess) clearProblem(t status.ProblemType) {
	h.state.ClearProblem(t.Code, problems.HubComponent)
	h.state.Update(refreshHubState)
}

// refreshHubState derives the hub's state from its problems; notices do not count.
func refreshHubState(s *status.Snapshot) {
	degraded := slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
		return p.Component == problems.HubComponent && p.Severity != status.Notice
	})
	switch {
	case degraded && s.Hub.State == status.Ready:
		s.Hub.State = status.Degraded
	case !degraded && s.Hub.State == status.Degraded:
		s.Hub.State = status.Ready
	}
}

// watchHealth keeps the hub's memory, and problems of log, audit and journal,
// in the snapshot until ctx ends. Small changes of the memory are not published.
func (h *hubProcess) watchHealth(ctx context.Context) {
	const noticeable = 1 << 20
	tick := time.NewTicker(healthCheckInterval)
	defer tick.Stop()
	shown, logStopped, auditStopped := uint64(0), false, false
	var damaged []string
	for {
		if now := memoryInUse(); max(now, shown)-min(now, shown) >= noticeable {
			shown = now
			h.state.Update(func(s *status.Snapshot) { s.Hub.Memory = now })
		}
		logStopped, auditStopped, damaged = h.refreshLogProblem(logStopped), h.refreshAuditProblem(auditStopped), h.refreshJournalProblem(damaged)
		h.plugins.refreshRefusedPlugin()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// refreshLogProblem shows while the log file cannot be written. It takes and returns
// whether that is so.
func (h *hubProcess) refreshLogProblem(stopped bool) bool {
	err := h.logs.FileError()
	switch {
	case err != nil:
		h.raiseProblem(problems.LogStopped.New(problems.HubComponent, status.Args{"why": problems.Cause(err), "file": h.Paths.Log()}))
	case stopped:
		h.clearProblem(problems.LogStopped)
	}
	return err != nil
}

// memoryInUse is what this process has from the system, in bytes.
func memoryInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
