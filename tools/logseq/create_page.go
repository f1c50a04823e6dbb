package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// CreatePageIn are the arguments of create_page.
type CreatePageIn struct {
	Title            Name       `json:"title" jsonschema:"name of the new page"`
	Content          Content    `json:"content,omitempty" jsonschema:"Markdown; lists become nested blocks"`
	Properties       Properties `json:"properties,omitempty" jsonschema:"by the names that people see"`
	CreateFirstBlock bool       `json:"create_first_block,omitempty" jsonschema:"an empty block if no content"`
	DryRun           bool       `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in CreatePageIn) check() error {
	if err := checkNewPageName("title", in.Title); err != nil {
		return err
	}
	return in.Properties.check()
}

// CreatePageOut is the answer of create_page.
type CreatePageOut struct {
	PageName string `json:"page_name" jsonschema:"its name"`
	UUID     UUID   `json:"uuid,omitempty" jsonschema:"its uuid"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new top-level blocks"`
	Written
}

func createPage() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[CreatePageIn, CreatePageOut]{
		Name: "create_page", Title: "Create a page", Effect: tools.Writes, Additive: true, Timeout: treeTimeout,
		Selects: []string{"title"},
		Doc: "Creates a page, with content and properties if given.\n" +
			"One that exists is not changed: CONFLICT; use update_page.",
		Examples: []tools.Example[CreatePageIn, CreatePageOut]{
			{
				Purpose: "create a page with an outline", In: CreatePageIn{Title: "Orchard", Content: "- Apples\n  - Boskoop\n- Pears"},
				AnyAnswer: true,
			},
			{
				Purpose: "see whether a page could be created", In: CreatePageIn{Title: "Meadow", DryRun: true},
				Want: CreatePageOut{PageName: "Meadow", Written: Written{DryRun: true}},
			},
		},
	}, (*Graph).CreatePage, "pages.create")
}

// CreatePage implements create_page: first the page, then its content.
func (g *Graph) CreatePage(ctx context.Context, c tools.CallContext, in CreatePageIn) (_ CreatePageOut, err error) {
	title := string(in.Title)
	drafts, err := g.checkNewPage(ctx, in)
	if err != nil {
		return CreatePageOut{}, err
	}
	if in.DryRun {
		return CreatePageOut{PageName: title, Written: dryRunResult()}, nil
	}
	drafts, warnings := g.flattenIfNeeded(string(in.Content), drafts)
	g.assignIDs(insertPosition{target: UUID(title), position: last}, drafts)
	planned := plannedChange{target: target{pageTarget, title}, after: newPageSnapshot(title, drafts)}
	finish, err := g.reportChanges(ctx, c, append(planReferenced(drafts), planned)...)
	if err != nil {
		return CreatePageOut{}, err
	}
	defer func() { finish(err) }()
	for _, d := range drafts {
		g.usedIDs[d.UUID] = true
	}
	uuid := newUUID()
	var made wirePage
	var out CreatePageOut
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
			if isNotFound(err) { // Logseq removes a #tag from the title
				made, err = g.page(ctx, string(uuid))
			}
			return g.verifyPage(made, err, in.Properties)
		},
	})
	out.UUID, out.PageName = made.UUID, made.Name
	if err != nil || len(drafts) == 0 || made.UUID == "" {
		return out, err
	}
	added, err := g.appendDrafts(ctx, c, made, drafts, []string{"page created"})
	out.Blocks = topUUIDs(drafts)
	out.Verified = out.Verified && added.Verified
	out.Warnings = append(append(out.Warnings, warnings...), added.Warnings...)
	return out, err
}

// checkNewPage refuses a page that exists or would be hidden, and returns its
// content as drafts.
func (g *Graph) checkNewPage(ctx context.Context, in CreatePageIn) (drafts []*draft, err error) {
	if in.Content != "" {
		if err := g.requireCapability("pages.update"); err != nil {
			return nil, err
		}
		if drafts, err = parseContent("content", string(in.Content)); err != nil {
			return nil, err
		}
	}
	if err := g.checkPageNameVisible(ctx, string(in.Title), in.Properties); err != nil {
		return nil, err
	}
	if err := prepareNewBlocks(ctx, g, drafts); err != nil {
		return nil, err
	}
	return drafts, g.checkNameFree(ctx, string(in.Title), "")
}

// checkNameFree refuses a name that a page other than the one with this uuid
// has.
func (g *Graph) checkNameFree(ctx context.Context, name string, except UUID) error {
	switch found, err := g.page(ctx, name); {
	case isNotFound(err):
		return nil
	case err != nil:
		return err
	case found.UUID != except:
		return pageExistsError(found)
	}
	return nil
}

// newPageSnapshot is roughly what a new page will hold.
func newPageSnapshot(name string, drafts []*draft) tools.State {
	p := pageSnapshot{Name: name}
	for _, d := range drafts {
		p.Blocks = append(p.Blocks, d.snapshot())
	}
	return encodeState(p)
}

func pageExistsError(p wirePage) error {
	e := tools.Errorf(tools.Conflict, "a page with that name already exists").WithData(map[string]any{"uuid": p.UUID, "page_name": p.Name})
	if p.Recycled {
		return e.WithHint("It is in Logseq's recycle bin and keeps its name. Ask the user to restore it, or choose another name.")
	}
	return e.WithHint("Use update_page to add to it.")
}

// verifyPage compares a page that was read back with the properties it was
// given.
func (g *Graph) verifyPage(p wirePage, err error, properties Properties) (verification, error) {
	switch {
	case isNotFound(err) || err == nil && p.Recycled:
		return notApplied, nil
	case err != nil:
		return notApplied, err
	case !hasProperties(p.Properties, properties, g.location()):
		return appliedDifferently, nil
	}
	return applied, nil
}
