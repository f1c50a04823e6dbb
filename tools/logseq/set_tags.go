package logseq

import (
	"context"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// TagNames are names or uuids of tags.
type TagNames []string

// JSONSchema implements tools.SchemaProvider.
func (TagNames) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
}

func (TagNames) maxLength() int { return 50 }

// SetTagsIn are the arguments of set_tags.
type SetTagsIn struct {
	PageName  Name     `json:"page_name,omitempty" jsonschema:"page, by name or uuid"`
	BlockUUID UUID     `json:"block_uuid,omitempty" jsonschema:"or a block"`
	Add       TagNames `json:"add,omitempty" jsonschema:"tags to put on it; create_tag creates them"`
	Remove    TagNames `json:"remove,omitempty" jsonschema:"tags to take off"`
	DryRun    bool     `json:"dry_run,omitempty" jsonschema:"only check"`
}

// TagsWritten is the answer of set_tags.
type TagsWritten struct {
	UUID     UUID     `json:"uuid" jsonschema:"the page or block"`
	PageName string   `json:"page_name" jsonschema:"the page, or the page of the block"`
	Tags     []string `json:"tags" jsonschema:"its tags now"`
	Written
}

func (in SetTagsIn) check() error {
	switch {
	case (in.PageName == "") == (in.BlockUUID == ""):
		return tools.Errorf(tools.Invalid, "give page_name or block_uuid")
	case len(in.Add)+len(in.Remove) == 0:
		return tools.Errorf(tools.Invalid, "give add or remove")
	case in.PageName != "":
		return checkPageName("page_name", in.PageName)
	}
	return in.BlockUUID.check("block_uuid")
}

func setTags() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[SetTagsIn, TagsWritten]{
		Name: "set_tags", Title: "Set tags", Effect: tools.Writes, OptIn: true,
		Selects: []string{"page_name", "block_uuid"},
		Doc:     "Puts tags on a page or block of a DB graph, or takes them off.\nNeeds tags.set. On a file graph tags are text: write #tag.",
		Examples: []tools.Example[SetTagsIn, TagsWritten]{
			{Purpose: "tag a page", In: SetTagsIn{PageName: "Compost", Add: TagNames{"Home"}}, AnyAnswer: true},
		},
	}, writesGraph(runSetTags), "tags.set")
}

// A taggable is a page or a block, as far as its tags go.
type taggable struct {
	uuid   UUID
	page   string
	tags   []string
	target target
}

func findTaggable(ctx context.Context, g *Graph, in SetTagsIn) (taggable, error) {
	if in.PageName != "" {
		p, err := g.writablePage(ctx, in.PageName)
		return taggable{p.UUID, p.Name, p.Tags, target{pageHeadTarget, p.Name}}, err
	}
	b, err := g.block(ctx, in.BlockUUID, 0)
	return taggable{b.UUID, b.Page.Name, b.Tags, target{blockTarget, string(b.UUID)}}, err
}

// runSetTags implements set_tags.
func runSetTags(ctx context.Context, g *Graph, c tools.CallContext, in SetTagsIn) (TagsWritten, error) {
	was, err := findTaggable(ctx, g, in)
	if err != nil {
		return TagsWritten{}, err
	}
	out := TagsWritten{UUID: was.uuid, PageName: was.page, Tags: was.tags}
	add, err := visibleTagNames(ctx, g, in.Add)
	if err != nil {
		return out, err
	}
	remove, err := visibleTagNames(ctx, g, in.Remove)
	if err != nil || in.DryRun {
		out.Written = dryRunResult()
		return out, err
	}
	out.Written, err = g.change(ctx, c, writeRequest{
		method: "tags.set",
		params: struct {
			UUID   UUID     `json:"uuid"`
			Add    []string `json:"add"`
			Remove []string `json:"remove"`
		}{was.uuid, add, remove},
		details: writeDetails{UUID: was.uuid, Page: was.page},
		verify: func(ctx context.Context) (verification, error) {
			now, err := findTaggable(ctx, g, in)
			if err != nil {
				return notApplied, err
			}
			out.Tags = now.tags
			has := func(name string) bool {
				return slices.ContainsFunc(now.tags, func(t string) bool { return strings.EqualFold(t, name) })
			}
			switch {
			case !slices.ContainsFunc(add, func(n string) bool { return !has(n) }) && !slices.ContainsFunc(remove, has):
				return applied, nil
			case slices.Equal(slices.Sorted(slices.Values(now.tags)), slices.Sorted(slices.Values(was.tags))):
				return notApplied, nil
			}
			return appliedDifferently, nil
		},
	}, planUpdate(was.target))
	return out, err
}

// visibleTagNames returns the names of tags that may be given by uuid. A hidden
// tag is not found, and one that would hide what it is put on is refused.
func visibleTagNames(ctx context.Context, g *Graph, tags TagNames) ([]string, error) {
	var names []string
	for _, tag := range tags {
		name := strings.TrimPrefix(strings.TrimSpace(tag), "#")
		if err := checkPageName("add", Name(name)); err != nil {
			return nil, err
		}
		if uuidPattern.MatchString(name) {
			p, err := g.page(ctx, name)
			if err != nil {
				return nil, err
			}
			name = p.Name
		}
		if g.hidesAnything() && g.privacy.Hides(tools.Page{Path: name, Tags: []string{name}}) {
			return nil, hiddenError()
		}
		names = append(names, name)
	}
	return names, nil
}
