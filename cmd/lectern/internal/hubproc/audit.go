package hubproc

import (
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// auditDelay is how much of the audit trail a killed hub may lose.
const auditDelay = 200 * time.Millisecond

// openAudit begins to record every call. No other hub of this user may be
// running: two writers would break the chain of hashes.
func (h *hubProcess) openAudit() {
	trail, err := h.newAuditTrail()
	if err != nil {
		h.log.Error("open audit trail", "component", problems.Hub, "err", err)
		h.reportAuditStopped(err)
		return
	}
	h.audit.Store(trail)
	h.hub.Calls().SetTrail(trail)
}

func (h *hubProcess) newAuditTrail() (*audit.Trail, error) {
	key, err := loopnet.LoadOrCreateToken(h.Paths.AuditKey())
	if err != nil {
		return nil, err
	}
	return audit.Open(audit.Options{File: h.Paths.Audit(), Key: key.MAC([]byte("audit: arguments")), Now: h.Now, Delay: auditDelay})
}

// checkAudit shows while the trail cannot be written. It takes and returns
// whether that is so.
func (h *hubProcess) checkAudit(stopped bool) bool {
	trail := h.audit.Load()
	if trail == nil {
		return stopped
	}
	err := trail.FileError()
	switch {
	case err != nil:
		h.reportAuditStopped(err)
	case stopped:
		h.clear(problems.AuditStopped)
	}
	return err != nil
}

func (h *hubProcess) reportAuditStopped(err error) {
	h.raise(problems.AuditStopped.New(problems.Hub, status.Args{"why": err.Error(), "file": h.Paths.Audit()}))
}

// closeAudit writes what is still in memory. The hub makes no calls any more.
func (h *hubProcess) closeAudit() error {
	if trail := h.audit.Load(); trail != nil {
		return trail.Close()
	}
	return nil
}
