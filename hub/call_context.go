package hub

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// newCallContext is what a running tool gets. Progress and log go straight to
// the client.
func newCallContext(h *Hub, c *call, auth authorization) tools.CallContext {
	return tools.CallContext{
		Identity: c.identity(),
		Notify:   c.Notify,
		Writes:   writeObserver{h, c, auth},
		Sources:  sourceCaller{hub: h, outer: c},
		Began:    c.outermost().began,
		Seed:     c.seed,
	}
}

// identity is who calls, as the source sees them.
func (c *call) identity() tools.Identity {
	return tools.Identity{
		Client: c.client.Name, Proven: c.client.Proven, Role: c.toolset.access(c.source).role,
		Account: c.account, Session: c.session.ID, Via: c.via, ExpiresAt: c.expires,
	}
}

// A writeObserver stands before every write of a tool. A write passes these in
// order, and the first refusal stops it, so that what is refused is neither
// counted nor recorded:
//
//	tool ── BeforeWrite ──▶ pause ──▶ authorization ──▶ circuit breaker ──▶ journal
//	     ── AfterWrite ─────────────────────────────────────────────────▶ journal
type writeObserver struct {
	hub  *Hub
	call *call
	auth authorization
}

// BeforeWrite implements [tools.WriteObserver].
func (c writeObserver) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	return c.call.group.fail(c.allow(ctx, changes))
}

func (c writeObserver) allow(ctx context.Context, changes []tools.Change) error {
	c.call.targets.add(changes)
	if err := c.hub.limiter.checkPause(c.call); err != nil {
		return err
	}
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

// AfterWrite implements [tools.WriteObserver].
func (c writeObserver) AfterWrite(target string, after tools.State) {
	if c.call.recorder != nil {
		c.call.recorder.AfterWrite(target, after)
	}
}
