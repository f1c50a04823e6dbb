package logseq

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// DeletePageIn are the arguments of delete_page.
type DeletePageIn struct {
	PageName Name `json:"page_name" jsonschema:"name or uuid"`
	Force    bool `json:"force,omitempty" jsonschema:"even if others link to it"`
	DryRun   bool `json:"dry_run,omitempty" jsonschema:"only check"`
}

func (in DeletePageIn) check() error { return checkPageName("page_name", in.PageName) }

// DeletePageOut is the answer of delete_page.
type DeletePageOut struct {
	PageName  string `json:"page_name" jsonschema:"its name"`
	UUID      UUID   `json:"uuid" jsonschema:"its uuid"`
	Recycled  bool   `json:"recycled,omitempty" jsonschema:"it is in Logseq's recycle bin and keeps its name until the user empties that"`
	Backlinks int    `json:"backlinks,omitempty" jsonschema:"blocks elsewhere that link to it"`
	Written
}

func deletePage() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[DeletePageIn, DeletePageOut]{
		Name: "delete_page", Title: "Delete a page", Effect: tools.Deletes,
		Selects: []string{"page_name"},
		Doc: "Deletes a page with all its blocks; a DB graph recycles it.\n" +
			"One that others link to is refused unless force is set.",
		Examples: []tools.Example[DeletePageIn, DeletePageOut]{
			{Purpose: "see what deleting would break", In: DeletePageIn{PageName: "Garden", Force: true, DryRun: true}, AnyAnswer: true},
			{Purpose: "delete a page that nothing links to", In: DeletePageIn{PageName: "Compost"}, AnyAnswer: true},
		},
	}, (*Graph).DeletePage, "pages.delete")
}

// DeletePage implements delete_page.
func (g *Graph) DeletePage(ctx context.Context, c tools.CallContext, in DeletePageIn) (DeletePageOut, error) {
	p, err := g.writablePage(ctx, in.PageName)
	if err != nil {
		return DeletePageOut{}, err
	}
	if err := checkNotInRule(g.privacy, p.Name); err != nil {
		return DeletePageOut{}, err
	}
	if err := g.checkWholePage(ctx, p); err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{PageName: p.Name, UUID: p.UUID}
	warnings, err := g.checkBacklinks(ctx, p, in.Force, &out)
	if err != nil {
		return out, err
	}
	if in.DryRun {
		out.Written = dryRunResult(warnings...)
		return out, nil
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method: "pages.delete", params: pageArg{string(p.UUID)}, details: writeDetails{UUID: p.UUID, Page: p.Name},
		verify: func(ctx context.Context) (verification, error) {
			now, err := g.page(ctx, string(p.UUID))
			if err == nil && now.Recycled {
				out.Recycled = true
				return applied, nil
			}
			return verifyGone(err)
		},
	}, planDelete(target{pageTarget, p.Name}))
	out.Warnings = append(warnings, out.Warnings...)
	return out, err
}

// checkBacklinks counts the links that a deletion would break. Without force
// there must be none.
func (g *Graph) checkBacklinks(ctx context.Context, p wirePage, force bool, out *DeletePageOut) (warnings []string, err error) {
	if !g.hasCapability("backlinks") {
		return []string{"This Logseq cannot tell what links to the page."}, nil
	}
	_, total, err := g.backlinks(ctx, p, 0, 1)
	if err != nil || total == 0 {
		return nil, err
	}
	out.Backlinks = total
	if !force {
		return nil, tools.Errorf(tools.Conflict, "%d blocks link to the page", total).
			WithHint("Set force to delete the page anyway.").
			WithData(map[string]any{"uuid": p.UUID, "page_name": p.Name, "backlinks": total})
	}
	return []string{fmt.Sprintf("%d blocks link to the page.", total)}, nil
}
