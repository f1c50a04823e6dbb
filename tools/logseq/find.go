package logseq

import (
	"context"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// FindIn are the arguments of find.
type FindIn struct {
	Tag        string         `json:"tag,omitempty" jsonschema:"has this tag"`
	Properties PropertyFilter `json:"properties,omitempty"`
	Task       Statuses       `json:"task,omitzero" jsonschema:"task in these states; []: any"`
	Text       FindText       `json:"text,omitempty" jsonschema:"has these words"`
	Namespace  string         `json:"namespace,omitempty" jsonschema:"on or below this page"`
	From       string         `json:"from,omitempty" jsonschema:"in journals from this day"`
	To         string         `json:"to,omitempty" jsonschema:"in journals to this day"`
	Kind       FindKind       `json:"kind,omitempty"`
	Limit      tools.Limit    `json:"limit,omitempty" jsonschema:"at most"`
	Offset     tools.Offset   `json:"offset,omitempty" jsonschema:"results to skip"`
}

// PropertyFilter is what the values of properties must be, by name.
type PropertyFilter map[string]any

// JSONSchema implements tools.SchemaProvider.
func (PropertyFilter) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: `as 4, "Ada", ">=4" (> <= < != too; days), "~part" or "*"`}
}

// FindText are words; none when empty.
type FindText string

// JSONSchema implements tools.SchemaProvider.
func (FindText) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (FindText) maxLength() int { return 1000 }

// FindKind is what find lists.
type FindKind string

// JSONSchema implements tools.SchemaProvider.
func (FindKind) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"pages", "blocks"}, Description: "both when omitted"}
}

// FindOut is the answer of find.
type FindOut struct {
	Pages  Pages  `json:"pages,omitempty" jsonschema:"pages, first"`
	Blocks Blocks `json:"blocks,omitempty" jsonschema:"blocks, after all pages"`
	Total  int    `json:"total" jsonschema:"total pages and blocks"`
	Note   string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func (in FindIn) check() error {
	if in.Tag == "" && len(in.Properties) == 0 && in.Task == nil && strings.TrimSpace(string(in.Text)) == "" && in.Namespace == "" &&
		in.From == "" && in.To == "" {
		return tools.Errorf(tools.Invalid, "give at least one condition: tag, properties, task, text, namespace, from or to")
	}
	if len(in.Properties) > 20 {
		return tools.Errorf(tools.Invalid, "properties: at most 20 conditions, got %d", len(in.Properties))
	}
	for name, value := range in.Properties {
		if !isPropertyValue(value, false) || value == nil {
			return tools.Errorf(tools.Invalid, "properties: the condition on %.40q must be text, a number or a boolean", name)
		}
	}
	return nil
}

func find() tools.Tool[*Graph] {
	return define(tools.Spec[FindIn, FindOut]{
		Name: "find", Title: "Find by conditions", Effect: tools.Reads,
		Doc:    "Finds pages and blocks that meet all conditions.",
		Redact: FindOut.redact,
		Examples: []tools.Example[FindIn, FindOut]{
			{Purpose: "find what has a tag", In: FindIn{Tag: "Home", Limit: 50}, AnyAnswer: true},
			{Purpose: "find open tasks", In: FindIn{Task: Statuses{"TODO", "DOING"}, Limit: 50}, AnyAnswer: true},
			{Purpose: "compare a property", In: FindIn{Properties: PropertyFilter{"area": ">=5"}, Kind: "pages", Limit: 50}, AnyAnswer: true},
			{Purpose: "search some days of the journal", In: FindIn{From: "2026-03-01", To: "2026-03-31", Text: "snow", Limit: 50}, AnyAnswer: true},
		},
	}, readsGraph(findItems), "find")
}

// redact leaves out what is on covered pages.
func (out FindOut) redact(covered func(page string) bool) FindOut {
	shown := len(out.Blocks) + len(out.Pages)
	out.Blocks = slices.DeleteFunc(out.Blocks, func(b Block) bool { return covered(b.PageName) })
	out.Pages = slices.DeleteFunc(out.Pages, func(p Page) bool { return covered(p.Name) })
	if left := shown - len(out.Blocks) - len(out.Pages); left > 0 {
		out.Total -= left
		out.Note = appendNote(out.Note, leftOutNote(left))
	}
	return out
}

// findArg is find's request to the Peer, which decides all but the values of
// properties.
type findArg struct {
	Tag        string   `json:"tag,omitempty"`
	Properties []string `json:"properties,omitempty"`
	Task       Statuses `json:"task,omitempty"`
	Text       FindText `json:"text,omitempty"`
	Namespace  string   `json:"namespace,omitempty"`
	From       int      `json:"from,omitempty"`
	To         int      `json:"to,omitempty"`
	Kind       FindKind `json:"kind,omitempty"`
	AnyTask    bool     `json:"any_task,omitempty"`
	listArg
}

// A foundItem is a page or a block.
type foundItem struct {
	Page  *wirePage  `json:"page"`
	Block *wireBlock `json:"block"`
}

// findItems implements find.
func findItems(ctx context.Context, g *Graph, in FindIn) (FindOut, error) {
	arg, err := newFindArg(g, in)
	if err != nil {
		return FindOut{}, err
	}
	conditions, err := parseConditions(in.Properties, g.location())
	if err != nil {
		return FindOut{}, err
	}
	ask := func(of listArg) ([]foundItem, int, error) {
		var answer struct {
			Found []foundItem `json:"found"`
			Total int         `json:"total"`
		}
		arg.listArg = of
		err := g.query(ctx, "find", arg, &answer)
		return answer.Found, answer.Total, err
	}
	of := listArg{int(in.Offset), int(in.Limit)}
	var found []foundItem
	var total int
	if g.hidesAnything() || len(conditions) > 0 {
		all, err := readAll(ask)
		if err != nil {
			return FindOut{}, err
		}
		found, err = filterList(g.newView(), all, len(all), func(v *agentView, one foundItem) (foundItem, bool, error) {
			return v.matchItem(ctx, in.Tag, conditions, one)
		})
		if err != nil {
			return FindOut{}, err
		}
		total = len(found)
		found = slicePage(found, of.Offset, of.Limit)
	} else if found, total, err = ask(of); err != nil {
		return FindOut{}, err
	}
	return foundForAgent(found, int(in.Offset), total), nil
}

func newFindArg(g *Graph, in FindIn) (arg findArg, err error) {
	arg = findArg{Tag: strings.TrimPrefix(in.Tag, "#"), Text: in.Text, Namespace: in.Namespace, Kind: in.Kind}
	for name := range in.Properties {
		arg.Properties = append(arg.Properties, name)
	}
	slices.Sort(arg.Properties)
	if in.Task != nil {
		arg.Task, arg.AnyTask = in.Task, true
	}
	if in.From != "" {
		if arg.From, err = g.parseDay("from", in.From); err != nil {
			return arg, err
		}
	}
	if in.To != "" {
		arg.To, err = g.parseDay("to", in.To)
	}
	return arg, err
}

// matchItem returns an item as agents may see it, and whether it meets the
// conditions in that form: what is hidden from an agent is not compared.
func (v *agentView) matchItem(ctx context.Context, tag string, conditions []condition, one foundItem) (foundItem, bool, error) {
	var tags []string
	var properties map[string]any
	switch {
	case one.Page != nil:
		p, ok, err := *one.Page, true, error(nil)
		if v.g.hidesAnything() {
			p, ok, err = filterPage(ctx)(v, p)
		}
		if err != nil || !ok {
			return one, false, err
		}
		one.Page, tags, properties = &p, p.Tags, p.Properties
	case one.Block != nil:
		b, ok, err := *one.Block, true, error(nil)
		if v.g.hidesAnything() {
			b, ok, err = filterBlock(ctx)(v, b)
		}
		if err != nil || !ok {
			return one, false, err
		}
		one.Block, tags, properties = &b, b.Tags, b.withTaskProperties()
	default:
		return one, false, nil
	}
	if tag != "" && v.g.hidesAnything() {
		name, err := v.tagName(ctx, tag)
		if err != nil || !slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, name) }) {
			return one, false, err
		}
	}
	return one, meetsAll(conditions, properties), nil
}

// tagName returns the name of a tag that may be given by its uuid; empty if it
// is hidden.
func (v *agentView) tagName(ctx context.Context, tag string) (string, error) {
	if !uuidPattern.MatchString(tag) {
		return strings.TrimPrefix(tag, "#"), nil
	}
	name, _, err := v.visibleName(ctx, UUID(tag))
	return name, err
}

// withTaskProperties returns the properties with those that a file graph
// writes as marks in the text.
func (b wireBlock) withTaskProperties() map[string]any {
	all := foldProperties(b.Properties)
	for name, value := range map[string]string{
		"status": b.Marker, "priority": b.Priority, "scheduled": string(b.Scheduled), "deadline": string(b.Deadline),
	} {
		if value != "" && value != "null" {
			all[name] = value
		}
	}
	return all
}

// foundForAgent answers items as far as they fit.
func foundForAgent(found []foundItem, offset, total int) FindOut {
	out := FindOut{Total: total}
	size := 0
	shown := 0
	for _, one := range found {
		switch {
		case one.Page != nil:
			p := one.Page.forAgent()
			if size += p.size(); size > maxAnswer && shown > 0 {
				out.Note = moreNote(shown, offset, total)
				return out
			}
			out.Pages = append(out.Pages, p)
		case one.Block != nil:
			b := blocksForAgent([]wireBlock{*one.Block})[0]
			if size += b.size(); size > maxAnswer && shown > 0 {
				out.Note = moreNote(shown, offset, total)
				return out
			}
			out.Blocks = append(out.Blocks, b)
		}
		shown++
	}
	out.Note = moreNote(shown, offset, total)
	if total == 0 {
		out.Note = "Nothing meets all of these conditions. Leave one out, or use fewer words."
	}
	return out
}
