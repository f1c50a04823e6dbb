package org

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgexport"
)

// An exportFormat is what a section is exported as.
type exportFormat orgexport.Format

// JSONSchema implements [tools.SchemaProvider].
func (exportFormat) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "string", Enum: []any{string(orgexport.HTML), string(orgexport.Markdown), string(orgexport.Latex), string(orgexport.Plain)},
	}
}

type exportSectionIn struct {
	ResourceURI        string       `json:"resourceUri" jsonschema:"the headline, or a file"`
	Format             exportFormat `json:"format" jsonschema:"what to write"`
	IncludeSubheadings *bool        `json:"includeSubheadings,omitempty" jsonschema:"default true"`
	BodyOnly           bool         `json:"bodyOnly,omitempty" jsonschema:"without its heading"`
	Offset             tools.Offset `json:"offset,omitempty" jsonschema:"bytes to skip"`
}

type exportSectionOut struct {
	textPart
	headlineLink
}

func exportSection() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[exportSectionIn, exportSectionOut]{
		Name: "org-export-section", Title: "Export a section", Effect: tools.Reads,
		Selects:   []string{"resourceUri"},
		Doc:       "Write a section in another format, as Emacs exports it. Code is not run.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("include_subheadings includeSubheadings", "body_only bodyOnly"),
		Examples: []tools.Example[exportSectionIn, exportSectionOut]{
			{
				Purpose: "turn a section into Markdown", AnyAnswer: true,
				In: exportSectionIn{
					ResourceURI: "org://projects.org/headline/Alpha/Write%20plan", Format: exportFormat(orgexport.Markdown), BodyOnly: true,
				},
				Want: exportSectionOut{textPart{Content: "A plan of one page.\n\n-   [ ] outline\n-   [X] title\n"}, exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).exportSection), func(s *Source, ctx context.Context, in exportSectionIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *reader) exportSection(ctx context.Context, in exportSectionIn) (exportSectionOut, error) {
	f, i, err := s.find(ctx, in.ResourceURI)
	if err != nil {
		return exportSectionOut{}, err
	}
	text, err := orgexport.Export(f.File, orgexport.Options{
		Format: orgexport.Format(in.Format), Headline: i, BodyOnly: in.BodyOnly,
		NoSubheadings: in.IncludeSubheadings != nil && !*in.IncludeSubheadings,
	})
	if err != nil {
		return exportSectionOut{}, &tools.Error{Code: tools.Invalid, Message: "format: " + err.Error(), Cause: err}
	}
	return exportSectionOut{part([]byte(text), in.Offset), s.link(f, i)}, nil
}
