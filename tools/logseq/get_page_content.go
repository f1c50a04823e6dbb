package logseq

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Format is the form of a page: text, or JSON with a uuid for every block.
type Format string

// JSONSchema implements tools.SchemaProvider.
func (Format) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"text", "json"}, Default: []byte(`"text"`)}
}

// GetPageContentIn are the arguments of get_page_content.
type GetPageContentIn struct {
	PageName          Name         `json:"page_name" jsonschema:"name or uuid"`
	Format            Format       `json:"format,omitempty" jsonschema:"outline, or blocks with uuids"`
	IncludeProperties DefaultTrue  `json:"include_properties,omitempty" jsonschema:"also properties"`
	IncludeBlocks     DefaultTrue  `json:"include_blocks,omitempty" jsonschema:"also the blocks"`
	BlockDepth        Depth        `json:"block_depth,omitempty" jsonschema:"levels; 0: all"`
	Offset            tools.Offset `json:"offset,omitempty" jsonschema:"top-level blocks to skip"`
}

// GetPageContentOut is the answer of get_page_content.
type GetPageContentOut struct {
	Page      Page   `json:"page" jsonschema:"the page"`
	Text      string `json:"text,omitempty" jsonschema:"the outline, with format text"`
	Blocks    Blocks `json:"blocks,omitempty" jsonschema:"the blocks, with format json"`
	Total     int    `json:"total" jsonschema:"number of blocks read"`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func (in GetPageContentIn) check() error { return checkPageName("page_name", in.PageName) }

func getPageContent() tools.Tool[*Graph] {
	return tools.WithTargets(define(tools.Spec[GetPageContentIn, GetPageContentOut]{
		Name: "get_page_content", Title: "Read a page", Effect: tools.Reads,
		Selects: []string{"page_name"},
		Doc: "Reads a page with its blocks.\n" +
			"json has the uuids, which changes need.",
		Examples: []tools.Example[GetPageContentIn, GetPageContentOut]{
			{
				Purpose: "read a page", In: GetPageContentIn{PageName: "Garden", Format: "text", IncludeProperties: true, IncludeBlocks: true},
				AnyAnswer: true,
			},
			{
				Purpose: "get the uuids of its top-level blocks", In: GetPageContentIn{
					PageName: "Garden", Format: "json", IncludeProperties: true, IncludeBlocks: true, BlockDepth: 1,
				}, AnyAnswer: true,
			},
		},
	}, (*Graph).GetPageContent, "pages.read"), func(_ *Graph, _ context.Context, in GetPageContentIn) ([]string, error) {
		return []string{target{pageTarget, string(in.PageName)}.String()}, nil
	})
}

// GetPageContent implements get_page_content.
func (g *Graph) GetPageContent(ctx context.Context, in GetPageContentIn) (GetPageContentOut, error) {
	if !in.IncludeBlocks {
		p, err := g.page(ctx, string(in.PageName))
		if err != nil {
			return GetPageContentOut{}, err
		}
		return addPageInfo(in, GetPageContentOut{}, p), nil
	}
	depth, ask := int(in.BlockDepth), int(in.BlockDepth)+1 // one more level, to know where children are left out
	if depth == 0 {
		depth, ask = maxDepth, allLevels
	}
	p, blocks, err := g.tree(ctx, string(in.PageName), ask)
	if err != nil {
		return GetPageContentOut{}, err
	}
	return addPageInfo(in, buildOutline(in, p, blocks, depth), p), nil
}

// addPageInfo adds the page itself to an answer.
func addPageInfo(in GetPageContentIn, out GetPageContentOut, p wirePage) GetPageContentOut {
	out.Page = p.forAgent()
	if !in.IncludeProperties {
		out.Page.Properties = nil
	}
	if in.Format != "json" {
		out.Text = heading(out.Page) + out.Text
	}
	return out
}

// buildOutline answers as many of a page's blocks as fit.
func buildOutline(in GetPageContentIn, p wirePage, blocks []wireBlock, depth int) GetPageContentOut {
	var out GetPageContentOut
	for _, b := range blocks {
		out.Total += b.count()
	}
	blocks = blocks[min(int(in.Offset), len(blocks)):]
	cutter := &answerTrimmer{budget: maxAnswer, properties: bool(in.IncludeProperties)}
	var text strings.Builder
	kept := 0
	for _, b := range blocks {
		whole := b.forAgent(wireRef{p.UUID, p.Name}, depth-1)
		if kept > 0 && whole.size() > cutter.budget {
			break
		}
		kept++
		shown, _ := cutter.trim(whole)
		if in.Format == "json" {
			out.Blocks = append(out.Blocks, shown)
		} else {
			writeBlock(&text, shown, 0)
		}
	}
	out.Text = text.String()
	if left := len(blocks) - kept; left > 0 {
		out.Note = fmt.Sprintf("%d more top-level blocks: call again with offset %d. ", left, int(in.Offset)+kept)
	}
	if cutter.removed > 0 {
		out.Note += fmt.Sprintf("%d nested blocks were cut: use get_block on a block with has_children.", cutter.removed)
	}
	out.Truncated = out.Note != ""
	return out
}
