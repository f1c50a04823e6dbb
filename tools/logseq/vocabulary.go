package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// ListVocabularyIn are the arguments of the lists of tags, properties and templates.
type ListVocabularyIn struct {
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"most to answer"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"how many to skip"`
}

func (in ListVocabularyIn) arg() listArg { return listArg{int(in.Offset), int(in.Limit)} }

// Tag is a tag, which on a DB graph is a page.
type Tag struct {
	Name string `json:"name" jsonschema:"its name"`
	UUID UUID   `json:"uuid,omitempty" jsonschema:"its uuid on a DB graph"`
}

// TagsOut is the answer of get_tags.
type TagsOut struct {
	Tags  []Tag  `json:"tags" jsonschema:"tags"`
	Total int    `json:"total" jsonschema:"tags there are"`
	Note  string `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func getTags() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[ListVocabularyIn, TagsOut]{
		Name: "get_tags", Title: "List tags", Effect: tools.Reads,
		Doc: "Lists the tags that people made.\nNeeds tags.", Errors: commonErrors(),
		Examples: []tools.Example[ListVocabularyIn, TagsOut]{{Purpose: "see the tags", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true}},
	}, (*Graph).GetTags)
}

// GetTags implements get_tags.
func (g *Graph) GetTags(ctx context.Context, in ListVocabularyIn) (TagsOut, error) {
	var out TagsOut
	if err := g.requireCapability("tags"); err != nil {
		return out, err
	}
	if g.hidesAnything() {
		terms, err := g.visibleVocabulary(ctx, "tags.list", tagVisible)
		if err != nil {
			return TagsOut{}, err
		}
		out.Total = len(terms)
		for _, t := range slicePage(terms, int(in.Offset), int(in.Limit)) {
			out.Tags = append(out.Tags, Tag{t.Name, t.UUID})
		}
	} else if err := g.query(ctx, "tags.list", in.arg(), &out); err != nil {
		return TagsOut{}, err
	}
	out.Tags = fitAnswer(slicePage(out.Tags, 0, int(in.Limit)), func(t Tag) int { return len(t.Name) + 60 })
	out.Note = moreNote(len(out.Tags), int(in.Offset), out.Total)
	return out, nil
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
	Total      int        `json:"total" jsonschema:"properties there are"`
	Note       string     `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listProperties() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[ListVocabularyIn, PropertiesOut]{
		Name: "list_properties", Title: "List properties", Effect: tools.Reads,
		Doc: "Lists the properties in use, by the names that other tools take.\nNeeds properties.", Errors: commonErrors(),
		Examples: []tools.Example[ListVocabularyIn, PropertiesOut]{{Purpose: "see the properties", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true}},
	}, (*Graph).ListProperties)
}

// ListProperties implements list_properties.
func (g *Graph) ListProperties(ctx context.Context, in ListVocabularyIn) (PropertiesOut, error) {
	var out PropertiesOut
	if err := g.requireCapability("properties"); err != nil {
		return out, err
	}
	if g.hidesAnything() {
		terms, err := g.visibleVocabulary(ctx, "properties.list", propertyVisible)
		if err != nil {
			return PropertiesOut{}, err
		}
		out.Total = len(terms)
		for _, t := range slicePage(terms, int(in.Offset), int(in.Limit)) {
			out.Properties = append(out.Properties, Property{t.Name, t.Ident, t.Type, t.Many})
		}
	} else if err := g.query(ctx, "properties.list", in.arg(), &out); err != nil {
		return PropertiesOut{}, err
	}
	out.Properties = fitAnswer(slicePage(out.Properties, 0, int(in.Limit)), func(p Property) int { return len(p.Name) + len(p.Ident) + 60 })
	out.Note = moreNote(len(out.Properties), int(in.Offset), out.Total)
	return out, nil
}

// Template is a block whose children are copied where the template is used.
type Template struct {
	Name string `json:"name" jsonschema:"its name"`
	UUID UUID   `json:"uuid" jsonschema:"its block"`
}

// TemplatesOut is the answer of list_templates.
type TemplatesOut struct {
	Templates []Template `json:"templates" jsonschema:"templates"`
	Total     int        `json:"total" jsonschema:"templates there are"`
	Note      string     `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func listTemplates() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[ListVocabularyIn, TemplatesOut]{
		Name: "list_templates", Title: "List templates", Effect: tools.Reads,
		Doc: "Lists the templates of a file graph; read one with get_block.\nNeeds templates, which DB graphs lack.", Errors: commonErrors(),
		Examples: []tools.Example[ListVocabularyIn, TemplatesOut]{{Purpose: "see the templates", In: ListVocabularyIn{Limit: 50}, AnyAnswer: true}},
	}, (*Graph).ListTemplates)
}

// ListTemplates implements list_templates.
func (g *Graph) ListTemplates(ctx context.Context, in ListVocabularyIn) (TemplatesOut, error) {
	var out TemplatesOut
	if err := g.requireCapability("templates"); err != nil {
		return out, err
	}
	if g.hidesAnything() {
		terms, err := g.visibleVocabulary(ctx, "templates.list", templateVisible)
		if err != nil {
			return TemplatesOut{}, err
		}
		out.Total = len(terms)
		for _, t := range slicePage(terms, int(in.Offset), int(in.Limit)) {
			out.Templates = append(out.Templates, Template{t.Name, t.UUID})
		}
	} else if err := g.query(ctx, "templates.list", in.arg(), &out); err != nil {
		return TemplatesOut{}, err
	}
	out.Templates = fitAnswer(slicePage(out.Templates, 0, int(in.Limit)), func(t Template) int { return len(t.Name) + 60 })
	out.Note = moreNote(len(out.Templates), int(in.Offset), out.Total)
	return out, nil
}
