package hub

import (
	"context"
	"encoding/json"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// dryRun runs a call that writes or deletes up to its first write and returns
// what it would change. An error is the call's own: no person need be asked
// about it. A System that does not report its changes is not run at all, since
// it would write, and neither is a script: their changes are not known.
func (h *Hub) dryRun(ctx context.Context, c *call, args json.RawMessage) (changes []tools.Change, known bool, err error) {
	if c.tool.info.Effect != tools.Writes && c.tool.info.Effect != tools.Deletes {
		return nil, false, nil
	}
	var dryRun tools.DryRun
	known, err = runOnSource(ctx, h.runner, c.runOptions(h.runner), c.source, func(ctx context.Context, open *sourceRef) (bool, error) {
		if open.Restorer() == nil {
			return false, nil
		}
		_, err := h.invoke(ctx, c, open, tools.CallContext{Identity: c.callerIdentity(), Writes: &dryRun, Began: c.began, Seed: c.seed}, args)
		return true, err
	})
	if changes, stopped := dryRun.Changes(); stopped {
		return changes, true, nil
	}
	return nil, known, err
}

// foreseeRefusal is why the call that an agent's dry run is about would be refused, by a rule
// or by the circuit breaker. nil: it would not be, a person would be asked, or that is not
// known. What else is wrong with the call is told by its own dry run.
func (h *Hub) foreseeRefusal(ctx context.Context, c *call, p *policy.Policy) error {
	if c.tool.info.Calls {
		return nil // the calls within are judged one by one
	}
	real, err := c.without(c.tool.info.DryRunArgument())
	if err != nil {
		return nil //nolint:nilerr // the call says so
	}
	changes, _, err := h.dryRun(ctx, c, real.raw)
	if err != nil || len(changes) == 0 {
		return nil //nolint:nilerr // likewise
	}
	q := c.policyRequest(p)
	q.Targets = targetNames(changes)
	switch d := p.Decide(q); {
	case d.Verdict == policy.Deny:
		return errForbidden(d)
	case d.Verdict == policy.Ask:
		return nil
	}
	return h.limiter.foresee(c.client, changes)
}
