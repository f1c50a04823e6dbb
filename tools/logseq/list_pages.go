package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// ListPagesIn are the arguments of list_pages.
type ListPagesIn struct {
	IncludeJournals bool         `json:"include_journals,omitempty" jsonschema:"also journal pages"`
	Limit           tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset          tools.Offset `json:"offset,omitempty" jsonschema:"pages to skip"`
}

// ListPagesOut is the answer of list_pages.
type ListPagesOut struct {
	Pages Pages  `json:"pages" jsonschema:"ordered by name"`
	Total int    `json:"total" jsonschema:"total pages"`
	Note  string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listPages() tools.Tool[*Graph] {
	return define(tools.Spec[ListPagesIn, ListPagesOut]{
		Name: "list_pages", Title: "List pages", Effect: tools.Reads,
		Doc: "Lists the pages that people made.\nTo find words use search.",
		Examples: []tools.Example[ListPagesIn, ListPagesOut]{
			{Purpose: "see the first pages", In: ListPagesIn{Limit: 20}, AnyAnswer: true},
			{Purpose: "include the journal", In: ListPagesIn{IncludeJournals: true}, AnyAnswer: true},
		},
	}, (*Graph).ListPages, "pages.list")
}

// ListPages implements list_pages.
func (g *Graph) ListPages(ctx context.Context, in ListPagesIn) (ListPagesOut, error) {
	found, total, err := g.visiblePages(ctx, in.IncludeJournals, listArg{int(in.Offset), int(in.Limit)})
	if err != nil {
		return ListPagesOut{}, err
	}
	pages := fitAnswer(pagesForAgent(slicePage(found, 0, int(in.Limit))), Page.size)
	return ListPagesOut{Pages: pages, Total: max(total, len(pages)), Note: moreNote(len(pages), int(in.Offset), total)}, nil
}

func pagesForAgent(pages []wirePage) Pages {
	var out Pages
	for _, p := range pages {
		out = append(out, p.forAgent())
	}
	return out
}

// visiblePages returns a part of the pages that an agent may see, and how many
// there are.
func (g *Graph) visiblePages(ctx context.Context, journals bool, of listArg) ([]wirePage, int, error) {
	return visibleList(g, of, func(of listArg) ([]wirePage, int, error) {
		var answer struct {
			Pages []wirePage `json:"pages"`
			Total int        `json:"total"`
		}
		err := g.query(ctx, "pages.list", struct {
			Journals bool `json:"journals"`
			listArg
		}{journals, of}, &answer)
		return answer.Pages, answer.Total, err
	}, filterPage(ctx))
}
