package org

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

type backlinksIn struct {
	ResourceURI string      `json:"resourceUri" jsonschema:"the headline, or a file"`
	Limit       tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor      Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

func getBacklinks() tools.Tool[*Source] {
	return tools.Define(tools.Spec[backlinksIn, searchContentOut]{
		Name: "org-get-backlinks", Title: "Find links to a headline", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Find links to a headline or file: by ID, by title, by CUSTOM_ID.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Redact:    searchContentOut.redact,
		Examples: []tools.Example[backlinksIn, searchContentOut]{
			{
				Purpose: "see who mentions a project", In: backlinksIn{ResourceURI: "org://projects.org/headline/Alpha"}, AnyAnswer: true,
				Want: searchContentOut{
					Items: []contentMatch{{
						File: "people.org", Line: 8, Context: "Works on [[id:5f1b2c3d-0000-4000-8000-000000000001][Alpha]].", Heading: "Ines",
						ResourceURI: "org://people.org/headline/Ines",
					}}, Total: 1,
				},
			},
		},
	}, (*Source).getBacklinks)
}

func (s *reader) getBacklinks(ctx context.Context, in backlinksIn) (searchContentOut, error) {
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return searchContentOut{}, err
	}
	f, i, err := s.find(ctx, in.ResourceURI)
	if err != nil {
		return searchContentOut{}, err
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return searchContentOut{}, err
	}
	target := s.linkTarget(f, i)
	page, err := findInFiles(ctx, s.catalog, names, pages, func(from *shownFile) []textMatch {
		return s.linksTo(target, from, func(kind linkKind) bool { return kind != noLink })
	})
	if err != nil {
		return searchContentOut{}, err
	}
	return s.describeMatches(page, "[["), nil
}
