package markdown

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/vault"
)

// maxAnswer is how many bytes a list or a tree answers at most, roughly; an
// agent's context is small.
const maxAnswer = 96 << 10

// Depth is how many levels of pages are listed: 1 to 50, 1 when omitted.
type Depth int

// JSONSchema implements tools.Typed.
func (Depth) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(50.0), Default: []byte("1")}
}

// A listedNode is a node with what its page's head says, in the sidebar's order.
type listedNode struct {
	node     *node
	page     *page // nil for a folder without a page
	children []*listedNode
}

func (l *listedNode) title() string {
	if l.page == nil {
		return l.node.name()
	}
	return l.page.title()
}

func (l *listedNode) icon() string {
	if l.page == nil {
		return ""
	}
	return l.page.fields.Text("icon")
}

func (l *listedNode) id() string {
	if l.page == nil {
		return ""
	}
	return l.page.id()
}

// readHeads reads the heads of the pages down to depth levels below top; depth 0
// means all.
func (n *Notebook) readHeads(ctx context.Context, top *node, depth int) (*listedNode, error) {
	root := &listedNode{node: top}
	all := []*listedNode{}
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
	err := parallel(ctx, len(all), func(i int) {
		if file := all[i].node.page; file != "" {
			all[i].page = n.head(file)
			all[i].page.text, all[i].page.data = "", nil // only the fields are of use
		}
	})
	if err != nil {
		return nil, err
	}
	root.sort()
	return root, nil
}

// sort orders siblings as a sidebar does: by position where pages have one,
// then by title.
func (l *listedNode) sort() {
	slices.SortStableFunc(l.children, func(a, b *listedNode) int {
		pa, hasA := sidebarPosition(a)
		pb, hasB := sidebarPosition(b)
		switch {
		case hasA != hasB && hasA:
			return -1
		case hasA != hasB:
			return 1
		case pa != pb:
			return cmp.Compare(pa, pb)
		}
		return cmp.Or(cmp.Compare(vault.Fold(a.title()), vault.Fold(b.title())), cmp.Compare(a.node.path(), b.node.path()))
	})
	for _, c := range l.children {
		c.sort()
	}
}

func sidebarPosition(l *listedNode) (float64, bool) {
	if l.page == nil {
		return 0, false
	}
	return l.page.position()
}

// skippedNote is a note on folders that could not be read, empty if there are none.
func skippedNote(o *outline) string {
	if o.skipped == 0 {
		return ""
	}
	return fmt.Sprintf("%d folders could not be read and are left out. ", o.skipped)
}
