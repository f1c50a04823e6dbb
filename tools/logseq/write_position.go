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

// place is what a snapshot says of p, without neighbours.
func (p insertPosition) place() blockPlace {
	if p.parent != p.page.UUID {
		return blockPlace{Parent: p.parent}
	}
	return blockPlace{Page: p.page.Name}
}

// holds reports whether blocks stand at p, one after another, in the order of
// the children of p's parent.
func (p insertPosition) holds(order, blocks []UUID) bool {
	begin := slices.Index(order, blocks[0])
	end := begin + len(blocks)
	if begin < 0 || end > len(order) || !slices.Equal(order[begin:end], blocks) {
		return false
	}
	switch p.position {
	case before:
		return end < len(order) && order[end] == p.target
	case after:
		return begin > 0 && order[begin-1] == p.target
	case last:
		return end == len(order)
	default:
		return begin == 0
	}
}

// childOrder returns the uuids of the children of p's parent, in order.
func (g *Graph) childOrder(ctx context.Context, p insertPosition) ([]UUID, error) {
	if p.parent == p.page.UUID {
		_, blocks, err := g.tree(ctx, string(p.page.UUID), 1)
		return blockUUIDs(blocks), err
	}
	b, err := g.block(ctx, p.parent, 1)
	return blockUUIDs(b.Children), err
}

func blockUUIDs(blocks []wireBlock) []UUID {
	var uuids []UUID
	for _, b := range blocks {
		uuids = append(uuids, b.UUID)
	}
	return uuids
}
