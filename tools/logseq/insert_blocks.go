package logseq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// A NewBlock is a block to insert, with the blocks below it.
type NewBlock struct {
	Content    string     `json:"content"`
	Properties Properties `json:"properties,omitempty"`
	Children   Tree       `json:"children,omitempty"`
}

// A Tree is a list of new siblings.
type Tree []NewBlock

// JSONSchema implements tools.SchemaProvider: the tree is recursive, which inference
// does not know.
func (Tree) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "array", MaxItems: new(maxDrafts), Items: &jsonschema.Schema{
			Type: "object", Description: "content, properties, and children, a list of the same kind",
		},
	}
}

// UnmarshalJSON refuses unknown fields at every level.
func (b *NewBlock) UnmarshalJSON(raw []byte) error {
	type fields NewBlock
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode((*fields)(b)); err != nil {
		return errors.New("blocks: each entry takes content, properties and children: " + cleanMessage(err.Error()))
	}
	return nil
}

// InsertBlocksIn are the arguments of insert_blocks.
type InsertBlocksIn struct {
	Blocks           Tree     `json:"blocks,omitempty" jsonschema:"blocks as a tree"`
	Markdown         Content  `json:"markdown,omitempty" jsonschema:"or blocks as Markdown: lists and headings make the levels"`
	PageName         Name     `json:"page_name,omitempty" jsonschema:"page to put them on, by name or uuid"`
	ParentBlockUUID  UUID     `json:"parent_block_uuid,omitempty" jsonschema:"block to put them below"`
	SiblingBlockUUID UUID     `json:"sibling_block_uuid,omitempty" jsonschema:"block to put them beside"`
	Position         Position `json:"position,omitempty" jsonschema:"last when omitted, after with a sibling"`
	DryRun           bool     `json:"dry_run,omitempty" jsonschema:"only check"`
}

// InsertBlocksOut is the answer of insert_blocks.
type InsertBlocksOut struct {
	Inserted int    `json:"inserted" jsonschema:"blocks inserted"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new top-level blocks"`
	PageName string `json:"page_name" jsonschema:"page they are on"`
	PageUUID UUID   `json:"page_uuid" jsonschema:"that page's uuid"`
	Parent   UUID   `json:"parent_uuid" jsonschema:"block or page they are below"`
	Written
}

func (in InsertBlocksIn) check() error { return in.position().check() }

func (in InsertBlocksIn) position() positionArgs {
	return positionArgs{
		page: in.PageName, parent: in.ParentBlockUUID, sibling: in.SiblingBlockUUID, position: in.Position,
		pageArgument: "page_name", parentArgument: "parent_block_uuid",
	}
}

func insertBlocks() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[InsertBlocksIn, InsertBlocksOut]{
		Name: "insert_blocks", Title: "Insert blocks", Effect: tools.Writes, Additive: true, OptIn: true, Timeout: treeTimeout,
		Selects: []string{"page_name", "parent_block_uuid", "sibling_block_uuid"},
		Doc:     "Inserts a tree of blocks in one call, given as a tree or as Markdown.\nNeeds blocks.insert. At most 1,000 blocks.",
		Examples: []tools.Example[InsertBlocksIn, InsertBlocksOut]{
			{Purpose: "put an outline on a page", In: InsertBlocksIn{PageName: "Garden", Markdown: "- Beds\n  - North\n  - South"}, AnyAnswer: true},
			{
				Purpose: "put a tree below a block", In: InsertBlocksIn{
					ParentBlockUUID: exampleParent, Blocks: Tree{{Content: "Tools", Children: Tree{{Content: "Spade"}}}},
				}, AnyAnswer: true,
			},
		},
	}, (*Graph).InsertBlocks, "blocks.insert")
}

// InsertBlocks implements insert_blocks.
func (g *Graph) InsertBlocks(ctx context.Context, c tools.CallContext, in InsertBlocksIn) (InsertBlocksOut, error) {
	drafts, err := in.drafts()
	if err != nil {
		return InsertBlocksOut{}, err
	}
	newRequest := func(p insertPosition) writeRequest { return g.insertRequest(p, drafts, nil) }
	p, written, err := g.insertDrafts(ctx, c, in.position(), drafts, in.DryRun, newRequest)
	out := InsertBlocksOut{PageName: p.page.Name, PageUUID: p.page.UUID, Parent: p.parent, Written: written}
	out.Inserted = countDrafts(drafts)
	if !in.DryRun {
		out.Blocks = topUUIDs(drafts)
	}
	return out, err
}

// drafts checks and converts whichever of the two arguments is given.
func (in InsertBlocksIn) drafts() ([]*draft, error) {
	switch {
	case in.Markdown != "" && len(in.Blocks) > 0, in.Markdown == "" && len(in.Blocks) == 0:
		return nil, tools.Errorf(tools.Invalid, "give either blocks or markdown")
	case in.Markdown != "":
		return parseContent("markdown", string(in.Markdown))
	}
	drafts := in.Blocks.drafts()
	if err := checkDrafts("blocks", drafts); err != nil {
		return nil, err
	}
	for d := range allDrafts(drafts) {
		if err := d.Properties.check(); err != nil {
			return nil, tools.Errorf(tools.Invalid, "blocks: %s", err.Error())
		}
		if len(d.Content) > 200_000 {
			return nil, tools.Errorf(tools.Invalid, "blocks: the content of a block has at most 200,000 bytes, got %d", len(d.Content))
		}
	}
	return drafts, nil
}

func (t Tree) drafts() []*draft {
	var drafts []*draft
	for _, b := range t {
		drafts = append(drafts, &draft{Content: b.Content, Properties: b.Properties, Children: b.Children.drafts()})
	}
	return drafts
}
