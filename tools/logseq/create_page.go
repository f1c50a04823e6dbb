package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// CreatePageIn are the arguments of create_page.
type CreatePageIn struct {
	Title            Name       `json:"title" jsonschema:"name of the new page"`
	Content          Content    `json:"content,omitempty" jsonschema:"Markdown; a list becomes blocks below each other"`
	Properties       Properties `json:"properties,omitempty" jsonschema:"properties by the names that people see"`
	CreateFirstBlock bool       `json:"create_first_block,omitempty" jsonschema:"also an empty first block, where there is no content"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"only check; create nothing"`
}

// CreatePageOut is the answer of create_page.
type CreatePageOut struct {
	PageName string `json:"page_name" jsonschema:"its name"`
	UUID     UUID   `json:"uuid,omitempty" jsonschema:"its uuid"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new blocks on top"`
	Written
}

func createPage() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[CreatePageIn, CreatePageOut]{
		Name: "create_page", Title: "Create a page", Effect: tools.Writes,
		Doc:    "Creates a page, with content and properties if given.\nNeeds pages.create, and pages.update for content. A page that exists is never touched: the answer is CONFLICT with its uuid; use update_page.",
		Errors: commonErrors(),
		Examples: []tools.Example[CreatePageIn, CreatePageOut]{
			{Purpose: "create a page with an outline", In: CreatePageIn{Title: "Orchard", Content: "- Apples\n  - Boskoop\n- Pears"}, AnyAnswer: true},
			{Purpose: "see whether a page could be created", In: CreatePageIn{Title: "Meadow", DryRun: true}, Want: CreatePageOut{PageName: "Meadow", Written: Written{DryRun: true}}},
		},
	}, (*Graph).CreatePage)
}

// CreatePage implements create_page.
func (g *Graph) CreatePage(ctx context.Context, c tools.CallContext, in CreatePageIn) (CreatePageOut, error) {
	drafts, err := g.parseNewPage(in)
	if err != nil {
		return CreatePageOut{}, err
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return CreatePageOut{}, err
	}
	defer end()
	title := string(in.Title)
	if err := g.checkNewPage(ctx, title, in.Properties); err != nil {
		return CreatePageOut{}, err
	}
	if err := g.checkNewBlocks(ctx, drafts); err != nil {
		return CreatePageOut{}, err
	}
	if there, err := g.page(ctx, title); err == nil {
		return CreatePageOut{}, pageExistsError(there)
	} else if !isNotFound(err) {
		return CreatePageOut{}, err
	}
	if in.DryRun {
		return CreatePageOut{PageName: title, Written: dryRunResult()}, nil
	}
	drafts, warnings := g.flattenIfNeeded(string(in.Content), drafts)
	g.assignIDs(insertPosition{target: UUID(title), position: last}, drafts)
	told, err := g.reportChanges(ctx, c, plannedChange{target: target{pageTarget, title}, after: newPageSnapshot(title, drafts)})
	if err != nil {
		return CreatePageOut{}, err
	}
	defer told()
	for _, d := range drafts {
		g.usedIDs[d.UUID] = true
	}
	uuid := newUUID()
	var made wirePage
	out := CreatePageOut{PageName: title}
	out.Written, err = g.perform(ctx, writeRequest{
		method: "pages.create",
		params: struct {
			Title      string     `json:"title"`
			Properties Properties `json:"properties,omitempty"`
			First      bool       `json:"create_first_block"`
			UUID       UUID       `json:"uuid"`
		}{title, in.Properties, in.CreateFirstBlock && len(drafts) == 0, uuid},
		details: writeDetails{UUID: uuid, Page: title},
		verify: func(ctx context.Context) (verification, error) {
			made, err = g.page(ctx, title)
			if isNotFound(err) { // a #tag in the title is taken off it
				made, err = g.page(ctx, string(uuid))
			}
			return verifyPage(nil, made, err, in.Properties)
		},
	})
	if err != nil {
		return CreatePageOut{}, err
	}
	out.UUID, out.PageName = made.UUID, made.Name
	if len(drafts) == 0 || made.UUID == "" {
		return out, nil
	}
	out.Warnings = append(out.Warnings, warnings...)
	return out, g.addContent(ctx, &out, made, drafts)
}

// newPageSnapshot is what a new page will hold, roughly.
func newPageSnapshot(name string, drafts []*draft) tools.State {
	p := pageSnapshot{Name: name}
	for _, d := range drafts {
		p.Blocks = append(p.Blocks, d.snapshot())
	}
	return encodeState(p)
}

// parseNewPage checks the arguments and parses the content.
func (g *Graph) parseNewPage(in CreatePageIn) ([]*draft, error) {
	if err := g.requireCapability("pages.create"); err != nil {
		return nil, err
	}
	if err := checkNewPageName("title", in.Title); err != nil {
		return nil, err
	}
	if err := in.Properties.check(); err != nil {
		return nil, err
	}
	if in.Content == "" {
		return nil, nil
	}
	if err := g.requireCapability("pages.update"); err != nil {
		return nil, err
	}
	return parseContent("content", string(in.Content))
}

// addContent puts the content on a page that was just created.
func (g *Graph) addContent(ctx context.Context, out *CreatePageOut, made wirePage, drafts []*draft) error {
	added, err := g.appendDrafts(ctx, made, drafts, []string{"page created"})
	if err != nil {
		return err
	}
	out.Blocks = added.blocks
	out.Verified = out.Verified && added.Verified
	out.Warnings = append(out.Warnings, added.Warnings...)
	return nil
}

func pageExistsError(p wirePage) error {
	e := tools.Errorf(tools.Conflict, "a page of that name exists already").WithData(map[string]any{"uuid": p.UUID, "page_name": p.Name})
	if p.Recycled {
		return e.WithHint("It is in Logseq's recycle bin and keeps its name. Ask the user to restore it, or choose another name.")
	}
	return e.WithHint("Use update_page to add to it.")
}

// verifyPage judges a look at a page that was written.
func verifyPage(was map[string]any, p wirePage, err error, properties Properties) (verification, error) {
	switch {
	case isNotFound(err) || err == nil && p.Recycled:
		return notApplied, nil
	case err != nil:
		return notApplied, err
	case !hasProperties(was, p.Properties, properties):
		return appliedDifferently, nil
	}
	return applied, nil
}
