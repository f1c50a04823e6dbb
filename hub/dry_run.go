package hub

import (
	"context"
	"encoding/json"

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
