package hubproc

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// Records of calls are kept for auditRetention, within maxAuditBytes.
const (
	auditRetention = 90 * 24 * time.Hour
	maxAuditBytes  = 512 << 20
)

// openAudit begins to record every call.
func (h *hubProcess) openAudit(ctx context.Context) {
	trail, err := openAuditTrail(ctx, h.App)
	if err != nil {
		h.log.Error("open audit trail", "component", problems.HubComponent, "err", err)
		h.reportAuditStopped(err)
		return
	}
	h.audit.Store(trail)
	h.hub.Calls().SetTrail(trail)
	started := status.Call{Event: status.HubStarted, Message: "the hub started"}
	if h.state.Snapshot().Hub.AfterCrash {
		started.Message = "the hub started, because the one before it crashed"
	}
	h.hub.Calls().RecordEvent(started)
}

func openAuditTrail(ctx context.Context, a *app.App) (*audit.Trail, error) {
	key, err := loopnet.LoadOrCreateToken(a.Paths.AuditKey())
	if err != nil {
		return nil, err
	}
	return audit.Open(ctx, audit.Options{
		File: a.Paths.Audit(), Key: key.MAC([]byte("audit: arguments")), Now: a.Now, Keep: auditRetention, MaxBytes: maxAuditBytes,
	})
}

// refreshAuditProblem shows while calls cannot be recorded. It takes and returns whether
// that is so.
func (h *hubProcess) refreshAuditProblem(stopped bool) bool {
	trail := h.audit.Load()
	if trail == nil {
		return stopped
	}
	err := trail.Err()
	switch {
	case err != nil:
		h.reportAuditStopped(err)
	case stopped:
		h.clearProblem(problems.AuditStopped)
	}
	return err != nil
}

func (h *hubProcess) reportAuditStopped(err error) {
	h.raiseProblem(problems.AuditStopped.New(problems.HubComponent, status.Args{"why": problems.Cause(err), "file": h.Paths.Audit()}))
}

// closeAudit writes what is still in memory. The hub makes no calls any more.
func (h *hubProcess) closeAudit() error {
	if trail := h.audit.Load(); trail != nil {
		return trail.Close()
	}
	return nil
}
