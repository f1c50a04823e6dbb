package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// GetBacklinksIn are the arguments of get_backlinks.
type GetBacklinksIn struct {
	PageName Name         `json:"page_name" jsonschema:"name or uuid"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"blocks to skip"`
}

// BlocksOut is the answer of tools that list blocks.
type BlocksOut struct {
	Blocks Blocks `json:"blocks" jsonschema:"the blocks"`
	Total  int    `json:"total" jsonschema:"total blocks"`
	Note   string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func (in GetBacklinksIn) check() error { return checkPageName("page_name", in.PageName) }

func getBacklinks() tools.Tool[*Graph] {
	return tools.WithTargets(define(tools.Spec[GetBacklinksIn, BlocksOut]{
		Name: "get_backlinks", Title: "Backlinks", Effect: tools.Reads, OptIn: true,
		Selects: []string{"page_name"},
		Doc:     "Lists the blocks that link to a page.\nNeeds backlinks.",
		Examples: []tools.Example[GetBacklinksIn, BlocksOut]{
			{Purpose: "see what links to a page", In: GetBacklinksIn{PageName: "Garden", Limit: 50}, AnyAnswer: true},
		},
	}, (*Graph).GetBacklinks, "backlinks"), func(_ *Graph, _ context.Context, in GetBacklinksIn) ([]string, error) {
		return []string{target{pageTarget, string(in.PageName)}.String()}, nil
	})
}

// GetBacklinks implements get_backlinks.
func (g *Graph) GetBacklinks(ctx context.Context, in GetBacklinksIn) (BlocksOut, error) {
	p, err := g.page(ctx, string(in.PageName))
	if err != nil {
		return BlocksOut{}, err
	}
	return listBlocks(ctx, g, in.Offset, in.Limit, askBacklinks(ctx, g, p))
}

// backlinks returns a part of the visible blocks that link to a page, and how
// many there are.
func (g *Graph) backlinks(ctx context.Context, p wirePage, offset, limit int) ([]wireBlock, int, error) {
	return visibleList(g, listArg{offset, limit}, askBacklinks(ctx, g, p), filterBlock(ctx))
}

func askBacklinks(ctx context.Context, g *Graph, p wirePage) func(listArg) ([]wireBlock, int, error) {
	return func(of listArg) ([]wireBlock, int, error) {
		var found wireBlockList
		err := g.query(ctx, "pages.backlinks", struct {
			pageArg
			listArg
		}{pageArg{string(p.UUID)}, of}, &found)
		return found.Blocks, max(found.Total, len(found.Blocks)), err
	}
}

// wireBlockList is a part of a list of blocks.
type wireBlockList struct {
	Blocks []wireBlock `json:"blocks"`
	Total  int         `json:"total"`
}

// listBlocks answers a part of the visible blocks of a list, as far as it
// fits.
func listBlocks(
	ctx context.Context, g *Graph, offset tools.Offset, limit tools.Limit, ask func(listArg) ([]wireBlock, int, error),
) (BlocksOut, error) {
	blocks, total, err := visibleList(g, listArg{int(offset), int(limit)}, ask, filterBlock(ctx))
	if err != nil {
		return BlocksOut{}, err
	}
	shown := fitAnswer(blocksForAgent(slicePage(blocks, 0, int(limit))), Block.size)
	return BlocksOut{Blocks: shown, Total: max(total, len(shown)), Note: moreNote(len(shown), int(offset), total)}, nil
}
