package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// insertDrafts finds a place for drafts, reports them and carries out the write that
// puts them there; they have their uuids by then. On a dry run it only looks.
func (g *Graph) insertDrafts(ctx context.Context, c tools.CallContext, w positionArgs, drafts []*draft, dry bool, how func(insertPosition) writeRequest) (insertPosition, Written, error) {
	if err := w.check(); err != nil {
		return insertPosition{}, Written{}, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return insertPosition{}, Written{}, err
	}
	defer end()
	p, err := g.resolvePosition(ctx, w)
	if err != nil {
		return insertPosition{}, Written{}, err
	}
	if err := g.checkNewBlocks(ctx, drafts); err != nil {
		return insertPosition{}, Written{}, err
	}
	if dry {
		return p, dryRunResult(), nil
	}
	told, err := g.reportChanges(ctx, c, g.planInsert(p, drafts)...)
	if err != nil {
		return insertPosition{}, Written{}, err
	}
	defer told()
	written, err := g.perform(ctx, how(p))
	return p, written, err
}
