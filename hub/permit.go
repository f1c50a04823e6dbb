package hub

import (
	"cmp"
	"context"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// findAndUsePermit is the one of all Permits that lets the call through, and counts it
// there; nil: none does. A call that makes others passes that list to them, so that
// all of it is judged by what was in force when it began.
func (c *call) findAndUsePermit(all approval.Permits, p *policy.Policy, q policy.Request) *approval.Permit {
	permit := all.Find(c.session.ID, q, p.Digest())
	if permit != nil {
		permit.CountCall()
		c.record.permit = permit.ID
	}
	return permit
}

// A permitWriteChecker stands before the write of a call that a Permit let through: it must
// still be in force, and reach what is written.
type permitWriteChecker struct {
	permit *approval.Permit
	next   writeCheck
	over   bool // the person is asked, because the Permit does not hold any more
}

func (u *permitWriteChecker) check(ctx context.Context, restorer tools.Restorer, changes []tools.Change) error {
	if !u.permit.InForce() || !u.permit.Contains(targetNames(changes)) {
		u.over = true
		return tools.Errorf(tools.Conflict, "the user's approval for ten minutes does not cover this").
			WithHint("Read again, then call again; the user is asked.")
	}
	return u.next(ctx, restorer, changes)
}

// approvalID is the ID of the approval that let the call through, or the call that
// made it; empty: none did.
func (c *call) approvalID() string {
	for ; c != nil; c = c.outer {
		if id := cmp.Or(c.record.approval, c.record.permit); id != "" {
			return id
		}
	}
	return ""
}
