package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// CreateBlockIn are the arguments of create_block.
type CreateBlockIn struct {
	ParentBlockUUID  UUID       `json:"parent_block_uuid,omitempty" jsonschema:"to put it below"`
	PageName         Name       `json:"page_name,omitempty" jsonschema:"page to put it on"`
	Content          Content    `json:"content" jsonschema:"text of the block"`
	Position         Position   `json:"position,omitempty" jsonschema:"last when omitted, after with a sibling"`
	SiblingBlockUUID UUID       `json:"sibling_block_uuid,omitempty" jsonschema:"to put it beside"`
	Properties       Properties `json:"properties,omitempty" jsonschema:"by the names that people see"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in CreateBlockIn) check() error {
	if err := in.Properties.check(); err != nil {
		return err
	}
	return in.position().check()
}

func (in CreateBlockIn) position() positionArgs {
	return positionArgs{
		page: in.PageName, parent: in.ParentBlockUUID, sibling: in.SiblingBlockUUID, position: in.Position,
		pageArgument: "page_name", parentArgument: "parent_block_uuid",
	}
}

// BlockWritten is the answer of tools that write one block.
type BlockWritten struct {
	UUID     UUID   `json:"uuid,omitempty" jsonschema:"the block"`
	PageName string `json:"page_name" jsonschema:"page it is on"`
	PageUUID UUID   `json:"page_uuid" jsonschema:"that page's uuid"`
	Parent   UUID   `json:"parent_uuid,omitempty" jsonschema:"block or page it is below"`
	Written
}

func createBlock() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[CreateBlockIn, BlockWritten]{
		Name: "create_block", Title: "Create a block", Effect: tools.Writes, Additive: true,
		Selects: []string{"page_name", "parent_block_uuid", "sibling_block_uuid"},
		Doc:     "Creates one block below a block, on a page, or beside a sibling.\nFor several use update_page.",
		Examples: []tools.Example[CreateBlockIn, BlockWritten]{
			{Purpose: "add a block at the end of a page", In: CreateBlockIn{PageName: "Garden", Content: "Sow spinach"}, AnyAnswer: true},
			{
				Purpose: "put one before another", In: CreateBlockIn{SiblingBlockUUID: exampleBlock, Position: before, Content: "Dig first"},
				AnyAnswer: true,
			},
		},
	}, (*Graph).CreateBlock, "blocks.create")
}

// CreateBlock implements create_block.
func (g *Graph) CreateBlock(ctx context.Context, c tools.CallContext, in CreateBlockIn) (BlockWritten, error) {
	d := &draft{Content: string(in.Content), Properties: in.Properties}
	newRequest := func(p insertPosition) writeRequest { return g.createRequest(p, d) }
	p, written, err := g.insertDrafts(ctx, c, in.position(), []*draft{d}, in.DryRun, newRequest)
	return BlockWritten{UUID: d.UUID, PageName: p.page.Name, PageUUID: p.page.UUID, Parent: p.parent, Written: written}, err
}

// createRequest creates one block at a position.
func (g *Graph) createRequest(p insertPosition, d *draft) writeRequest {
	return writeRequest{
		method: "blocks.create",
		params: struct {
			UUID       UUID       `json:"uuid"`
			Target     UUID       `json:"target"`
			Place      Position   `json:"place"`
			Content    string     `json:"content"`
			Properties Properties `json:"properties,omitempty"`
			Keep       []UUID     `json:"keep,omitempty"`
		}{d.UUID, p.target, p.position, d.Content, d.Properties, d.Keep},
		details: writeDetails{UUID: d.UUID, Page: p.page.Name},
		verify:  func(ctx context.Context) (verification, error) { return g.verifyNewBlock(ctx, p, d) },
	}
}
