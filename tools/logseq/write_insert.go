package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// insertDrafts resolves a position and performs the write that puts drafts
// there. The drafts have their uuids when newRequest is called. A dry run only
// resolves the position.
func (g *Graph) insertDrafts(
	ctx context.Context, c tools.CallContext, at positionArgs, drafts []*draft, dryRun bool, newRequest func(insertPosition) writeRequest,
) (insertPosition, Written, error) {
	p, err := g.resolvePosition(ctx, at)
	if err != nil {
		return p, Written{}, err
	}
	if err := prepareNewBlocks(ctx, g, drafts); err != nil {
		return p, Written{}, err
	}
	if dryRun {
		return p, dryRunResult(), nil
	}
	changes := g.planInsert(p, drafts)
	w := newRequest(p)
	w.progress = progressReporter(c)
	written, err := g.change(ctx, c, w, changes...)
	return p, written, err
}
