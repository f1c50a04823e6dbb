package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// ListPagesIn are the arguments of list_pages.
type ListPagesIn struct {
	IncludeJournals bool         `json:"include_journals,omitempty" jsonschema:"also journal pages"`
	Limit           tools.Limit  `json:"limit,omitempty" jsonschema:"most pages to answer"`
	Offset          tools.Offset `json:"offset,omitempty" jsonschema:"pages to skip"`
}

// ListPagesOut is the answer of list_pages.
type ListPagesOut struct {
	Pages Pages  `json:"pages" jsonschema:"in the order of their names"`
	Total int    `json:"total" jsonschema:"pages there are"`
	Note  string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listPages() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[ListPagesIn, ListPagesOut]{
		Name: "list_pages", Title: "List pages", Effect: tools.Reads,
		Doc:    "Lists the pages that people made, without journals unless asked.\nNeeds pages.list. To find words use search.",
		Errors: commonErrors(),
		Examples: []tools.Example[ListPagesIn, ListPagesOut]{
			{Purpose: "see the first pages", In: ListPagesIn{Limit: 20}, AnyAnswer: true},
			{Purpose: "include the journal", In: ListPagesIn{IncludeJournals: true}, AnyAnswer: true},
		},
	}, (*Graph).ListPages)
}

// ListPages implements list_pages.
func (g *Graph) ListPages(ctx context.Context, in ListPagesIn) (ListPagesOut, error) {
	if err := g.requireCapability("pages.list"); err != nil {
		return ListPagesOut{}, err
	}
	found, total, err := g.visiblePages(ctx, in.IncludeJournals, listArg{int(in.Offset), int(in.Limit)})
	if err != nil {
		return ListPagesOut{}, err
	}
	pages := fitAnswer(found[:min(len(found), int(in.Limit))], func(p wirePage) int { return p.forAgent().size() })
	out := ListPagesOut{Total: max(total, len(pages)), Note: moreNote(len(pages), int(in.Offset), total)}
	for _, p := range pages {
		out.Pages = append(out.Pages, p.forAgent())
	}
	return out, nil
}

// visiblePages are a part of the pages that an agent may know, and how many there are.
func (g *Graph) visiblePages(ctx context.Context, journals bool, of listArg) ([]wirePage, int, error) {
	ask := func(of listArg) ([]wirePage, int, error) {
		var answer struct {
			Pages []wirePage `json:"pages"`
			Total int        `json:"total"`
		}
		err := g.query(ctx, "pages.list", struct {
			Journals bool `json:"journals"`
			listArg
		}{journals, of}, &answer)
		return answer.Pages, answer.Total, err
	}
	if !g.hidesAnything() {
		return ask(of)
	}
	all, err := readAll(ask)
	if err != nil {
		return nil, 0, err
	}
	v := g.newView()
	var kept []wirePage
	for _, p := range all {
		p, err := v.visiblePage(ctx, p.Name, p)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		kept = append(kept, p)
	}
	return slicePage(kept, of.Offset, of.Limit), len(kept), nil
}
