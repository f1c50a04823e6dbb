package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// DeleteBlockIn are the arguments of delete_block.
type DeleteBlockIn struct {
	BlockUUID UUID `json:"block_uuid" jsonschema:"block"`
	Recursive bool `json:"recursive,omitempty" jsonschema:"also everything below it; without it a block with children is refused"`
	DryRun    bool `json:"dry_run,omitempty" jsonschema:"only check; delete nothing"`
}

// DeleteBlockOut is the answer of delete_block.
type DeleteBlockOut struct {
	UUID     UUID   `json:"uuid" jsonschema:"the block"`
	PageName string `json:"page_name" jsonschema:"page it was on"`
	PageUUID UUID   `json:"page_uuid" jsonschema:"that page's uuid"`
	Deleted  int    `json:"deleted" jsonschema:"blocks deleted, or that would be, with those below it"`
	Written
}

func deleteBlock() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[DeleteBlockIn, DeleteBlockOut]{
		Name: "delete_block", Title: "Delete a block", Effect: tools.Deletes,
		Doc:    "Deletes one block; one with children only with recursive.\nNeeds blocks.delete.",
		Errors: commonErrors(),
		Examples: []tools.Example[DeleteBlockIn, DeleteBlockOut]{
			{Purpose: "see how many blocks would go", In: DeleteBlockIn{BlockUUID: exampleParent, Recursive: true, DryRun: true}, AnyAnswer: true},
			{Purpose: "delete a block", In: DeleteBlockIn{BlockUUID: exampleTask}, AnyAnswer: true},
		},
	}, (*Graph).DeleteBlock)
}

// DeleteBlock implements delete_block. Logseq always deletes what is below a
// block too, so the check is ours.
func (g *Graph) DeleteBlock(ctx context.Context, c tools.CallContext, in DeleteBlockIn) (DeleteBlockOut, error) {
	var none DeleteBlockOut
	if err := g.requireCapability("blocks.delete"); err != nil {
		return none, err
	}
	if err := in.BlockUUID.check("block_uuid"); err != nil {
		return none, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return none, err
	}
	defer end()
	b, err := g.block(ctx, in.BlockUUID, allLevels)
	if err != nil {
		return none, err
	}
	if err := g.checkWholeTree(ctx, b); err != nil {
		return none, err
	}
	out := DeleteBlockOut{UUID: b.UUID, PageName: b.Page.Name, PageUUID: b.Page.UUID, Deleted: b.count()}
	if out.Deleted > 1 && !in.Recursive {
		return none, tools.Errorf(tools.Invalid, "recursive: the block has %d blocks below it", out.Deleted-1).
			WithHint("Set recursive to delete them too, or move them first.").
			WithData(map[string]any{"uuid": b.UUID, "page_name": b.Page.Name, "below": out.Deleted - 1})
	}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	referring, err := g.planReferrers(ctx, b.UUID, "db")
	if err != nil {
		return none, err
	}
	if err := g.checkReferrers(ctx, referring); err != nil {
		return none, err
	}
	told, err := g.reportChanges(ctx, c, append([]plannedChange{planDelete(target{treeTarget, string(b.UUID)})}, referring...)...)
	if err != nil {
		return none, err
	}
	defer told()
	out.Written, err = g.perform(ctx, writeRequest{
		method: "blocks.delete", params: struct {
			UUID UUID `json:"uuid"`
		}{b.UUID}, details: writeDetails{UUID: b.UUID, Page: b.Page.Name},
		verify: func(ctx context.Context) (verification, error) {
			_, err := g.block(ctx, b.UUID, 0)
			return verifyGone(err)
		},
	})
	if err != nil {
		return none, err
	}
	return out, nil
}
