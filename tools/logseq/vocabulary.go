package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// ListVocabularyIn are the arguments of the lists of tags, properties and
// templates.
type ListVocabularyIn struct {
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"entries to skip"`
}

// Tag is a tag, which on a DB graph is a page.
type Tag struct {
	Name string `json:"name" jsonschema:"its name"`
	UUID UUID   `json:"uuid,omitempty" jsonschema:"its uuid on a DB graph"`
}

// TagsOut is the answer of get_tags.
type TagsOut struct {
	Tags  []Tag  `json:"tags" jsonschema:"tags"`
	Total int    `json:"total" jsonschema:"total tags"`
	Note  string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func getTags() tools.Tool[*Graph] {
	return define(tools.Spec[ListVocabularyIn, TagsOut]{
		Name: "get_tags", Title: "List tags", Effect: tools.Reads, OptIn: true,
		Doc:      "Lists the tags that people made.\nNeeds tags.",
		Examples: []tools.Example[ListVocabularyIn, TagsOut]{{Purpose: "see the tags", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true}},
	}, (*Graph).GetTags, "tags")
}

// GetTags implements get_tags.
func (g *Graph) GetTags(ctx context.Context, in ListVocabularyIn) (TagsOut, error) {
	var out TagsOut
	entries, err := g.listVocabulary(ctx, "tags.list", in, tagVisible, &out.Total, &out.Note)
	for _, e := range entries {
		out.Tags = append(out.Tags, Tag{e.Name, e.UUID})
	}
	return out, err
}

// Property is a property by the name that people see.
type Property struct {
	Name  string `json:"name" jsonschema:"its name"`
	Ident string `json:"ident,omitempty" jsonschema:"its attribute in queries on a DB graph"`
	Type  string `json:"type,omitempty" jsonschema:"its type on a DB graph"`
	Many  bool   `json:"many,omitempty" jsonschema:"it takes several values"`
}

// PropertiesOut is the answer of list_properties.
type PropertiesOut struct {
	Properties []Property `json:"properties" jsonschema:"properties"`
	Total      int        `json:"total" jsonschema:"total properties"`
	Note       string     `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listProperties() tools.Tool[*Graph] {
	return define(tools.Spec[ListVocabularyIn, PropertiesOut]{
		Name: "list_properties", Title: "List properties", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the properties in use, by the names that other tools take.\nNeeds properties.",
		Examples: []tools.Example[ListVocabularyIn, PropertiesOut]{{
			Purpose: "see the properties", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true,
		}},
	}, (*Graph).ListProperties, "properties")
}

// ListProperties implements list_properties.
func (g *Graph) ListProperties(ctx context.Context, in ListVocabularyIn) (PropertiesOut, error) {
	var out PropertiesOut
	entries, err := g.listVocabulary(ctx, "properties.list", in, propertyVisible, &out.Total, &out.Note)
	for _, e := range entries {
		out.Properties = append(out.Properties, Property{e.Name, e.Ident, e.Type, e.Many})
	}
	return out, err
}

// Template is a block whose children are copied where the template is used.
type Template struct {
	Name string `json:"name" jsonschema:"its name"`
	UUID UUID   `json:"uuid" jsonschema:"its block"`
}

// TemplatesOut is the answer of list_templates.
type TemplatesOut struct {
	Templates []Template `json:"templates" jsonschema:"templates"`
	Total     int        `json:"total" jsonschema:"total templates"`
	Note      string     `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listTemplates() tools.Tool[*Graph] {
	return define(tools.Spec[ListVocabularyIn, TemplatesOut]{
		Name: "list_templates", Title: "List templates", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the templates of a file graph; read one with get_block.\nNeeds templates, which DB graphs lack.",
		Examples: []tools.Example[ListVocabularyIn, TemplatesOut]{{
			Purpose: "see the templates", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true,
		}},
	}, (*Graph).ListTemplates, "templates")
}

// ListTemplates implements list_templates.
func (g *Graph) ListTemplates(ctx context.Context, in ListVocabularyIn) (TemplatesOut, error) {
	var out TemplatesOut
	entries, err := g.listVocabulary(ctx, "templates.list", in, templateVisible, &out.Total, &out.Note)
	for _, e := range entries {
		out.Templates = append(out.Templates, Template{e.Name, e.UUID})
	}
	return out, err
}
