package markdown

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the notebook on the panel.
func pages() *tools.Pages[*Notebook] {
	return &tools.Pages[*Notebook]{List: tools.AllPages((*Notebook).listAllPages), Read: (*Notebook).pageText}
}

// listAllPages lists the files of all pages, ordered by path.
func (n *Notebook) listAllPages(ctx context.Context) ([]tools.PageInfo, error) {
	o, err := n.outline(ctx)
	if err != nil {
		return nil, err
	}
	files := o.pageFiles()
	all := make([]tools.PageInfo, len(files))
	err = folder.ForEach(ctx, len(files), func(i int) {
		size, modified := n.view.Stat(files[i])
		all[i] = tools.PageInfo{Name: files[i], Size: size, Modified: modified}
	})
	return all, err
}

func (n *Notebook) pageText(_ context.Context, name string) (tools.PageText, error) {
	file, err := n.find(name)
	if err != nil {
		return tools.PageText{}, err
	}
	p, err := n.read(file)
	if err != nil {
		return tools.PageText{}, err
	}
	return tools.PageText{Text: p.text, MIME: "text/markdown"}, nil
}

// searchHits converts the matches of a search.
func searchHits(out SearchPagesOut) []tools.Hit {
	found := make([]tools.Hit, 0, len(out.Matches))
	for _, m := range out.Matches {
		found = append(found, tools.Hit{Page: m.Path, Line: m.MatchLine, Text: m.MatchContext})
	}
	return found
}
