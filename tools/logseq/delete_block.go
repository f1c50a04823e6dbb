package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// DeleteBlockIn are the arguments of delete_block.
type DeleteBlockIn struct {
	BlockUUID UUID `json:"block_uuid" jsonschema:"block"`
	Recursive bool `json:"recursive,omitempty" jsonschema:"also everything below it"`
	DryRun    bool `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in DeleteBlockIn) check() error { return in.BlockUUID.check("block_uuid") }

// DeleteBlockOut is the answer of delete_block.
type DeleteBlockOut struct {
	UUID     UUID   `json:"uuid" jsonschema:"the block"`
	PageName string `json:"page_name" jsonschema:"page it was on"`
	PageUUID UUID   `json:"page_uuid" jsonschema:"that page's uuid"`
	Deleted  int    `json:"deleted" jsonschema:"blocks deleted, with those below it"`
	Written
}

func deleteBlock() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[DeleteBlockIn, DeleteBlockOut]{
		Name: "delete_block", Title: "Delete a block", Effect: tools.Deletes,
		Selects: []string{"block_uuid"},
		Doc:     "Deletes one block, with its children only if recursive is set.",
		Examples: []tools.Example[DeleteBlockIn, DeleteBlockOut]{
			{
				Purpose: "see how many blocks would be deleted", In: DeleteBlockIn{BlockUUID: exampleParent, Recursive: true, DryRun: true},
				AnyAnswer: true,
			},
			{Purpose: "delete a block", In: DeleteBlockIn{BlockUUID: exampleTask}, AnyAnswer: true},
		},
	}, (*Graph).DeleteBlock, "blocks.delete")
}

// DeleteBlock implements delete_block. Logseq always deletes the blocks below
// too, so the check of recursive is ours.
func (g *Graph) DeleteBlock(ctx context.Context, c tools.CallContext, in DeleteBlockIn) (DeleteBlockOut, error) {
	b, err := g.block(ctx, in.BlockUUID, allLevels)
	if err != nil {
		return DeleteBlockOut{}, err
	}
	if err := g.checkWholeTree(ctx, b); err != nil {
		return DeleteBlockOut{}, err
	}
	out := DeleteBlockOut{UUID: b.UUID, PageName: b.Page.Name, PageUUID: b.Page.UUID, Deleted: b.count()}
	if out.Deleted > 1 && !in.Recursive {
		return out, tools.Errorf(tools.Invalid, "recursive: the block has %d blocks below it", out.Deleted-1).
			WithHint("Set recursive to delete them too, or move them first.").
			WithData(map[string]any{"uuid": b.UUID, "page_name": b.Page.Name, "below": out.Deleted - 1})
	}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	referrers, err := g.planReferrers(ctx, b.UUID, "db")
	if err != nil {
		return out, err
	}
	if err := g.checkReferrers(ctx, referrers); err != nil {
		return out, err
	}
	out.Written, err = g.change(ctx, c, deleteRequest(g, b, b.Page.Name, nil),
		append([]plannedChange{planDelete(target{treeTarget, string(b.UUID)})}, referrers...)...)
	return out, err
}
