package logseq

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// GetBlockIn are the arguments of get_block.
type GetBlockIn struct {
	BlockUUID       UUID  `json:"block_uuid" jsonschema:"block"`
	IncludeChildren bool  `json:"include_children,omitempty" jsonschema:"also the blocks below it"`
	Depth           Depth `json:"depth,omitempty" jsonschema:"levels; 0: all"`
}

// GetBlockOut is the answer of get_block.
type GetBlockOut struct {
	Block     Block  `json:"block" jsonschema:"the block"`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func (in GetBlockIn) check() error { return in.BlockUUID.check("block_uuid") }

func getBlock() tools.Tool[*Graph] {
	return tools.WithTargets(define(tools.Spec[GetBlockIn, GetBlockOut]{
		Name: "get_block", Title: "Read a block", Effect: tools.Reads,
		Selects: []string{"block_uuid"},
		Doc:     "Reads one block, with the blocks below it if asked.",
		Examples: []tools.Example[GetBlockIn, GetBlockOut]{
			{Purpose: "read a block and the blocks below it", In: GetBlockIn{BlockUUID: exampleBlock, IncludeChildren: true}, AnyAnswer: true},
		},
	}, (*Graph).GetBlock, "blocks.read"), func(_ *Graph, _ context.Context, in GetBlockIn) ([]string, error) {
		return []string{target{blockTarget, string(in.BlockUUID)}.String()}, nil
	})
}

// GetBlock implements get_block.
func (g *Graph) GetBlock(ctx context.Context, in GetBlockIn) (GetBlockOut, error) {
	show, ask := 0, 1 // one more level, to know whether there are children
	switch {
	case in.IncludeChildren && in.Depth == 0:
		show, ask = maxDepth, allLevels
	case in.IncludeChildren:
		show, ask = int(in.Depth), int(in.Depth)+1
	}
	b, err := g.block(ctx, in.BlockUUID, ask)
	if err != nil {
		return GetBlockOut{}, err
	}
	c := &answerTrimmer{budget: maxAnswer, properties: true}
	var out GetBlockOut
	out.Block, _ = c.trim(b.forAgent(b.Page, show))
	if c.removed > 0 {
		out.Truncated = true
		out.Note = fmt.Sprintf("%d blocks were cut: use get_block on a block with has_children.", c.removed)
	}
	return out, nil
}

// exampleBlock and the other uuids are used in the declared examples.
const (
	exampleBlock  UUID = "6540a1b2-0000-4000-8000-000000000001"
	exampleParent UUID = "6540a1b2-0000-4000-8000-000000000002"
	exampleTask   UUID = "6540a1b2-0000-4000-8000-000000000003"
)
