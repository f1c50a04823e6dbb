package markdown

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// maxAnswer is roughly the maximum number of bytes in a list or tree, because an
// agent's context is small.
const maxAnswer = 96 << 10

// Depth is the number of levels of pages to list: 1 to 50, 1 when omitted.
type Depth int

// JSONSchema implements [tools.SchemaProvider].
func (Depth) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(50.0), Default: []byte("1")}
}

// A listedNode is a node with the fields of its page's front matter that lists
// show. A folder without a page has only a title.
type listedNode struct {
	node        *node
	children    []*listedNode
	title       string
	icon, id    string
	position    float64
	hasPosition bool
	fields      map[string]any
}

// pathID is the function of that name for the page of a node. It looks at no other file.
func (n *node) pathID(v *folder.View) string {
	if n.place == n.page { // there is Title/_index.md as well
		return idOfPlace(n.page)
	}
	return placeID(v, n.page)
}

func (l *listedNode) readHead(n *Notebook) {
	l.title = l.node.name()
	if l.node.page == "" {
		return
	}
	p := n.head(l.node.page)
	l.title, l.icon, l.id, l.fields = p.title(), p.fields.Text("icon"), idOf(n.view, p), p.fields.Values
	l.position, l.hasPosition = p.position()
}

// readHeads reads the heads of the pages below top, depth levels down; depth 0
// means all.
func readHeads(ctx context.Context, n *Notebook, top *node, depth int) (*listedNode, error) {
	root, all := listNodes(top, depth)
	if err := folder.ForEach(ctx, len(all), func(i int) { all[i].readHead(n) }); err != nil {
		return nil, err
	}
	root.sort()
	return root, nil
}

// maxNamedHeads is how many heads are looked up by the names of their files; more
// are read with all that stand below the same folder.
const maxNamedHeads = 500

// heads is readHeads without the fields of the pages, from the index if it is up to
// date.
func (c *comparison) heads(ctx context.Context, n *Notebook, top *node, depth int) (*listedNode, error) {
	if c.x == nil {
		return readHeads(ctx, n, top, depth)
	}
	root, all := listNodes(top, depth)
	pages := map[string]*listedNode{}
	for _, l := range all {
		l.title = l.node.name()
		if l.node.page != "" {
			pages[l.node.page] = l
		}
	}
	read := func(visit func(file, title string, head index.Head)) error {
		below := ""
		if top.place != "" {
			below = top.place + "/"
		}
		return c.x.Heads(ctx, below, visit)
	}
	if len(pages) <= maxNamedHeads {
		files := slices.Collect(maps.Keys(pages))
		read = func(visit func(file, title string, head index.Head)) error { return c.x.HeadsOf(ctx, files, visit) }
	}
	err := read(func(file, title string, head index.Head) {
		l, ok := pages[file]
		if !ok {
			return
		}
		if l.title, l.icon, l.id = title, head.Icon, head.ID; l.id == "" {
			l.id = l.node.pathID(n.view)
		}
		if head.Position != nil {
			l.position, l.hasPosition = *head.Position, true
		}
		delete(pages, file)
	})
	if err == nil && len(pages) == 0 {
		root.sort()
		return root, nil
	}
	if err != nil && ctx.Err() == nil {
		n.index.drop(err)
	}
	return readHeads(ctx, n, top, depth)
}

// listNodes lists the nodes below top, depth levels down; depth 0 means all.
func listNodes(top *node, depth int) (root *listedNode, all []*listedNode) {
	root = &listedNode{node: top}
	level := []*listedNode{root}
	for d := 0; len(level) > 0 && (depth == 0 || d < depth); d++ {
		var next []*listedNode
		for _, l := range level {
			for _, c := range l.node.children {
				child := &listedNode{node: c}
				l.children = append(l.children, child)
				next = append(next, child)
			}
		}
		all = append(all, next...)
		level = next
	}
	return root, all
}

// sort orders siblings as a sidebar does: pages with a position first, by
// position, then the others by title.
func (l *listedNode) sort() {
	slices.SortStableFunc(l.children, func(a, b *listedNode) int {
		if a.hasPosition != b.hasPosition {
			if a.hasPosition {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(folder.FoldName(a.title), folder.FoldName(b.title)),
			cmp.Compare(a.node.path(), b.node.path()))
	})
	for _, c := range l.children {
		c.sort()
	}
}

// skippedNote reports what could not be read, or named; it is empty if there is
// nothing.
func skippedNote(o *outline) (note string) {
	if len(o.skipped) > 0 {
		note = fmt.Sprintf("%d folders could not be read and are missing: %s. ", len(o.skipped), firstNames(o.skipped))
	}
	if o.unnamed > 0 {
		note += fmt.Sprintf("%d files or folders have names that no path can have, and are missing; the user sees them with `lectern doctor`. ",
			o.unnamed)
	}
	return note
}

// ignoredNote names what is left out below a place because it belongs to other
// programs; it is empty if there is nothing.
func ignoredNote(o *outline, place string) string {
	var left []string
	for _, name := range o.ignored {
		if place == "" || strings.HasPrefix(name, place+"/") {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("Left out as files of other programs: %s. ", firstNames(left))
}

// orgPages are the pages of a graph of Logseq, below a place, that are in Org.
func orgPages(n *Notebook, o *outline, place string) (found []string) {
	if n.graph == nil {
		return nil
	}
	for _, file := range o.files {
		in := strings.HasPrefix(file, n.graph.Pages+"/") || strings.HasPrefix(file, n.graph.Journals+"/")
		if in && strings.EqualFold(path.Ext(file), ".org") && (place == "" || strings.HasPrefix(file, place+"/")) {
			found = append(found, file)
		}
	}
	return found
}

// orgNote names the pages in Org, which no tool of this source reads; it is empty if
// there are none.
func orgNote(n *Notebook, o *outline, place string) string {
	found := orgPages(n, o, place)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%d pages of the graph are in Org, which a source of kind org reads and this one does not: %s. ", len(found),
		firstNames(found))
}

// firstNames are the first few of names, quoted, and how many more there are.
func firstNames(names []string) string {
	const most = 5
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if more := len(names) - most; more > 0 {
		quoted = append(quoted, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(quoted, ", ")
}
