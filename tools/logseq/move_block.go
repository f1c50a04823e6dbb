package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// MoveBlockIn are the arguments of move_block.
type MoveBlockIn struct {
	BlockUUID        UUID     `json:"block_uuid" jsonschema:"block; what is below it moves along"`
	TargetParentUUID UUID     `json:"target_parent_uuid,omitempty" jsonschema:"block that it goes below"`
	TargetPageName   Name     `json:"target_page_name,omitempty" jsonschema:"page that it goes on, by name or uuid"`
	Position         Position `json:"position,omitempty" jsonschema:"first or last below the parent or page (last when omitted), before or after the sibling (after)"`
	SiblingBlockUUID UUID     `json:"sibling_block_uuid,omitempty" jsonschema:"block that it goes beside"`
	DryRun           bool     `json:"dry_run,omitempty" jsonschema:"only check; move nothing"`
}

func moveBlock() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[MoveBlockIn, BlockWritten]{
		Name: "move_block", Title: "Move a block", Effect: tools.Writes,
		Doc:    "Moves a block, with everything below it, below another block, to a page, or beside a sibling.\nNeeds blocks.move.",
		Errors: commonErrors(),
		Examples: []tools.Example[MoveBlockIn, BlockWritten]{
			{Purpose: "move a block to another page", In: MoveBlockIn{BlockUUID: exampleBlock, TargetPageName: "Compost", Position: first}, AnyAnswer: true},
		},
	}, (*Graph).MoveBlock)
}

// MoveBlock implements move_block.
func (g *Graph) MoveBlock(ctx context.Context, c tools.CallContext, in MoveBlockIn) (BlockWritten, error) {
	var none BlockWritten
	if err := g.requireCapability("blocks.move"); err != nil {
		return none, err
	}
	if err := in.BlockUUID.check("block_uuid"); err != nil {
		return none, err
	}
	w := positionArgs{
		page: in.TargetPageName, parent: in.TargetParentUUID, sibling: in.SiblingBlockUUID, position: in.Position,
		pageArgument: "target_page_name", parentArgument: "target_parent_uuid",
	}
	if err := w.check(); err != nil {
		return none, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return none, err
	}
	defer end()
	was, err := g.block(ctx, in.BlockUUID, allLevels)
	if err != nil {
		return none, err
	}
	p, err := g.resolvePosition(ctx, w)
	if err != nil {
		return none, err
	}
	if was.contains(p.target) {
		return none, tools.Errorf(tools.Invalid, "the block cannot go beside or below itself")
	}
	if err := g.checkWholeTree(ctx, was); err != nil {
		return none, err
	}
	out := BlockWritten{UUID: was.UUID, PageName: p.page.Name, PageUUID: p.page.UUID, Parent: p.parent}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	told, err := g.reportChanges(ctx, c, planBlockUpdate(was.UUID, p.applyTo))
	if err != nil {
		return none, err
	}
	defer told()
	out.Written, err = g.perform(ctx, writeRequest{
		method: "blocks.move",
		params: struct {
			UUID   UUID     `json:"uuid"`
			Target UUID     `json:"target"`
			Place  Position `json:"place"`
		}{was.UUID, p.target, p.position},
		details: writeDetails{UUID: was.UUID, Page: p.page.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.block(ctx, was.UUID, 0)
			if err != nil {
				return notApplied, err
			}
			saw, err := g.verifyPosition(ctx, p, now)
			if saw == appliedDifferently && now.Parent == was.Parent && now.Page.UUID == was.Page.UUID && p.parent != parentOf(was) {
				saw = notApplied
			}
			return saw, err
		},
	})
	if err != nil {
		return none, err
	}
	return out, nil
}

// parentOf is the block above b, or its page.
func parentOf(b wireBlock) UUID {
	if b.Parent == "" {
		return b.Page.UUID
	}
	return b.Parent
}

// applyTo puts k where p is, as far as a person needs to know.
func (p insertPosition) applyTo(k *blockSnapshot) {
	k.Page, k.Parent, k.After = p.page.Name, "", ""
	if p.parent != p.page.UUID {
		k.Page, k.Parent = "", p.parent
	}
	if p.position == after {
		k.After = p.target
	}
}
