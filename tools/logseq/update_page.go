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
		Errors: commonErrors(),
		Examples: []tools.Example[UpdatePageIn, PageWritten]{
			{Purpose: "add a line and a property", In: UpdatePageIn{PageName: "Garden", ContentAppend: "Mulch in autumn", Properties: Properties{"area": 12.0}}, AnyAnswer: true},
		},
	}, (*Graph).UpdatePage)
}

// UpdatePage implements update_page: properties first, then content. When the
// second step fails, the error's data says that the first is done.
func (g *Graph) UpdatePage(ctx context.Context, c tools.CallContext, in UpdatePageIn) (PageWritten, error) {
	var none PageWritten
	drafts, err := g.parsePageUpdate(in)
	if err != nil {
		return none, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return none, err
	}
	defer end()
	p, err := g.writablePage(ctx, in.PageName)
	if err != nil {
		return none, err
	}
	if err := g.checkProperties(ctx, p, in.Properties); err != nil {
		return none, err
	}
	if err := g.checkNewBlocks(ctx, drafts); err != nil {
		return none, err
	}
	out := PageWritten{PageName: p.Name, UUID: p.UUID}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	var intents []plannedChange
	if len(in.Properties) > 0 {
		intents = append(intents, planUpdate(target{pageHeadTarget, p.Name}))
	}
	drafts, warnings := g.flattenIfNeeded(string(in.ContentAppend), drafts)
	told, err := g.reportChanges(ctx, c, append(intents, g.planInsert(p.endPosition(), drafts)...)...)
	if err != nil {
		return none, err
	}
	defer told()
	var earlier []string
	if len(in.Properties) > 0 {
		if out.Written, err = g.perform(ctx, g.propertiesRequest(p, in.Properties)); err != nil {
			return none, err
		}
		earlier = append(earlier, "properties set")
	}
	if len(drafts) == 0 {
		return out, nil
	}
	added, err := g.appendDrafts(ctx, p, drafts, earlier)
	if err != nil {
		return none, err
	}
	out.Blocks = added.blocks
	verified := added.Verified && (out.Verified || len(earlier) == 0)
	out.Written = Written{Success: true, Verified: verified, Warnings: slices.Concat(warnings, out.Warnings, added.Warnings)}
	return out, nil
}

// parsePageUpdate checks the arguments and parses the content.
func (g *Graph) parsePageUpdate(in UpdatePageIn) ([]*draft, error) {
	if err := g.requireCapability("pages.update"); err != nil {
		return nil, err
	}
	if err := checkPageName("page_name", in.PageName); err != nil {
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

// writablePage is a page that can be written to.
func (g *Graph) writablePage(ctx context.Context, name Name) (wirePage, error) {
	p, err := g.page(ctx, string(name))
	if err == nil && p.Recycled {
		return p, tools.Errorf(tools.Conflict, "the page is in the recycle bin").WithHint("Ask the user to restore it in Logseq.")
	}
	return p, err
}

func (g *Graph) propertiesRequest(p wirePage, properties Properties) writeRequest {
	return writeRequest{
		method: "pages.update",
		params: struct {
			Page       UUID       `json:"page"`
			Properties Properties `json:"properties"`
		}{p.UUID, properties},
		details: writeDetails{UUID: p.UUID, Page: p.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.page(ctx, string(p.UUID))
			saw, err := verifyPage(p.Properties, now, err, properties)
			if saw == appliedDifferently && sameProperties(p.Properties, now.Properties) {
				saw = notApplied
			}
			return saw, err
		},
	}
}
