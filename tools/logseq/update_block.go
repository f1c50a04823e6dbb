package logseq

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// UpdateBlockIn are the arguments of update_block.
type UpdateBlockIn struct {
	BlockUUID      UUID        `json:"block_uuid" jsonschema:"block"`
	Content        Content     `json:"content,omitempty" jsonschema:"new text"`
	Properties     Properties  `json:"properties,omitempty" jsonschema:"properties to set; null removes one"`
	ReplaceContent DefaultTrue `json:"replace_content,omitempty" jsonschema:"false: add it below the text"`
	DryRun         bool        `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in UpdateBlockIn) check() error {
	if err := in.BlockUUID.check("block_uuid"); err != nil {
		return err
	}
	if in.Content == "" && len(in.Properties) == 0 {
		return tools.Errorf(tools.Invalid, "give content or properties")
	}
	return in.Properties.check()
}

func updateBlock() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[UpdateBlockIn, BlockWritten]{
		Name: "update_block", Title: "Change a block", Effect: tools.Writes,
		Selects: []string{"block_uuid"},
		Doc:     "Changes a block's text and properties.\nChildren and other properties stay.",
		Examples: []tools.Example[UpdateBlockIn, BlockWritten]{
			{
				Purpose: "change a block's text", In: UpdateBlockIn{BlockUUID: exampleBlock, Content: "Plant tomatoes in May", ReplaceContent: true},
				AnyAnswer: true,
			},
		},
	}, (*Graph).UpdateBlock, "blocks.update")
}

// UpdateBlock implements update_block.
func (g *Graph) UpdateBlock(ctx context.Context, c tools.CallContext, in UpdateBlockIn) (BlockWritten, error) {
	was, err := g.block(ctx, in.BlockUUID, 0)
	if err != nil {
		return BlockWritten{}, err
	}
	d := &draft{UUID: was.UUID, Content: string(in.Content), Properties: in.Properties}
	if err := prepareNewBlocks(ctx, g, []*draft{d}); err != nil {
		return BlockWritten{}, err
	}
	out := BlockWritten{UUID: was.UUID, PageName: was.Page.Name, PageUUID: was.Page.UUID, Parent: was.Parent}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	content := string(in.Content)
	if content != "" && !in.ReplaceContent {
		content = withoutProperties(was.Raw) + "\n" + content
	}
	d.Content = content
	planned := planBlockUpdate(was.UUID, func(k *blockSnapshot) { k.applyUpdate(content, in.Properties) })
	out.Written, err = g.change(ctx, c, g.updateRequest(was, d), append(planReferenced([]*draft{d}), planned)...)
	return out, err
}

// updateRequest gives a block another text or properties.
func (g *Graph) updateRequest(was wireBlock, d *draft) writeRequest {
	content, properties := d.Content, d.Properties
	return writeRequest{
		method: "blocks.update",
		params: struct {
			UUID       UUID       `json:"uuid"`
			Content    string     `json:"content,omitempty"`
			Properties Properties `json:"properties,omitempty"`
			Keep       []UUID     `json:"keep,omitempty"`
		}{was.UUID, content, properties, d.Keep},
		details: writeDetails{UUID: was.UUID, Page: was.Page.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.block(ctx, was.UUID, 0)
			switch {
			case err != nil:
				return notApplied, err
			case (content == "" || now.hasText(content)) && hasProperties(now.Properties, properties, g.location()):
				return applied, nil
			case now.Raw == was.Raw && now.Content == was.Content && sameProperties(now.Properties, was.Properties):
				return notApplied, nil
			}
			return appliedDifferently, nil
		},
	}
}

// applyUpdate changes text and properties of a snapshot as the write will.
func (k *blockSnapshot) applyUpdate(content string, properties Properties) {
	if content != "" {
		lines := []string{content} // a file graph's properties stay below the text
		for line := range strings.SplitSeq(k.Text, "\n") {
			if isPropertyLine(line) {
				lines = append(lines, line)
			}
		}
		k.Text = strings.Join(lines, "\n")
	}
	if k.Properties == nil {
		k.Properties = map[string]json.RawMessage{}
	}
	for name, value := range properties {
		delete(k.Properties, name)
		if b, err := json.Marshal(value); err == nil && value != nil {
			k.Properties[name] = b
		}
	}
}
