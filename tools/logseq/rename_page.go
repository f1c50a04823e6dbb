package logseq

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// RenamePageIn are the arguments of rename_page.
type RenamePageIn struct {
	PageName Name `json:"page_name" jsonschema:"page, by name or uuid"`
	NewName  Name `json:"new_name" jsonschema:"its new name"`
	DryRun   bool `json:"dry_run,omitempty" jsonschema:"only check; change nothing"`
}

func renamePage() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[RenamePageIn, PageWritten]{
		Name: "rename_page", Title: "Rename a page", Effect: tools.Writes,
		Doc:    "Renames a page; Logseq changes the links to it.\nNeeds pages.rename. A name that is taken is refused with CONFLICT: pages are never merged.",
		Errors: commonErrors(),
		Examples: []tools.Example[RenamePageIn, PageWritten]{
			{Purpose: "rename a page", In: RenamePageIn{PageName: "Compost", NewName: "Compost heap"}, AnyAnswer: true},
		},
	}, (*Graph).RenamePage)
}

// RenamePage implements rename_page.
func (g *Graph) RenamePage(ctx context.Context, c tools.CallContext, in RenamePageIn) (PageWritten, error) {
	var none PageWritten
	if err := g.requireCapability("pages.rename"); err != nil {
		return none, err
	}
	if err := checkPageName("page_name", in.PageName); err != nil {
		return none, err
	}
	if err := checkNewPageName("new_name", in.NewName); err != nil {
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
	if err := g.checkNewPage(ctx, string(in.NewName), nil); err != nil {
		return none, err
	}
	switch taken, err := g.page(ctx, string(in.NewName)); {
	case err == nil && taken.UUID != p.UUID:
		return none, pageExistsError(taken)
	case err != nil && !isNotFound(err):
		return none, err
	}
	out := PageWritten{PageName: string(in.NewName), UUID: p.UUID}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	told, err := g.reportRename(ctx, c, p, string(in.NewName))
	if err != nil {
		return none, err
	}
	defer told()
	out.Written, err = g.perform(ctx, writeRequest{
		method: "pages.rename",
		params: struct {
			Page UUID `json:"page"`
			Name Name `json:"name"`
		}{p.UUID, in.NewName},
		details: writeDetails{UUID: p.UUID, Page: p.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.page(ctx, string(p.UUID))
			switch {
			case err != nil:
				return notApplied, err
			case now.Name == string(in.NewName):
				return applied, nil
			case now.Name == p.Name:
				return notApplied, nil
			}
			out.PageName = now.Name
			return appliedDifferently, nil
		},
	})
	return out, err
}

// reportRename tells that one page goes and another comes, and which blocks
// link to it: on a file graph Logseq rewrites their text.
func (g *Graph) reportRename(ctx context.Context, c tools.CallContext, p wirePage, name string) (func(), error) {
	referring, err := g.planReferrers(ctx, p.UUID, "file")
	if err != nil {
		return nil, err
	}
	if err := g.checkReferrers(ctx, referring); err != nil {
		return nil, err
	}
	intents := []plannedChange{planUpdate(target{pageHeadTarget, name})}
	if name != p.Name && !strings.EqualFold(name, p.Name) {
		intents = append(intents, planDelete(target{pageHeadTarget, p.Name}))
	}
	return g.reportChanges(ctx, c, append(intents, referring...)...)
}
