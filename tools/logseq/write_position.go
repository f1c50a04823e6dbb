package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// positionArgs are the arguments that say where a block goes.
type positionArgs struct {
	page     Name
	parent   UUID
	sibling  UUID
	position Position
	// pageArgument and parentArgument are their names in this tool.
	pageArgument, parentArgument string
}

// An insertPosition is a resolved position: what the Peer is told, and the
// page and parent that the block will have.
type insertPosition struct {
	target   UUID // page, parent or sibling
	position Position
	page     wireRef
	parent   UUID // the block above it; the page's uuid for one on top
}

// resolvePosition checks the arguments against the graph.
func (g *Graph) resolvePosition(ctx context.Context, w positionArgs) (insertPosition, error) {
	if err := w.check(); err != nil {
		return insertPosition{}, err
	}
	if w.sibling != "" {
		return g.resolveBeside(ctx, w)
	}
	p := insertPosition{position: w.position}
	if p.position == "" {
		p.position = last
	}
	if w.page != "" {
		page, err := g.writablePage(ctx, w.page)
		if err != nil {
			return insertPosition{}, err
		}
		p.page = wireRef{page.UUID, page.Name}
		p.target, p.parent = page.UUID, page.UUID
		return p, nil
	}
	b, err := g.block(ctx, w.parent, 0)
	if err != nil {
		return insertPosition{}, err
	}
	p.target, p.parent, p.page = b.UUID, b.UUID, b.Page
	return p, nil
}

func (w positionArgs) check() error {
	if err := w.parent.check(w.parentArgument); err != nil {
		return err
	}
	if err := w.sibling.check("sibling_block_uuid"); err != nil {
		return err
	}
	beside := w.position == before || w.position == after
	switch {
	case w.page != "" && w.parent != "":
		return tools.Errorf(tools.Invalid, "give %s or %s, not both", w.parentArgument, w.pageArgument)
	case w.sibling == "" && beside:
		return tools.Errorf(tools.Invalid, "position: %s needs sibling_block_uuid", w.position)
	case w.sibling != "" && w.position != "" && !beside:
		return tools.Errorf(tools.Invalid, "position: %s cannot be used with sibling_block_uuid, only before and after", w.position)
	case w.page == "" && w.parent == "" && w.sibling == "":
		return tools.Errorf(tools.Invalid, "give %s, %s or sibling_block_uuid", w.parentArgument, w.pageArgument)
	}
	if w.page != "" {
		return checkPageName(w.pageArgument, w.page)
	}
	return nil
}

// resolveBeside resolves a position beside a sibling. A parent or page that is
// also given must be the sibling's.
func (g *Graph) resolveBeside(ctx context.Context, w positionArgs) (insertPosition, error) {
	b, err := g.block(ctx, w.sibling, 0)
	if err != nil {
		return insertPosition{}, err
	}
	p := insertPosition{target: b.UUID, position: w.position, page: b.Page, parent: parentUUID(b)}
	if p.position == "" {
		p.position = after
	}
	if w.parent != "" && w.parent != p.parent {
		return insertPosition{}, tools.Errorf(tools.Invalid, "sibling_block_uuid: its parent differs from %s", w.parentArgument).
			WithHint("Leave %s out.", w.parentArgument)
	}
	if w.page != "" {
		page, err := g.page(ctx, string(w.page))
		if err != nil {
			return insertPosition{}, err
		}
		if page.UUID != p.page.UUID {
			return insertPosition{}, tools.Errorf(tools.Invalid, "sibling_block_uuid: its page differs from %s", w.pageArgument).
				WithHint("Leave %s out.", w.pageArgument)
		}
	}
	return p, nil
}

// verifyPosition checks that b is at p.
func (g *Graph) verifyPosition(ctx context.Context, p insertPosition, b wireBlock) (verification, error) {
	if parentUUID(b) != p.parent {
		return appliedDifferently, nil
	}
	order, err := g.childOrder(ctx, p)
	if err != nil {
		return appliedDifferently, err
	}
	at := slices.Index(order, b.UUID)
	sibling := slices.Index(order, p.target)
	ok := at >= 0
	switch p.position {
	case before:
		ok = ok && at == sibling-1
	case after:
		ok = ok && at == sibling+1
	case last:
		ok = ok && at == len(order)-1
	case first:
		ok = at == 0
	}
	if !ok {
		return appliedDifferently, nil
	}
	return applied, nil
}

// childOrder returns the uuids of the children of p's parent, in order.
func (g *Graph) childOrder(ctx context.Context, p insertPosition) ([]UUID, error) {
	var blocks []wireBlock
	if p.parent == p.page.UUID {
		_, all, err := g.tree(ctx, string(p.page.UUID), 1)
		if err != nil {
			return nil, err
		}
		blocks = all
	} else {
		b, err := g.block(ctx, p.parent, 1)
		if err != nil {
			return nil, err
		}
		blocks = b.Children
	}
	var order []UUID
	for _, b := range blocks {
		order = append(order, b.UUID)
	}
	return order, nil
}
