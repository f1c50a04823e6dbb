package logseq

import (
	"context"
)

// An addition is what was put at the end of a page.
type addition struct {
	blocks []UUID // those on top
	Written
}

// together makes one block of content where Logseq takes no tree in one call.
func (g *Graph) together(content string, drafts []*draft) (fit []*draft, warnings []string) {
	if len(drafts) == 0 || single(drafts) || g.has("blocks.insert") {
		return drafts, nil
	}
	return []*draft{{Content: content}}, []string{"This Logseq takes no tree of blocks in one call, so the content is one block."}
}

// single says whether drafts are one block of nothing but text.
func single(drafts []*draft) bool {
	return len(drafts) == 1 && len(drafts[0].Children) == 0 && len(drafts[0].Properties) == 0
}

// end is the place at the end of a page.
func (p wirePage) end() place {
	return place{target: p.UUID, position: last, page: wireRef{p.UUID, p.Name}, parent: p.UUID}
}

// appendTo puts drafts at the end of a page. earlier are the steps of the same
// call that have happened.
func (g *Graph) appendTo(ctx context.Context, p wirePage, drafts []*draft, earlier []string) (addition, error) {
	w := g.insertion(p.end(), drafts, earlier)
	if single(drafts) {
		w = g.appending(p, drafts[0], earlier)
	}
	written, err := g.write(ctx, w)
	return addition{tops(drafts), written}, err
}

func (g *Graph) appending(p wirePage, d *draft, earlier []string) write {
	return write{
		method: "pages.append",
		in: struct {
			Page    UUID   `json:"page"`
			Content string `json:"content"`
			UUID    UUID   `json:"uuid"`
		}{p.UUID, d.Content, d.UUID},
		facts: fate{UUID: d.UUID, Page: p.Name, Done: earlier},
		look:  func(ctx context.Context) (sight, error) { return g.seenBlock(ctx, d.UUID, d.Content, nil) },
	}
}

// seenBlock judges a look at a block that was created.
func (g *Graph) seenBlock(ctx context.Context, uuid UUID, content string, properties Properties) (sight, error) {
	b, err := g.block(ctx, uuid, 0)
	switch {
	case absentIn(err):
		return undone, nil
	case err != nil:
		return undone, err
	case !b.says(content) || !carries(nil, b.Properties, properties):
		return different, nil
	}
	return done, nil
}

// insertion is the write that puts drafts at a place in one call.
func (g *Graph) insertion(p place, drafts []*draft, earlier []string) write {
	return write{
		method: "blocks.insert",
		in: struct {
			Target UUID     `json:"target"`
			Place  Position `json:"place"`
			Blocks []*draft `json:"blocks"`
		}{p.target, p.position, drafts},
		facts: fate{UUID: drafts[0].UUID, Page: p.page.Name, Done: earlier},
		look:  func(ctx context.Context) (sight, error) { return g.seenDrafts(ctx, p, drafts) },
	}
}

// seenDrafts judges a look at a page that a tree was put on.
func (g *Graph) seenDrafts(ctx context.Context, p place, drafts []*draft) (sight, error) {
	_, blocks, err := g.tree(ctx, string(p.page.UUID), allLevels)
	if err != nil {
		return undone, err
	}
	there := map[UUID]wireBlock{}
	var note func([]wireBlock)
	note = func(blocks []wireBlock) {
		for _, b := range blocks {
			there[b.UUID] = b
			note(b.Children)
		}
	}
	note(blocks)
	found, right, all := 0, 0, 0
	for d := range each(drafts) {
		all++
		if b, ok := there[d.UUID]; ok {
			found++
			if b.says(d.Content) && carries(nil, b.Properties, d.Properties) {
				right++
			}
		}
	}
	switch {
	case found == 0:
		return undone, nil
	case found < all:
		return partial, nil
	case right < all:
		return different, nil
	}
	return done, nil
}
