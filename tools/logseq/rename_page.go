package logseq

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// RenamePageIn are the arguments of rename_page.
type RenamePageIn struct {
	PageName Name `json:"page_name" jsonschema:"name or uuid"`
	NewName  Name `json:"new_name" jsonschema:"its new name"`
	DryRun   bool `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in RenamePageIn) check() error {
	if err := checkPageName("page_name", in.PageName); err != nil {
		return err
	}
	return checkNewPageName("new_name", in.NewName)
}

func renamePage() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[RenamePageIn, PageWritten]{
		Name: "rename_page", Title: "Rename a page", Effect: tools.Writes, OptIn: true,
		Selects: []string{"page_name", "new_name"},
		Doc: "Renames a page; Logseq updates the links to it.\n" +
			"Needs pages.rename. A name that is taken is refused with CONFLICT: pages are never merged.",
		Examples: []tools.Example[RenamePageIn, PageWritten]{
			{Purpose: "rename a page", In: RenamePageIn{PageName: "Compost", NewName: "Compost heap"}, AnyAnswer: true},
		},
	}, (*Graph).RenamePage, "pages.rename")
}

// RenamePage implements rename_page.
func (g *Graph) RenamePage(ctx context.Context, c tools.CallContext, in RenamePageIn) (PageWritten, error) {
	p, err := g.writablePage(ctx, in.PageName)
	if err != nil {
		return PageWritten{}, err
	}
	name := string(in.NewName)
	if err := checkNotInRule(g.privacy, p.Name, name); err != nil {
		return PageWritten{}, err
	}
	if err := g.checkPageNameVisible(ctx, name, nil); err != nil {
		return PageWritten{}, err
	}
	if err := g.checkNameFree(ctx, name, p.UUID); err != nil {
		return PageWritten{}, err
	}
	out := PageWritten{PageName: name, UUID: p.UUID}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	changes, err := g.planRename(ctx, p, name)
	if err != nil {
		return out, err
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method:  "pages.rename",
		params:  renameArg{p.UUID, name},
		details: writeDetails{UUID: p.UUID, Page: p.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.page(ctx, string(p.UUID))
			switch {
			case err != nil:
				return notApplied, err
			case now.Name == name:
				return applied, nil
			case now.Name == p.Name:
				return notApplied, nil
			}
			out.PageName = now.Name
			return appliedDifferently, nil
		},
	}, changes...)
	return out, err
}

// planRename plans the Changes of a rename: one page name disappears, another
// appears, and on a file graph Logseq rewrites the blocks that link to it.
func (g *Graph) planRename(ctx context.Context, p wirePage, name string) ([]plannedChange, error) {
	referrers, err := g.planReferrers(ctx, p.UUID, "file")
	if err != nil {
		return nil, err
	}
	changes := []plannedChange{planUpdate(target{pageHeadTarget, name})}
	if !strings.EqualFold(name, p.Name) {
		changes = append(changes, planDelete(target{pageHeadTarget, p.Name}))
	}
	return append(changes, referrers...), g.checkReferrers(ctx, referrers)
}
