package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// GetBacklinksIn are the arguments of get_backlinks.
type GetBacklinksIn struct {
	PageName Name         `json:"page_name" jsonschema:"page, by name or uuid"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"most blocks to answer"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"blocks to skip"`
}

// BlocksOut is the answer of what lists blocks.
type BlocksOut struct {
	Blocks Blocks `json:"blocks" jsonschema:"the blocks"`
	Total  int    `json:"total" jsonschema:"blocks there are"`
	Note   string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func getBacklinks() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[GetBacklinksIn, BlocksOut]{
		Name: "get_backlinks", Title: "Backlinks", Effect: tools.Reads,
		Doc:    "Lists the blocks that link to a page.\nNeeds backlinks.",
		Errors: commonErrors(),
		Examples: []tools.Example[GetBacklinksIn, BlocksOut]{
			{Purpose: "see what links to a page", In: GetBacklinksIn{PageName: "Garden", Limit: 50}, AnyAnswer: true},
		},
	}, (*Graph).GetBacklinks)
}

// GetBacklinks implements get_backlinks.
func (g *Graph) GetBacklinks(ctx context.Context, in GetBacklinksIn) (BlocksOut, error) {
	if err := g.requireCapability("backlinks"); err != nil {
		return BlocksOut{}, err
	}
	if err := checkPageName("page_name", in.PageName); err != nil {
		return BlocksOut{}, err
	}
	p, err := g.page(ctx, string(in.PageName))
	if err != nil {
		return BlocksOut{}, err
	}
	blocks, total, err := g.backlinks(ctx, p, int(in.Offset), int(in.Limit))
	if err != nil {
		return BlocksOut{}, err
	}
	return blocksOut(blocks, total, int(in.Offset), int(in.Limit)), nil
}

func (g *Graph) backlinks(ctx context.Context, p wirePage, offset, limit int) ([]wireBlock, int, error) {
	return g.visibleBlocks(ctx, listArg{offset, limit}, func(of listArg) ([]wireBlock, int, error) {
		var found wireBlockList
		err := g.query(ctx, "pages.backlinks", struct {
			pageArg
			listArg
		}{pageArg{string(p.UUID)}, of}, &found)
		return found.Blocks, max(found.Total, len(found.Blocks)), err
	})
}

// visibleBlocks are a part of a list of blocks that an agent may know, and how many
// there are.
func (g *Graph) visibleBlocks(ctx context.Context, of listArg, ask func(listArg) ([]wireBlock, int, error)) ([]wireBlock, int, error) {
	if !g.hidesAnything() {
		return ask(of)
	}
	all, err := readAll(ask)
	if err != nil {
		return nil, 0, err
	}
	kept, err := g.newView().filterBlocks(ctx, all, len(all))
	return slicePage(kept, of.Offset, of.Limit), len(kept), err
}

// wireBlockList is a part of a list of blocks.
type wireBlockList struct {
	Blocks []wireBlock `json:"blocks"`
	Total  int         `json:"total"`
}

// blocksOut is what fits of a part of a list.
func blocksOut(blocks []wireBlock, total, offset, limit int) BlocksOut {
	shown := fitAnswer(blocksForAgent(slicePage(blocks, 0, limit)), Block.size)
	return BlocksOut{Blocks: shown, Total: max(total, len(shown)), Note: moreNote(len(shown), offset, total)}
}
