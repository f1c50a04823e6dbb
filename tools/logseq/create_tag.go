package logseq

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// CreateTagIn are the arguments of create_tag.
type CreateTagIn struct {
	Name       Name     `json:"name" jsonschema:"name of the tag"`
	Parents    TagNames `json:"extends,omitempty" jsonschema:"tags that it extends"`
	Properties TagNames `json:"properties,omitempty" jsonschema:"properties that what has the tag is given, by name"`
	DryRun     bool     `json:"dry_run,omitempty" jsonschema:"only check"`
}

// TagWritten is the answer of create_tag.
type TagWritten struct {
	Name    string `json:"name" jsonschema:"its name"`
	UUID    UUID   `json:"uuid,omitempty" jsonschema:"its uuid"`
	Existed bool   `json:"existed,omitempty" jsonschema:"it was there, and was extended"`
	Written
}

func (in CreateTagIn) check() error {
	if strings.Contains(string(in.Name), "/") {
		return tools.Errorf(tools.Invalid, "name: the name of a tag has no slash")
	}
	return checkNewPageName("name", in.Name)
}

func createTag() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[CreateTagIn, TagWritten]{
		Name: "create_tag", Title: "Create a tag", Effect: tools.Writes, OptIn: true,
		Selects: []string{"name"},
		Doc:     "Creates a tag of a DB graph, or extends one that exists.\nNeeds tags.create.",
		Examples: []tools.Example[CreateTagIn, TagWritten]{
			{Purpose: "create a tag", In: CreateTagIn{Name: "Plant"}, AnyAnswer: true},
		},
	}, writesGraph(runCreateTag), "tags.create")
}

// runCreateTag implements create_tag.
func runCreateTag(ctx context.Context, g *Graph, c tools.CallContext, in CreateTagIn) (TagWritten, error) {
	extends, err := visibleTagNames(ctx, g, in.Parents)
	if err != nil {
		return TagWritten{}, err
	}
	was, existed, err := findNamed(ctx, g, in.Name, "tag")
	if err != nil {
		return TagWritten{}, err
	}
	out := TagWritten{Name: string(in.Name), UUID: was.UUID, Existed: existed}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	planned := planUpdate(target{pageTarget, string(in.Name)})
	if existed {
		planned = planUpdate(target{pageHeadTarget, was.Name})
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method: "tags.create",
		params: struct {
			Name       Name     `json:"name"`
			Extends    []string `json:"extends,omitempty"`
			Properties TagNames `json:"properties,omitempty"`
		}{in.Name, extends, in.Properties},
		details: writeDetails{Page: string(in.Name)},
		verify: func(ctx context.Context) (verification, error) {
			now, there, err := findNamed(ctx, g, in.Name, "tag")
			out.UUID = now.UUID
			if !there {
				return notApplied, err
			}
			return applied, err
		},
	}, planned)
	return out, err
}

// findNamed returns the tag or property of a name, and whether there is one. A
// page of that name that is neither is a conflict: the two could not be told
// apart by name.
func findNamed(ctx context.Context, g *Graph, name Name, kind string) (wirePage, bool, error) {
	p, err := g.unfilteredPage(ctx, string(name))
	switch {
	case isNotFound(err):
		return wirePage{}, false, nil
	case err != nil:
		return wirePage{}, false, err
	}
	if hidden, err := g.newView().hidesPage(ctx, p); err != nil || hidden && g.hidesAnything() {
		if err == nil {
			err = hiddenError()
		}
		return wirePage{}, false, err
	}
	if p.Kind != kind || p.Recycled {
		what := p.Kind
		if p.Recycled {
			what += " in the recycle bin"
		}
		return wirePage{}, false, tools.Errorf(tools.Conflict, "%q is the name of a %s", p.Name, what).
			WithHint("Choose another name.").WithData(map[string]any{"uuid": p.UUID, "page_name": p.Name})
	}
	return p, true, nil
}

// PropertyType is a type of DB graphs.
type PropertyType string

// JSONSchema implements tools.SchemaProvider.
func (PropertyType) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "string", Enum: []any{"default", "number", "date", "datetime", "checkbox", "url", "node"}, Default: []byte(`"default"`),
	}
}

// CreatePropertyIn are the arguments of create_property.
type CreatePropertyIn struct {
	Name   Name         `json:"name" jsonschema:"name of the property"`
	Type   PropertyType `json:"type,omitempty" jsonschema:"default: text; node: a page or block"`
	Many   bool         `json:"many,omitempty" jsonschema:"it takes several values"`
	DryRun bool         `json:"dry_run,omitempty" jsonschema:"only check"`
}

// PropertyWritten is the answer of create_property.
type PropertyWritten struct {
	Name string `json:"name" jsonschema:"its name"`
	UUID UUID   `json:"uuid,omitempty" jsonschema:"its uuid"`
	Written
}

func (in CreatePropertyIn) check() error { return checkNewPageName("name", in.Name) }

func createProperty() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[CreatePropertyIn, PropertyWritten]{
		Name: "create_property", Title: "Create a property", Effect: tools.Writes, Additive: true, OptIn: true,
		Selects: []string{"name"},
		Doc:     "Creates a property of a DB graph with its type.\nNeeds properties.create. To give it to a tag use create_tag.",
		Examples: []tools.Example[CreatePropertyIn, PropertyWritten]{
			{Purpose: "create a property of dates", In: CreatePropertyIn{Name: "Sown on", Type: "date"}, AnyAnswer: true},
		},
	}, writesGraph(runCreateProperty), "properties.create")
}

// runCreateProperty implements create_property.
func runCreateProperty(ctx context.Context, g *Graph, c tools.CallContext, in CreatePropertyIn) (PropertyWritten, error) {
	was, existed, err := findNamed(ctx, g, in.Name, "property")
	if err == nil && existed {
		err = tools.Errorf(tools.Conflict, "there is a property %q already", was.Name).WithHint("Use it, or choose another name.")
	}
	out := PropertyWritten{Name: string(in.Name)}
	if err != nil || in.DryRun {
		out.Written = dryRunResult()
		return out, err
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method: "properties.create",
		params: struct {
			Name Name         `json:"name"`
			Type PropertyType `json:"type,omitempty"`
			Many bool         `json:"many,omitempty"`
		}{in.Name, in.Type, in.Many},
		details: writeDetails{Page: string(in.Name)},
		verify: func(ctx context.Context) (verification, error) {
			now, there, err := findNamed(ctx, g, in.Name, "property")
			out.UUID = now.UUID
			if !there {
				return notApplied, err
			}
			return applied, err
		},
	}, planUpdate(target{pageTarget, string(in.Name)}))
	return out, err
}
