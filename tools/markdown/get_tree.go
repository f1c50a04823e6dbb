package markdown

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// GetTreeIn are the arguments of get_tree.
type GetTreeIn struct {
	IncludeMetadata bool   `json:"includeMetadata,omitempty" jsonschema:"also each page's other front matter"`
	Path            string `json:"path,omitempty" jsonschema:"only pages below this page or folder"`
	Depth           Levels `json:"depth,omitempty" jsonschema:"number of levels; all when omitted"`
}

// Levels is a number of levels: 1 to 50.
type Levels int

// JSONSchema implements [tools.SchemaProvider].
func (Levels) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(50.0)}
}

// GetTreeOut is the answer of get_tree.
type GetTreeOut struct {
	Tree      Branches `json:"tree" jsonschema:"pages in sidebar order, each with its children"`
	Total     int      `json:"total" jsonschema:"total pages"`
	Truncated bool     `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string   `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

// A Branch is a page with the pages below it.
type Branch struct {
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Icon        string         `json:"icon,omitempty"`
	HasChildren bool           `json:"hasChildren"`
	PageID      string         `json:"pageId"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Children    Branches       `json:"children,omitempty"`
}

// Branches are sibling pages.
type Branches []Branch

// JSONSchema implements [tools.SchemaProvider]: the tree is recursive, which inference
// does not know.
func (Branches) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{
		Type:        "object",
		Description: "path, title, icon, hasChildren, pageId, metadata, and children, a list of the same kind",
	}}
}

func getTree() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[GetTreeIn, GetTreeOut]{
		Name: "get_tree", Title: "Tree of pages", Effect: tools.Reads,
		Doc: "Returns the whole hierarchy of pages as a tree, in sidebar order.\n" +
			"If the tree is too large its deepest levels are left out; ask for them by path.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetTreeIn, GetTreeOut]{{
			Purpose: "get an overview", In: GetTreeIn{}, AnyAnswer: true,
			Want: GetTreeOut{Tree: Branches{{
				Path: "Projects/_index.md", Title: "Projects", HasChildren: true, PageID: "p1",
				Children: Branches{{Path: "Projects/Alpha.md", Title: "Alpha", PageID: "a1"}},
			}}, Total: 2},
		}},
	}, (*Notebook).GetTree)
}

// GetTree implements get_tree.
func (n *Notebook) GetTree(ctx context.Context, in GetTreeIn) (GetTreeOut, error) {
	now, top, err := lookAt(ctx, n, in.Path)
	if err != nil {
		return GetTreeOut{}, err
	}
	excluded := excludedPages(n, now.outline, top.place)
	top = top.without(excluded)
	heads := now.heads
	if in.IncludeMetadata {
		heads = readHeads
	}
	root, err := heads(ctx, n, top, int(in.Depth))
	if err != nil {
		return GetTreeOut{}, err
	}
	out := GetTreeOut{Note: skippedNote(now.outline) + ignoredNote(now.outline, top.place) + excludedNote(excluded, top.place)}
	for _, c := range top.children {
		c.pages(func(*node) { out.Total++ })
	}
	levels := root.levels(in.IncludeMetadata)
	depth, size := 0, 0
	for depth < len(levels) && (depth == 0 || size+levels[depth] <= maxAnswer) {
		size += levels[depth]
		depth++
	}
	out.Tree = root.branches(depth, in.IncludeMetadata)
	if depth < len(levels) {
		out.Truncated = true
		out.Note += fmt.Sprintf("Cut to the first %d of %d levels: ask for a page with hasChildren by path. ", depth, len(levels))
	}
	if size > maxAnswer { // the first level is too large by itself
		kept, used := 0, 0
		for kept < len(out.Tree) && used <= maxAnswer {
			used += out.Tree[kept].size()
			kept++
		}
		out.Truncated = true
		out.Note += fmt.Sprintf("Cut to %d of %d pages of the first level: use list_pages with offset. ", kept, len(out.Tree))
		out.Tree = out.Tree[:kept]
	}
	return out, nil
}

// levels is roughly the number of bytes in each level of the tree.
func (l *listedNode) levels(metadata bool) []int {
	var sizes []int
	for level := l.children; len(level) > 0; {
		size := 0
		var next []*listedNode
		for _, c := range level {
			b := c.branch(metadata)
			size += b.size()
			next = append(next, c.children...)
		}
		sizes, level = append(sizes, size), next
	}
	return sizes
}

func (l *listedNode) branches(depth int, metadata bool) Branches {
	var out Branches
	for _, c := range l.children {
		b := c.branch(metadata)
		if depth > 1 {
			b.Children = c.branches(depth-1, metadata)
		}
		out = append(out, b)
	}
	return out
}

// branch is the node without its children.
func (l *listedNode) branch(metadata bool) Branch {
	b := Branch{Path: l.node.path(), Title: l.title, Icon: l.icon, HasChildren: len(l.node.children) > 0, PageID: l.id}
	if metadata && l.fields != nil {
		b.Metadata = maps.Clone(l.fields)
		for _, shown := range []string{"id", "title", "icon"} {
			delete(b.Metadata, shown)
		}
	}
	return b
}

// size is roughly the number of bytes in the branch without its children.
func (b Branch) size() int {
	size := len(b.Path) + len(b.Title) + len(b.Icon) + len(b.PageID) + 80
	if len(b.Metadata) > 0 {
		if j, err := json.Marshal(b.Metadata); err == nil {
			size += len(j)
		}
	}
	return size
}
