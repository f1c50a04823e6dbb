package logseq

import (
	"context"
	"math"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the graph on the panel.
func pages() *tools.Pages[*Graph] {
	return &tools.Pages[*Graph]{List: tools.AllPages((*Graph).listAllPages), Read: (*Graph).pageText}
}

// listAllPages lists the pages that people made, journals included, ordered by
// name. Logseq does not report their size.
func (g *Graph) listAllPages(ctx context.Context) ([]tools.PageInfo, error) {
	if err := g.requireCapability("pages.list"); err != nil {
		return nil, err
	}
	ask := func(of listArg) ([]wirePage, int, error) { return g.visiblePages(ctx, true, of) }
	var found []wirePage
	var err error
	if g.hidesAnything() { // one call, because each filters the whole list
		found, _, err = ask(listArg{0, math.MaxInt32})
	} else {
		found, err = readAll(ask)
	}
	if err != nil {
		return nil, err
	}
	all := make([]tools.PageInfo, 0, len(found))
	for _, p := range found {
		info := tools.PageInfo{Name: p.Name}
		if p.UpdatedAt > 0 {
			info.Modified = time.UnixMilli(p.UpdatedAt)
		}
		all = append(all, info)
	}
	return all, nil
}

func (g *Graph) pageText(ctx context.Context, name string) (tools.PageText, error) {
	text, err := g.readOutline(ctx, name)
	return tools.PageText{Text: text, MIME: "text/markdown"}, err
}

// searchHits converts the results of a search: pages by name, then blocks.
func searchHits(out SearchOut) []tools.Hit {
	var found []tools.Hit
	for _, p := range out.Pages {
		found = append(found, tools.Hit{Page: p.Name, Text: p.Name})
	}
	for _, b := range out.Blocks {
		found = append(found, tools.Hit{Page: b.PageName, Text: b.Content})
	}
	for _, f := range out.Files {
		found = append(found, tools.Hit{Text: f})
	}
	return found
}
