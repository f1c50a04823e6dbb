package org

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

type taggedAncestorIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	Tag         string `json:"tag" jsonschema:"one tag"`
	IncludeSelf bool   `json:"includeSelf,omitempty" jsonschema:"including the headline itself"`
}

type taggedAncestorOut struct {
	Found *Headline `json:"found,omitempty" jsonschema:"the nearest one; missing: none"`
	dialect
}

func findTaggedAncestor() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[taggedAncestorIn, taggedAncestorOut]{
		Name: "org-find-tagged-ancestor", Title: "Find a tagged ancestor", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"resourceUri", "tag"},
		Doc:       "Find the nearest headline above one that has a tag of its own.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("include_self includeSelf"),
		Examples: []tools.Example[taggedAncestorIn, taggedAncestorOut]{
			{
				Purpose: "find the project of a task", In: taggedAncestorIn{ResourceURI: "org://projects.org/headline/Alpha/Write%20plan", Tag: "work"},
				AnyAnswer: true, Want: taggedAncestorOut{},
			},
		},
	}, (*Source).findTaggedAncestor), func(s *Source, ctx context.Context, in taggedAncestorIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *reader) findTaggedAncestor(ctx context.Context, in taggedAncestorIn) (taggedAncestorOut, error) {
	f, i, err := s.findHeadline(ctx, in.ResourceURI)
	if err != nil {
		return taggedAncestorOut{}, err
	}
	if !in.IncludeSelf {
		i = int(f.Headlines[i].Parent)
	}
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		if slices.Contains(f.LocalTags(i), in.Tag) {
			h := s.describe(f, i)
			return taggedAncestorOut{&h, s.dialects().answer(func() any { return map[string]any{"found": s.dialects().node(f, i)} })}, nil
		}
	}
	return taggedAncestorOut{dialect: s.dialects().answer(func() any { return map[string]any{"found": nil} })}, nil
}
