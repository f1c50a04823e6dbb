package cards

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// Limit is the maximum number of entries in a list: 1 to 100, 50 when omitted.
type Limit int

// JSONSchema implements [tools.SchemaProvider].
func (Limit) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(float64(pageSize)), Default: []byte("50")}
}

// Depth is a number of levels: 1 to 20, 1 when omitted.
type Depth int

// JSONSchema implements [tools.SchemaProvider].
func (Depth) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(float64(deepest)), Default: []byte("1")}
}

// ListChildrenIn are the arguments of list_children.
type ListChildrenIn struct {
	Name   string       `json:"name" jsonschema:"parent"`
	Depth  Depth        `json:"depth,omitempty" jsonschema:"levels below it"`
	Limit  Limit        `json:"limit,omitempty" jsonschema:"at most"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"to skip"`
}

// ChildInfo is a card below another.
type ChildInfo struct {
	Name      string `json:"name" jsonschema:"name"`
	Type      string `json:"type" jsonschema:"type"`
	ID        string `json:"id" jsonschema:"its number after ~"`
	Level     int    `json:"level" jsonschema:"1: a child, 2: a child of one"`
	Length    int    `json:"length" jsonschema:"characters of its text"`
	UpdatedAt string `json:"updated_at,omitempty" jsonschema:"last change"`
}

// ListChildrenOut is the answer of list_children.
type ListChildrenOut struct {
	Parent     string      `json:"parent" jsonschema:"name of the parent"`
	Children   []ChildInfo `json:"children" jsonschema:"level by level, by name"`
	ChildCount int         `json:"child_count" jsonschema:"of all levels asked for"`
	Depth      int         `json:"depth" jsonschema:"levels asked for"`
	NextOffset int         `json:"next_offset,omitempty" jsonschema:"there are more: call again with it as offset"`
	Note       string      `json:"note,omitempty" jsonschema:"what is left out"`
}

func listChildren() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[ListChildrenIn, ListChildrenOut]{
		Name: "list_children", Title: "List children", Effect: tools.Reads,
		Selects: []string{"name"},
		Doc:     "Lists the cards below a card.\nA child of A is named A+B.",
		Errors:  []tools.Code{tools.NotFound},
		Redact: func(out ListChildrenOut, covered func(string) bool) ListChildrenOut {
			shown := len(out.Children)
			out.Children = slices.DeleteFunc(out.Children, func(c ChildInfo) bool { return covered(c.Name) })
			out.ChildCount, out.Note = redacted(out.ChildCount, shown-len(out.Children), out.Note)
			return out
		},
		Examples: []tools.Example[ListChildrenIn, ListChildrenOut]{{
			Purpose: "see what a card consists of", In: ListChildrenIn{Name: "Harbour", Depth: 2}, AnyAnswer: true,
			Want: ListChildrenOut{
				Parent: "Harbour", Depth: 2, ChildCount: 1,
				Children: []ChildInfo{{Name: "Harbour+tags", Type: "Pointer", ID: "~7", Level: 1, Length: 12}},
			},
		}},
	}, (*Wiki).ListChildren), func(_ *Wiki, _ context.Context, in ListChildrenIn) ([]string, error) { return []string{in.Name}, nil })
}

// redacted counts what policy leaves out.
func redacted(total, left int, note string) (count int, newNote string) {
	if left == 0 {
		return total, note
	}
	return total - left, note + fmt.Sprintf("%d cards are left out, because the user's policy does not let you read them. ", left)
}

// ListChildren implements list_children.
func (w *Wiki) ListChildren(ctx context.Context, c tools.CallContext, in ListChildrenIn) (ListChildrenOut, error) {
	parent, err := w.get(ctx, c, in.Name)
	if err != nil {
		return ListChildrenOut{}, err
	}
	depth, limit, offset := max(1, int(in.Depth)), int(in.Limit), int(in.Offset)
	var cards []card
	var total int
	if w.privacy.Any() {
		all, err := w.as(c).below(ctx, parent.Name, depth)
		if err != nil {
			return ListChildrenOut{}, err
		}
		if all, err = w.visible(ctx, all); err != nil {
			return ListChildrenOut{}, err
		}
		cards, total = slicePage(all, limit, offset), len(all)
	} else {
		page, err := w.as(c).children(ctx, parent.Name, depth, limit, offset)
		if err != nil {
			return ListChildrenOut{}, err
		}
		cards, total = page.Children, page.Count
	}
	out := ListChildrenOut{
		Parent: parent.Name, Children: []ChildInfo{}, ChildCount: total, Depth: depth, NextOffset: nextOffset(offset, len(cards), total),
	}
	above := strings.Count(parent.Name, cardname.Joint)
	for _, k := range cards {
		out.Children = append(out.Children, ChildInfo{
			k.Name, k.Type, k.id(), strings.Count(k.Name, cardname.Joint) - above, k.length(),
			k.UpdatedAt,
		})
	}
	return out, nil
}

func slicePage(all []card, limit, offset int) []card {
	from := min(offset, len(all))
	return all[from:min(from+limit, len(all))]
}

// nextOffset is where the next page begins; 0: there is none.
func nextOffset(offset, shown, total int) int {
	if shown == 0 || offset+shown >= total {
		return 0
	}
	return offset + shown
}
