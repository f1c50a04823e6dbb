package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// flattenIfNeeded merges drafts into one block of content if Logseq cannot
// insert a tree in one call.
func (g *Graph) flattenIfNeeded(content string, drafts []*draft) (fit []*draft, warnings []string) {
	if len(drafts) == 0 || isSingleBlock(drafts) || g.hasCapability("blocks.insert") {
		return drafts, nil
	}
	whole := &draft{Content: content}
	for d := range allDrafts(drafts) {
		whole.Keep = append(whole.Keep, d.Keep...)
	}
	return []*draft{whole}, []string{"This Logseq cannot insert a tree of blocks in one call, so the content is one block."}
}

// isSingleBlock reports whether drafts are one block with nothing but text.
func isSingleBlock(drafts []*draft) bool {
	return len(drafts) == 1 && len(drafts[0].Children) == 0 && len(drafts[0].Properties) == 0
}

// endPosition is the end of a page.
func (p wirePage) endPosition() insertPosition {
	return insertPosition{target: p.UUID, position: last, page: wireRef{p.UUID, p.Name}, parent: p.UUID}
}

// appendDrafts adds drafts at the end of a page. earlier are the completed
// steps of the same call.
func (g *Graph) appendDrafts(ctx context.Context, c tools.CallContext, p wirePage, drafts []*draft, earlier []string) (Written, error) {
	w := g.insertRequest(p.endPosition(), drafts, earlier)
	if isSingleBlock(drafts) {
		w = g.appendRequest(p, drafts[0], earlier)
	}
	w.progress = progressReporter(c)
	return g.perform(ctx, w)
}

func (g *Graph) appendRequest(p wirePage, d *draft, earlier []string) writeRequest {
	return writeRequest{
		method: "pages.append",
		params: struct {
			Page    UUID   `json:"page"`
			Content string `json:"content"`
			UUID    UUID   `json:"uuid"`
			Keep    []UUID `json:"keep,omitempty"`
		}{p.UUID, d.Content, d.UUID, d.Keep},
		details: writeDetails{UUID: d.UUID, Page: p.Name, Done: earlier},
		verify:  func(ctx context.Context) (verification, error) { return g.verifyNewBlock(ctx, p.endPosition(), d) },
	}
}

// verifyNewBlock compares a block that was read back, and its place, with what
// it was given.
func (g *Graph) verifyNewBlock(ctx context.Context, p insertPosition, d *draft) (verification, error) {
	b, err := g.block(ctx, d.UUID, 0)
	switch {
	case isNotFound(err):
		return notApplied, nil
	case err != nil:
		return notApplied, err
	case !g.verifyBlock(b, d):
		return appliedDifferently, nil
	}
	order, err := g.childOrder(ctx, p)
	if err != nil || !p.holds(order, []UUID{d.UUID}) {
		return appliedDifferently, err
	}
	return applied, nil
}

// verifyBlock reports whether a block has the text and properties of a draft.
func (g *Graph) verifyBlock(b wireBlock, d *draft) bool {
	return b.hasText(d.Content) && hasProperties(b.Properties, d.Properties, g.location())
}

// insertRequest inserts drafts at a position, in as many requests as it takes.
func (g *Graph) insertRequest(p insertPosition, drafts []*draft, earlier []string) writeRequest {
	return writeRequest{
		method:  "blocks.insert",
		parts:   splitInsert(insertParams{p.target, p.position, drafts}),
		details: writeDetails{UUID: drafts[0].UUID, Page: p.page.Name, Done: earlier},
		blocks:  countDrafts(drafts),
		verify:  func(ctx context.Context) (verification, error) { return g.verifyDrafts(ctx, p, drafts) },
	}
}

// verifyDrafts compares a page that was read back with the trees that it was
// given, and their order.
func (g *Graph) verifyDrafts(ctx context.Context, p insertPosition, drafts []*draft) (verification, error) {
	_, blocks, err := g.tree(ctx, string(p.page.UUID), allLevels)
	if err != nil {
		return notApplied, err
	}
	there := map[UUID]wireBlock{p.page.UUID: {Children: blocks}}
	var note func([]wireBlock)
	note = func(blocks []wireBlock) {
		for _, b := range blocks {
			there[b.UUID] = b
			note(b.Children)
		}
	}
	note(blocks)
	found, right, all := 0, 0, 0
	for d := range allDrafts(drafts) {
		all++
		if b, ok := there[d.UUID]; ok {
			found++
			if g.verifyBlock(b, d) && slices.Equal(blockUUIDs(b.Children), topUUIDs(d.Children)) {
				right++
			}
		}
	}
	switch {
	case found == 0:
		return notApplied, nil
	case found < all:
		return partlyApplied, nil
	case right < all || !p.holds(blockUUIDs(there[p.parent].Children), topUUIDs(drafts)):
		return appliedDifferently, nil
	}
	return applied, nil
}
