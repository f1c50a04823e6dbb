package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// put finds a place for drafts, reports them and carries out the write that
// puts them there; they have their uuids by then. On a dry run it only looks.
func (g *Graph) put(ctx context.Context, c tools.CallContext, w where, drafts []*draft, dry bool, how func(place) write) (place, Written, error) {
	if err := w.check(); err != nil {
		return place{}, Written{}, err
	}
	end, err := g.begin(ctx)
	if err != nil {
		return place{}, Written{}, err
	}
	defer end()
	p, err := g.place(ctx, w)
	if err != nil {
		return place{}, Written{}, err
	}
	if err := g.mayWrite(ctx, drafts); err != nil {
		return place{}, Written{}, err
	}
	if dry {
		return p, rehearsed(), nil
	}
	told, err := g.report(ctx, c, g.adding(p, drafts)...)
	if err != nil {
		return place{}, Written{}, err
	}
	defer told()
	written, err := g.write(ctx, how(p))
	return p, written, err
}
