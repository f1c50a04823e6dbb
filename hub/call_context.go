package hub

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// A callContext is what a running tool gets. Progress and log go to the client.
// A write passes these in order, and the first refusal stops it, so that what is
// refused is neither counted nor recorded:
//
//	tool ── BeforeWrite ──▶ authorization ──▶ circuit breaker ──▶ journal
//	     ── AfterWrite ───────────────────────────────────────▶ journal
//	     ── Progress, Log ─────────────────────────────────────────────────▶ client
type callContext struct {
	tools.CallContext // the client's
	hub               *Hub
	call              *call
	auth              authorization
}

// BeforeWrite implements [tools.CallContext].
func (c callContext) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	if c.auth.check != nil {
		if err := c.auth.check(changes); err != nil {
			return err
		}
	}
	if !c.auth.approved {
		if err := c.hub.limiter.countWrites(c.call.client, changes); err != nil {
			return err
		}
	}
	if c.call.recorder == nil {
		return nil
	}
	err := c.call.recorder.BeforeWrite(ctx, changes...)
	c.hub.changes.report(err)
	return err
}

// AfterWrite implements [tools.CallContext].
func (c callContext) AfterWrite(target string, after tools.State) {
	if c.call.recorder != nil {
		c.call.recorder.AfterWrite(target, after)
	}
}
