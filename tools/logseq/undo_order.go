package logseq

import (
	"context"
	"slices"
)

// A block goes back beside a former neighbour, and an undo compares the order
// of the blocks around it before and after.

// restoreBlocksParams are the parameters of blocks.restore: trees and their
// place. Without a neighbour they are the first, or the last.
type restoreBlocksParams struct {
	blockPlace
	Last   bool        `json:"last,omitempty"`
	Blocks []blockTree `json:"blocks"`
}

// insertBack recreates a block where it was.
func (r *restorer) insertBack(ctx context.Context, v undoStep, k blockSnapshot) error {
	p, err := r.formerPosition(ctx, k)
	if err != nil {
		return err
	}
	in := restoreBlocksParams{blockPlace: k.home(), Last: p == last, Blocks: []blockTree{k.blockTree}}
	switch p {
	case after:
		in.After = k.After
	case before:
		in.Before = k.Before
	default:
	}
	return r.write(ctx, v, "blocks.restore", in)
}

// moveBack moves a block to where it was.
func (r *restorer) moveBack(ctx context.Context, v undoStep, k blockSnapshot) error {
	p, err := r.formerPosition(ctx, k)
	if err != nil {
		return err
	}
	in := moveArg{k.UUID, k.Page, p}
	switch {
	case p == after:
		in.Target = string(k.After)
	case p == before:
		in.Target = string(k.Before)
	case k.Parent != "":
		in.Target = string(k.Parent)
	}
	return r.write(ctx, v, "blocks.move", in)
}

// formerPosition finds out where a block goes back to: beside a former
// neighbour that is still there, or to the end.
func (r *restorer) formerPosition(ctx context.Context, k blockSnapshot) (Position, error) {
	if k.After == "" {
		return first, nil
	}
	if there, err := r.isSibling(ctx, k, k.After); err != nil || there {
		return after, err
	}
	if there, err := r.isSibling(ctx, k, k.Before); err != nil || there {
		return before, err
	}
	return last, nil
}

// isSibling reports whether a block is where k belongs.
func (r *restorer) isSibling(ctx context.Context, k blockSnapshot, uuid UUID) (bool, error) {
	if uuid == "" {
		return false, nil
	}
	sibling, err := r.g.readBlockSnapshot(ctx, target{blockTarget, string(uuid)})
	return err == nil && sibling != nil && sibling.home() == k.home(), err
}

// readOrders reads the order of the blocks wherever one goes or comes, before
// the first write.
func (r *restorer) readOrders(ctx context.Context) error {
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.target.isBlock() }) {
		was, is, err := v.blocks()
		if err != nil {
			return err
		}
		for _, home := range []blockPlace{was.home(), is.home()} {
			if _, known := r.orders[home]; known || home == (blockPlace{}) {
				continue
			}
			if r.orders[home], err = r.readOrder(ctx, home); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks are the snapshots before and after a step of a block.
func (v undoStep) blocks() (was, is blockSnapshot, err error) {
	if was, err = decodeState[blockSnapshot](v.Before); err != nil {
		return was, is, err
	}
	is, err = decodeState[blockSnapshot](v.After)
	return was, is, err
}

// readOrder returns the uuids of what is on a page or below a block, hidden or
// not, in order; nil if that does not exist.
func (r *restorer) readOrder(ctx context.Context, home blockPlace) ([]UUID, error) {
	if home.Parent != "" {
		b, err := r.g.unfilteredBlock(ctx, home.Parent, 1)
		return blockUUIDs(b.Children), ignoreNotFound(err)
	}
	_, blocks, err := r.g.unfilteredTree(ctx, home.Page, 1)
	return blockUUIDs(blocks), ignoreNotFound(err)
}

// compareOrders returns what is in another order than it was: the blocks that
// came back, compared with their former neighbours, and all others, compared
// with the order before the undo.
func (r *restorer) compareOrders(ctx context.Context) (wrong []string, err error) {
	moved, back, err := r.movedBlocks()
	if err != nil {
		return nil, err
	}
	isMoved := func(u UUID) bool { return slices.Contains(moved, u) }
	for home, was := range r.orders {
		now, err := r.readOrder(ctx, home)
		if err != nil {
			return nil, err
		}
		for _, k := range back[home] {
			if !k.standsIn(now, isMoved) {
				wrong = append(wrong, "the position of block "+string(k.UUID))
			}
		}
		if !sameOrder(was, now, isMoved) {
			wrong = append(wrong, "the order of blocks "+home.describe())
		}
	}
	slices.Sort(wrong)
	return wrong, nil
}

// movedBlocks are the blocks of all steps, and those of them that come back, by where.
func (r *restorer) movedBlocks() (moved []UUID, back map[blockPlace][]blockSnapshot, err error) {
	back = map[blockPlace][]blockSnapshot{}
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.target.isBlock() }) {
		moved = append(moved, UUID(v.target.name))
		was, is, err := v.blocks()
		if err != nil {
			return nil, nil, err
		}
		if v.creates() || !v.deletes() && was.differs(is.blockPlace) {
			back[is.home()] = append(back[is.home()], is)
		}
	}
	return moved, back, nil
}

// sameOrder reports whether the blocks that are in both was and now have one order in
// them, but for those that were moved.
func sameOrder(was, now []UUID, isMoved func(UUID) bool) bool {
	gone := func(u UUID) bool { return isMoved(u) || !slices.Contains(now, u) }
	come := func(u UUID) bool { return isMoved(u) || !slices.Contains(was, u) }
	return slices.Equal(slices.DeleteFunc(slices.Clone(was), gone), slices.DeleteFunc(slices.Clone(now), come))
}

func (p blockPlace) describe() string {
	if p.Parent != "" {
		return "below block " + string(p.Parent)
	}
	return "on page " + p.Page
}

// standsIn reports whether a block is beside its former neighbour. Between them
// may be blocks that the same undo has put there. Where both neighbours have
// gone, nobody knows where it would be among others.
func (k blockSnapshot) standsIn(order []UUID, isMoved func(UUID) bool) bool {
	at := slices.Index(order, k.UUID)
	if at < 0 {
		return false
	}
	left, right := slices.Clone(order[:at]), order[at+1:]
	slices.Reverse(left)
	isOther := func(u UUID) bool { return !isMoved(u) }
	switch {
	case k.After == "":
		return !slices.ContainsFunc(left, isOther)
	case slices.Contains(order, k.After):
		return adjoins(left, k.After, isMoved)
	case k.Before == "":
		return !slices.ContainsFunc(right, isOther)
	case slices.Contains(order, k.Before):
		return adjoins(right, k.Before, isMoved)
	}
	return !slices.ContainsFunc(order, isOther)
}

// adjoins reports whether a neighbour is the nearest of the blocks to one side,
// but for those that were moved.
func adjoins(side []UUID, neighbour UUID, isMoved func(UUID) bool) bool {
	at := slices.Index(side, neighbour)
	return at >= 0 && !slices.ContainsFunc(side[:at], func(u UUID) bool { return !isMoved(u) })
}
