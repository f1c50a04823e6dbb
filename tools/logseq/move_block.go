package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// MoveBlockIn are the arguments of move_block.
type MoveBlockIn struct {
	BlockUUID        UUID     `json:"block_uuid" jsonschema:"block"`
	TargetParentUUID UUID     `json:"target_parent_uuid,omitempty" jsonschema:"to put it below"`
	TargetPageName   Name     `json:"target_page_name,omitempty" jsonschema:"page to put it on"`
	Position         Position `json:"position,omitempty" jsonschema:"last when omitted, after with a sibling"`
	SiblingBlockUUID UUID     `json:"sibling_block_uuid,omitempty" jsonschema:"to put it beside"`
	DryRun           bool     `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in MoveBlockIn) check() error {
	if err := in.BlockUUID.check("block_uuid"); err != nil {
		return err
	}
	return in.position().check()
}

func (in MoveBlockIn) position() positionArgs {
	return positionArgs{
		page: in.TargetPageName, parent: in.TargetParentUUID, sibling: in.SiblingBlockUUID, position: in.Position,
		pageArgument: "target_page_name", parentArgument: "target_parent_uuid",
	}
}

func moveBlock() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[MoveBlockIn, BlockWritten]{
		Name: "move_block", Title: "Move a block", Effect: tools.Writes,
		Selects: []string{"block_uuid", "sibling_block_uuid", "target_page_name", "target_parent_uuid"},
		Doc:     "Moves a block, with all below it, below another, to a page, or beside a sibling.",
		Examples: []tools.Example[MoveBlockIn, BlockWritten]{
			{
				Purpose: "move a block to another page", In: MoveBlockIn{BlockUUID: exampleBlock, TargetPageName: "Compost", Position: first},
				AnyAnswer: true,
			},
		},
	}, (*Graph).MoveBlock, "blocks.move")
}

// MoveBlock implements move_block.
func (g *Graph) MoveBlock(ctx context.Context, c tools.CallContext, in MoveBlockIn) (BlockWritten, error) {
	was, err := g.block(ctx, in.BlockUUID, allLevels)
	if err != nil {
		return BlockWritten{}, err
	}
	p, err := g.resolvePosition(ctx, in.position())
	if err != nil {
		return BlockWritten{}, err
	}
	if was.contains(p.target) {
		return BlockWritten{}, tools.Errorf(tools.Invalid, "a block cannot be moved below or beside itself")
	}
	if err := g.checkWholeTree(ctx, was); err != nil {
		return BlockWritten{}, err
	}
	out := BlockWritten{UUID: was.UUID, PageName: p.page.Name, PageUUID: p.page.UUID, Parent: p.parent}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	orderBefore, err := g.childOrder(ctx, p)
	if err != nil {
		return out, err
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method:  "blocks.move",
		params:  moveArg{was.UUID, string(p.target), p.position},
		details: writeDetails{UUID: was.UUID, Page: p.page.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.block(ctx, was.UUID, 0)
			if err != nil {
				return notApplied, err
			}
			order, err := g.childOrder(ctx, p)
			switch {
			case err == nil && p.holds(order, []UUID{was.UUID}):
				return applied, nil
			case err == nil && parentUUID(now) == parentUUID(was) && slices.Equal(order, orderBefore):
				return notApplied, nil
			}
			return appliedDifferently, err
		},
	}, planBlockUpdate(was.UUID, p.applyTo))
	return out, err
}

// parentUUID returns the block above b, or its page.
func parentUUID(b wireBlock) UUID {
	if b.Parent == "" {
		return b.Page.UUID
	}
	return b.Parent
}

// applyTo puts a snapshot at p, as precisely as a person needs to see it.
func (p insertPosition) applyTo(k *blockSnapshot) {
	k.blockPlace = p.place()
	switch p.position {
	case after:
		k.After = p.target
	case before:
		k.Before = p.target
	default:
	}
}
