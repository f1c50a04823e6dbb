package main

import (
	"path/filepath"
	"time"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// auditDelay is how much of the trail a hub that is killed may lose.
const auditDelay = 200 * time.Millisecond

func (w *world) auditFile() string { return filepath.Join(w.places.State, "audit.jsonl") }
func (w *world) auditKey() string  { return filepath.Join(w.places.State, "audit.key") }

// openTrail begins to record every call. It is called when no other hub of this
// user can be running: two writers would break the chain.
func (h *host) openTrail() {
	trail, err := h.newTrail()
	if err != nil {
		h.log.Error("open audit trail", "part", hubPart, "err", err)
		h.raise(auditStopped.New(hubPart, status.Args{"why": err.Error(), "file": h.auditFile()}))
		return
	}
	h.trail.Store(trail)
	h.hub.SetTrail(trail)
}

func (h *host) newTrail() (*audit.Trail, error) {
	key, err := loopnet.LoadOrCreateToken(h.auditKey())
	if err != nil {
		return nil, err
	}
	return audit.Open(audit.Options{File: h.auditFile(), Key: key.MAC([]byte("audit: arguments")), Now: h.now, Delay: auditDelay})
}

// lookAtTrail says when the trail is no longer written, and when it is again;
// see lookAtLog.
func (h *host) lookAtTrail(silent bool) bool {
	trail := h.trail.Load()
	if trail == nil {
		return silent
	}
	err := trail.FileError()
	switch {
	case err != nil:
		h.raise(auditStopped.New(hubPart, status.Args{"why": err.Error(), "file": h.auditFile()}))
	case silent:
		h.clear(auditStopped)
	}
	return err != nil
}

// closeTrail writes what waits. The hub makes no calls any more.
func (h *host) closeTrail() error {
	if trail := h.trail.Load(); trail != nil {
		return trail.Close()
	}
	return nil
}
