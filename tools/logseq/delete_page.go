package logseq

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// DeletePageIn are the arguments of delete_page.
type DeletePageIn struct {
	PageName Name `json:"page_name" jsonschema:"page, by name or uuid"`
	Force    bool `json:"force,omitempty" jsonschema:"also when other pages link to it"`
	DryRun   bool `json:"dry_run,omitempty" jsonschema:"only check; delete nothing"`
}

// DeletePageOut is the answer of delete_page.
type DeletePageOut struct {
	PageName  string `json:"page_name" jsonschema:"its name"`
	UUID      UUID   `json:"uuid" jsonschema:"its uuid"`
	Recycled  bool   `json:"recycled,omitempty" jsonschema:"it is in Logseq's recycle bin and keeps its name until the user empties it"`
	Backlinks int    `json:"backlinks,omitempty" jsonschema:"blocks elsewhere that link to it"`
	Written
}

func deletePage() tools.Tool[*Graph] {
	return tools.DefineWithContext(tools.Spec[DeletePageIn, DeletePageOut]{
		Name: "delete_page", Title: "Delete a page", Effect: tools.Deletes,
		Doc:    "Deletes a page with all its blocks; on a DB graph it goes to the recycle bin.\nNeeds pages.delete. A page that others link to is refused with CONFLICT unless force is set.",
		Errors: commonErrors(),
		Examples: []tools.Example[DeletePageIn, DeletePageOut]{
			{Purpose: "see what deleting would break", In: DeletePageIn{PageName: "Garden", Force: true, DryRun: true}, AnyAnswer: true},
			{Purpose: "delete a page that nothing links to", In: DeletePageIn{PageName: "Compost"}, AnyAnswer: true},
		},
	}, (*Graph).DeletePage)
}

// DeletePage implements delete_page.
func (g *Graph) DeletePage(ctx context.Context, c tools.CallContext, in DeletePageIn) (DeletePageOut, error) {
	var none DeletePageOut
	if err := g.requireCapability("pages.delete"); err != nil {
		return none, err
	}
	if err := checkPageName("page_name", in.PageName); err != nil {
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
	if err := g.checkWholePage(ctx, p); err != nil {
		return none, err
	}
	out := DeletePageOut{PageName: p.Name, UUID: p.UUID}
	warnings, err := g.checkBacklinks(ctx, p, in.Force, &out)
	if err != nil {
		return none, err
	}
	if in.DryRun {
		out.Written = dryRunResult(warnings...)
		return out, nil
	}
	told, err := g.reportChanges(ctx, c, planDelete(target{pageTarget, p.Name}))
	if err != nil {
		return none, err
	}
	defer told()
	out.Written, err = g.perform(ctx, writeRequest{
		method: "pages.delete", params: pageArg{string(p.UUID)}, details: writeDetails{UUID: p.UUID, Page: p.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.page(ctx, string(p.UUID))
			if err == nil && now.Recycled {
				out.Recycled = true
				return applied, nil
			}
			return verifyGone(err)
		},
	})
	if err != nil {
		return none, err
	}
	out.Warnings = append(warnings, out.Warnings...)
	return out, nil
}

// checkBacklinks counts what a deletion would leave pointing at nothing. Without
// force there must be none.
func (g *Graph) checkBacklinks(ctx context.Context, p wirePage, force bool, out *DeletePageOut) (warnings []string, err error) {
	if !g.hasCapability("backlinks") {
		return []string{"This Logseq cannot say what links to the page."}, nil
	}
	_, total, err := g.backlinks(ctx, p, 0, 1)
	if err != nil {
		return nil, err
	}
	out.Backlinks = total
	if total > 0 && !force {
		return nil, tools.Errorf(tools.Conflict, "%d blocks link to the page", total).
			WithHint("See them with get_backlinks; set force to delete it all the same.").
			WithData(map[string]any{"uuid": p.UUID, "page_name": p.Name, "backlinks": total})
	}
	if total > 0 {
		warnings = append(warnings, fmt.Sprintf("%d blocks link to the page.", total))
	}
	return warnings, nil
}
