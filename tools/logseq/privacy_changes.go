package logseq

import (
	"context"
	"encoding/json"

	"github.com/lectern-mcp/lectern/tools"
)

// HidesChange implements [tools.ChangeFilter]. The tags and properties in a
// State have Logseq's own form and cannot be compared with a rule later, so if
// any rule is about those, every Change is hidden. Otherwise a page is judged
// by its name, and a block by the pages that it is or was on.
func (g *Graph) HidesChange(ctx context.Context, c tools.Change) (bool, error) {
	if !g.hidesAnything() {
		return false, nil
	}
	t, err := parseTarget(c.Target)
	if err != nil || g.privacy.NeedsContent() {
		return true, err
	}
	if t.isBlock() {
		return g.hidesBlockChange(ctx, c)
	}
	names := map[string]bool{}
	if t.kind != journalTarget { // its day is not its name
		names[t.name] = true
	}
	now, err := g.State(ctx, c.Target)
	if err != nil {
		return true, err
	}
	for _, s := range []tools.State{now, c.Before, c.After} {
		if !s.Exists {
			continue
		}
		var p pageSnapshot
		if err := json.Unmarshal(s.Data, &p); err != nil {
			return true, nil //nolint:nilerr // hidden when in doubt
		}
		names[p.Name] = true
	}
	for name := range names {
		if g.privacy.Hides(tools.Page{Path: name}) {
			return true, nil
		}
	}
	return len(names) == 0, nil
}

// hidesBlockChange judges every page that a block is or was on. A block
// without a page that can be found is hidden.
func (g *Graph) hidesBlockChange(ctx context.Context, c tools.Change) (bool, error) {
	now, err := g.State(ctx, c.Target)
	if err != nil {
		return true, err
	}
	v, found := g.newView(), false
	for _, s := range []tools.State{now, c.Before, c.After} {
		if !s.Exists {
			continue
		}
		found = true
		p, err := g.snapshotPage(ctx, s)
		if err == nil {
			var hidden bool
			if hidden, err = v.hidesPage(ctx, p); err == nil && !hidden {
				continue
			}
		}
		if isNotFound(err) {
			err = nil // its page was deleted
		}
		return true, err
	}
	return !found, nil
}

// snapshotPage finds the page of a block in a State.
func (g *Graph) snapshotPage(ctx context.Context, s tools.State) (wirePage, error) {
	var k blockSnapshot
	if err := json.Unmarshal(s.Data, &k); err != nil {
		return wirePage{}, noPageError("")
	}
	if k.Page != "" {
		return g.unfilteredPage(ctx, k.Page)
	}
	b, err := g.unfilteredBlock(ctx, k.Parent, 0)
	if err != nil {
		return wirePage{}, err
	}
	if b.Page.UUID != "" {
		return g.unfilteredPage(ctx, string(b.Page.UUID))
	}
	return g.unfilteredPage(ctx, b.Page.Name)
}
