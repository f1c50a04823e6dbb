package markdown

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// ListPagesIn are the arguments of list_pages.
type ListPagesIn struct {
	Path           string       `json:"path,omitempty" jsonschema:"page or folder; the root when omitted"`
	Depth          Depth        `json:"depth,omitempty" jsonschema:"levels to list"`
	IncludeContent bool         `json:"includeContent,omitempty" jsonschema:"also the pages' text"`
	Limit          tools.Limit  `json:"limit,omitempty" jsonschema:"maximum number of pages"`
	Offset         tools.Offset `json:"offset,omitempty" jsonschema:"pages to skip"`
}

// ListPagesOut is the answer of list_pages.
type ListPagesOut struct {
	Pages     []ListedPage `json:"pages" jsonschema:"each page before its children"`
	Total     int          `json:"total" jsonschema:"total pages"`
	Truncated bool         `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string       `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

// ListedPage is a page, or a folder without a page of its own.
type ListedPage struct {
	Path        string `json:"path" jsonschema:"file of the page; a folder has no .md"`
	Title       string `json:"title" jsonschema:"title"`
	Icon        string `json:"icon" jsonschema:"icon, empty if none"`
	HasChildren bool   `json:"hasChildren" jsonschema:"whether pages are below it"`
	PageID      string `json:"pageId" jsonschema:"stable id, empty for a folder without a page"`
	Content     string `json:"content,omitempty" jsonschema:"text, with includeContent"`
}

func listPages() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[ListPagesIn, ListPagesOut]{
		Name: "list_pages", Title: "List pages", Effect: tools.Reads,
		Normalize: aliases("path", "limit"),
		Doc:       "Lists the pages below a page or folder, one level deep by default.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[ListPagesIn, ListPagesOut]{{
			Purpose: "see the children of a page", In: ListPagesIn{Path: "Projects", Depth: 2, Limit: 50}, AnyAnswer: true,
			Want: ListPagesOut{Pages: []ListedPage{{Path: "Projects/Alpha.md", Title: "Alpha", PageID: "a1"}}, Total: 1},
		}},
	}, (*Notebook).ListPages)
}

// ListPages implements list_pages.
func (n *Notebook) ListPages(ctx context.Context, in ListPagesIn) (ListPagesOut, error) {
	now, top, err := lookAt(ctx, n, in.Path)
	if err != nil {
		return ListPagesOut{}, err
	}
	excluded := excludedPages(n, now.outline, top.place)
	root, err := now.heads(ctx, n, top.without(excluded), int(in.Depth))
	if err != nil {
		return ListPagesOut{}, err
	}
	var flat []*listedNode
	var flatten func(*listedNode)
	flatten = func(l *listedNode) {
		for _, c := range l.children {
			flat = append(flat, c)
			flatten(c)
		}
	}
	flatten(root)
	out := ListPagesOut{
		Total: len(flat),
		Note: skippedNote(now.outline) + ignoredNote(now.outline, top.place) + orgNote(n, now.outline, top.place) +
			excludedNote(excluded, top.place),
	}
	from := min(int(in.Offset), len(flat))
	size := 0
	for _, l := range flat[from:] {
		p := n.listedPage(l, in.IncludeContent)
		size += len(p.Path) + len(p.Title) + len(p.Content) + 120
		if len(out.Pages) == int(in.Limit) || size > maxAnswer && len(out.Pages) > 0 {
			break
		}
		if len(p.Content) > maxAnswer {
			p.Content = safetext.Truncate(p.Content, maxAnswer)
			out.Note += fmt.Sprintf("The text of %s is cut; use read_page. ", p.Path)
			out.Truncated = true
		}
		out.Pages = append(out.Pages, p)
	}
	if next := from + len(out.Pages); next < len(flat) {
		out.Truncated = true
		out.Note += fmt.Sprintf("%d more pages: call again with offset %d.", len(flat)-next, next)
	}
	return out, nil
}

func (n *Notebook) listedPage(l *listedNode, content bool) ListedPage {
	p := ListedPage{Path: l.node.path(), Title: l.title, Icon: l.icon, HasChildren: len(l.node.children) > 0, PageID: l.id}
	if content && l.node.page != "" {
		if full, err := n.read(l.node.page); err == nil {
			p.Content = full.text
		}
	}
	return p
}

// findNode finds the node at a path, and returns it with its outline, for a write.
func (n *Notebook) findNode(ctx context.Context, path string) (*outline, *node, error) {
	now, top, err := lookAt(ctx, n, path)
	if err != nil {
		return nil, nil, err
	}
	return now.outline, top, nil
}

// lookAt is findNode for a read.
func lookAt(ctx context.Context, n *Notebook, path string) (*comparison, *node, error) {
	if err := checkPlace(n, path); err != nil {
		return nil, nil, err
	}
	now, err := n.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	top, ok := now.outline.find(path)
	if !ok {
		return nil, nil, explainMissing(ctx, n, path, notFoundError(path))
	}
	return now, top, nil
}

func checkPlace(n *Notebook, path string) error {
	if place := argumentPlace(path); place != "" {
		if err := folder.CheckName(place); err != nil {
			return n.toolError(path, err)
		}
	}
	return nil
}
