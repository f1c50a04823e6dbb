package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// UpdatePageIn are the arguments of update_page.
type UpdatePageIn struct {
	PageName      Name       `json:"page_name" jsonschema:"name or uuid"`
	ContentAppend Content    `json:"content_append,omitempty" jsonschema:"Markdown to add; lists become nested blocks"`
	Properties    Properties `json:"properties,omitempty" jsonschema:"properties to set; null removes one"`
	DryRun        bool       `json:"dry_run,omitempty" jsonschema:"only check"`
}

// PageWritten is the answer of tools that write to a page.
type PageWritten struct {
	PageName string `json:"page_name" jsonschema:"its name"`
	UUID     UUID   `json:"uuid" jsonschema:"its uuid"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new top-level blocks"`
	Written
}

func (in UpdatePageIn) check() error {
	if err := checkPageName("page_name", in.PageName); err != nil {
		return err
	}
	if in.ContentAppend == "" && len(in.Properties) == 0 {
		return tools.Errorf(tools.Invalid, "give content_append or properties")
	}
	return in.Properties.check()
}

func updatePage() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[UpdatePageIn, PageWritten]{
		Name: "update_page", Title: "Add to a page", Effect: tools.Writes, Timeout: treeTimeout,
		Selects: []string{"page_name"},
		Doc:     "Sets properties of a page and adds content at its end.\nTo change text use update_block.",
		Examples: []tools.Example[UpdatePageIn, PageWritten]{
			{
				Purpose: "add a line and a property", In: UpdatePageIn{
					PageName: "Garden", ContentAppend: "Mulch in autumn", Properties: Properties{"area": 12.0},
				}, AnyAnswer: true,
			},
		},
	}, (*Graph).UpdatePage, "pages.update")
}

// UpdatePage implements update_page: properties first, then content. When the
// second step fails, the error's data says that the first is done.
func (g *Graph) UpdatePage(ctx context.Context, c tools.CallContext, in UpdatePageIn) (_ PageWritten, err error) {
	var drafts []*draft
	if in.ContentAppend != "" {
		if drafts, err = parseContent("content_append", string(in.ContentAppend)); err != nil {
			return PageWritten{}, err
		}
	}
	p, err := g.writablePage(ctx, in.PageName)
	if err != nil {
		return PageWritten{}, err
	}
	if err := g.checkProperties(ctx, p, in.Properties); err != nil {
		return PageWritten{}, err
	}
	if err := prepareNewBlocks(ctx, g, drafts); err != nil {
		return PageWritten{}, err
	}
	out := PageWritten{PageName: p.Name, UUID: p.UUID}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	var changes []plannedChange
	if len(in.Properties) > 0 {
		changes = append(changes, planUpdate(target{pageHeadTarget, p.Name}))
	}
	drafts, warnings := g.flattenIfNeeded(string(in.ContentAppend), drafts)
	finish, err := g.reportChanges(ctx, c, append(changes, g.planInsert(p.endPosition(), drafts)...)...)
	if err != nil {
		return out, err
	}
	defer func() { finish(err) }()
	out.Written = Written{Success: true, Verified: true}
	var earlier []string
	if len(in.Properties) > 0 {
		if out.Written, err = g.perform(ctx, g.propertiesRequest(p, in.Properties)); err != nil {
			return out, err
		}
		earlier = append(earlier, "properties set")
	}
	if len(drafts) == 0 {
		return out, nil
	}
	added, err := g.appendDrafts(ctx, c, p, drafts, earlier)
	out.Blocks = topUUIDs(drafts)
	out.Verified = out.Verified && added.Verified
	out.Warnings = slices.Concat(warnings, out.Warnings, added.Warnings)
	return out, err
}

// writablePage finds a page that is not in the recycle bin.
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
			found, err := g.verifyPage(now, err, properties)
			if found == appliedDifferently && sameProperties(p.Properties, now.Properties) {
				found = notApplied
			}
			return found, err
		},
	}
}
