package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// This file keeps writes away from what is hidden: none touches it, and none
// makes something that its agent would then not see.

// keptFromAgents is one sentence for a page that is there and for one that
// would be hidden, so that nobody learns by trying which it is.
func keptFromAgents() error {
	return tools.Errorf(tools.Denied, "what this would write to is kept from agents").WithHint("Do it another way, or ask the user.")
}

// mayName refuses a name for a page that is taken by a hidden one, or that
// would hide it.
func (g *Graph) mayName(ctx context.Context, name string, properties Properties) error {
	if !g.secret() {
		return nil
	}
	tags, values, err := g.view().marks(ctx, nil, properties)
	if err != nil {
		return err
	}
	if g.privacy.Hides(tools.Page{Path: name, Tags: append(tags, name), Properties: values}) {
		return keptFromAgents()
	}
	if _, err := g.page(ctx, name); !absentIn(err) {
		return nil // it may be known, so the tool says what is wrong with it
	}
	if _, err := g.anyPage(ctx, name); !absentIn(err) {
		return keptFromAgents()
	}
	return nil
}

// mayMark refuses properties that would hide a page.
func (g *Graph) mayMark(ctx context.Context, p wirePage, properties Properties) error {
	if !g.secret() {
		return nil
	}
	tags, values, err := g.view().marks(ctx, p.Tags, properties)
	if err == nil && g.blockMarks().Hides(tools.Page{Tags: tags, Properties: values}) {
		return keptFromAgents()
	}
	return err
}

// mayWrite refuses blocks that would be hidden.
func (g *Graph) mayWrite(ctx context.Context, drafts []*draft) error {
	if !g.secret() {
		return nil
	}
	v := g.view()
	for d := range each(drafts) {
		hidden, err := v.hidesBlock(ctx, wireBlock{Raw: d.Content, Properties: d.Properties})
		if err != nil {
			return err
		}
		if hidden {
			return keptFromAgents()
		}
	}
	return nil
}

// mayTake refuses to delete or move a tree that hides something. seen is it as
// an agent knows it, without children for a block alone.
func (g *Graph) mayTake(ctx context.Context, seen wireBlock) error {
	if !g.secret() {
		return nil
	}
	b, err := g.anyBlock(ctx, seen.UUID, allLevels)
	if err == nil && b.count() != seen.count() {
		return keptFromAgents()
	}
	return err
}

// mayEmpty refuses to delete a page on which something is hidden.
func (g *Graph) mayEmpty(ctx context.Context, p wirePage) error {
	if !g.secret() {
		return nil
	}
	_, all, err := g.anyTree(ctx, string(p.UUID), allLevels)
	if err != nil {
		return err
	}
	kept, err := g.view().prune(ctx, all)
	if err != nil {
		return err
	}
	if count(all) != count(kept) {
		return keptFromAgents()
	}
	return nil
}

func count(blocks []wireBlock) int {
	n := 0
	for _, b := range blocks {
		n += b.count()
	}
	return n
}

// mayRewrite refuses what would have Logseq rewrite hidden blocks, because they
// refer to what changes.
func (g *Graph) mayRewrite(ctx context.Context, referring []intent) error {
	if !g.secret() {
		return nil
	}
	for _, i := range referring {
		if _, err := g.block(ctx, UUID(i.target.name), 0); absentIn(err) {
			return keptFromAgents()
		} else if err != nil {
			return err
		}
	}
	return nil
}
