package markdown

import (
	"context"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the notebook on the panel.
func pages() *tools.Pages[*Notebook] {
	return &tools.Pages[*Notebook]{
		List: tools.AllPages((*Notebook).listAllPages), Read: (*Notebook).pageText,
		Links: func(n *Notebook, ctx context.Context, name string) (tools.PageLinks, error) {
			return pageLinksForPerson(ctx, n, name)
		},
		File: func(n *Notebook, _ context.Context, name string) (string, error) { return pageFile(n, name) },
	}
}

// pageFile is where the file of a page is.
func pageFile(n *Notebook, name string) (string, error) {
	file, err := n.find(name)
	if err != nil {
		return "", err
	}
	if _, err := n.read(file); err != nil { // a page that is hidden is not there
		return "", err
	}
	return filepath.Join(n.view.Path(), filepath.FromSlash(file)), nil
}

// pageLinksForPerson are the links of a page as a person follows them.
func pageLinksForPerson(ctx context.Context, n *Notebook, name string) (all tools.PageLinks, err error) {
	file, err := n.find(name)
	if err != nil {
		return all, err
	}
	p, err := n.read(file)
	if err != nil {
		return all, err
	}
	now, err := n.look(ctx)
	if err != nil {
		return all, err
	}
	out, in, err := now.linksOf(ctx, n, p)
	for _, l := range out {
		link := tools.PageLink{Page: l.Path, Line: l.Line}
		if l.Status != "ok" {
			link = tools.PageLink{Text: l.Title + " (" + l.Status + ")", Line: l.Line}
		}
		all.Out = append(all.Out, link)
	}
	for _, l := range in {
		all.In = append(all.In, tools.PageLink{Page: l.Path, Line: l.Line})
	}
	return all, err
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
