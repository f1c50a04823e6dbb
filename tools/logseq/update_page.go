package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// UpdatePageIn are the arguments of update_page.
type UpdatePageIn struct {
	PageName      Name       `json:"page_name" jsonschema:"page, by name or uuid"`
	ContentAppend Content    `json:"content_append,omitempty" jsonschema:"Markdown to put at the end; a list becomes blocks below each other"`
	Properties    Properties `json:"properties,omitempty" jsonschema:"properties to set; null takes one off"`
	DryRun        bool       `json:"dry_run,omitempty" jsonschema:"only check; change nothing"`
}

// PageWritten is the answer of what writes to a page.
type PageWritten struct {
	PageName string `json:"page_name" jsonschema:"its name"`
	UUID     UUID   `json:"uuid" jsonschema:"its uuid"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new blocks on top"`
	Written
}

func updatePage() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[UpdatePageIn, PageWritten]{
		Name: "update_page", Title: "Add to a page", Effect: tools.Writes,
		Doc:    "Sets properties of a page and puts content at its end.\nNeeds pages.update. To change what is there use update_block.",
		Errors: mayFail(),
		Examples: []tools.Example[UpdatePageIn, PageWritten]{
			{Purpose: "add a line and a property", In: UpdatePageIn{PageName: "Garden", ContentAppend: "Mulch in autumn", Properties: Properties{"area": 12.0}}, AnyAnswer: true},
		},
	}, (*Graph).UpdatePage)
}

// UpdatePage implements update_page: properties first, then content. When the
// second step fails, the error's data says that the first is done.
func (g *Graph) UpdatePage(ctx context.Context, c tools.CallContext, in UpdatePageIn) (PageWritten, error) {
	var none PageWritten
	drafts, err := g.pageChange(in)
	if err != nil {
		return none, err
	}
	end, err := g.begin(ctx)
	if err != nil {
		return none, err
	}
	defer end()
	p, err := g.livePage(ctx, in.PageName)
	if err != nil {
		return none, err
	}
	if err := g.mayMark(ctx, p, in.Properties); err != nil {
		return none, err
	}
	if err := g.mayWrite(ctx, drafts); err != nil {
		return none, err
	}
	out := PageWritten{PageName: p.Name, UUID: p.UUID}
	if in.DryRun {
		out.Written = rehearsed()
		return out, nil
	}
	var intents []intent
	if len(in.Properties) > 0 {
		intents = append(intents, changing(target{aHead, p.Name}))
	}
	drafts, warnings := g.together(string(in.ContentAppend), drafts)
	told, err := g.report(ctx, c, append(intents, g.adding(p.end(), drafts)...)...)
	if err != nil {
		return none, err
	}
	defer told()
	var earlier []string
	if len(in.Properties) > 0 {
		if out.Written, err = g.write(ctx, g.pageProperties(p, in.Properties)); err != nil {
			return none, err
		}
		earlier = append(earlier, "properties set")
	}
	if len(drafts) == 0 {
		return out, nil
	}
	added, err := g.appendTo(ctx, p, drafts, earlier)
	if err != nil {
		return none, err
	}
	out.Blocks = added.blocks
	verified := added.Verified && (out.Verified || len(earlier) == 0)
	out.Written = Written{Success: true, Verified: verified, Warnings: slices.Concat(warnings, out.Warnings, added.Warnings)}
	return out, nil
}

// pageChange checks the arguments and parses the content.
func (g *Graph) pageChange(in UpdatePageIn) ([]*draft, error) {
	if err := g.needs("pages.update"); err != nil {
		return nil, err
	}
	if err := checkName("page_name", in.PageName); err != nil {
		return nil, err
	}
	if err := in.Properties.check(); err != nil {
		return nil, err
	}
	if in.ContentAppend != "" {
		return parseContent("content_append", string(in.ContentAppend))
	}
	if len(in.Properties) == 0 {
		return nil, tools.Errorf(tools.Invalid, "give content_append or properties")
	}
	return nil, nil
}

// livePage is a page that can be written to.
func (g *Graph) livePage(ctx context.Context, name Name) (wirePage, error) {
	p, err := g.page(ctx, string(name))
	if err == nil && p.Recycled {
		return p, tools.Errorf(tools.Conflict, "the page is in the recycle bin").WithHint("Ask the user to restore it in Logseq.")
	}
	return p, err
}

func (g *Graph) pageProperties(p wirePage, properties Properties) write {
	return write{
		method: "pages.update",
		in: struct {
			Page       UUID       `json:"page"`
			Properties Properties `json:"properties"`
		}{p.UUID, properties},
		facts: fate{UUID: p.UUID, Page: p.Name},
		look: func(ctx context.Context) (sight, error) {
			now, err := g.page(ctx, string(p.UUID))
			saw, err := seenPage(p.Properties, now, err, properties)
			if saw == different && sameProperties(p.Properties, now.Properties) {
				saw = undone
			}
			return saw, err
		},
	}
}
