package org

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgquery"
)

type queryIn struct {
	Query           string      `json:"query" jsonschema:"todo:NEXT tags:work (deadline:<=+7d or \"a text\") !priority:C"`
	Files           []string    `json:"files,omitempty" jsonschema:"only in these"`
	IncludeArchived bool        `json:"includeArchived,omitempty" jsonschema:"archived ones too"`
	Limit           tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor          Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

// maxQuery is the maximum length of a query, in bytes.
const maxQuery = 4 << 10

func queryTool() tools.Tool[*Source] {
	return tools.Define(tools.Spec[queryIn, headlineList]{
		Name: "org-query", Title: "Query headlines", Effect: tools.Reads,
		Doc: "Find headlines by words, \"text\" and todo: done: tags: heading: level: priority: property:KEY=v path: scheduled: deadline: " +
			"closed: ts: clocked:, " +
			"with dates like <=+7d, today or from=…,to=…; joined by and, or, not and parentheses.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"include_archived": "includeArchived", "file": "files"}),
		Redact:    headlineList.redact,
		Examples: []tools.Example[queryIn, headlineList]{
			{
				Purpose: "find open work", In: queryIn{Query: "todo: tags:work level:1"}, AnyAnswer: true,
				Want: headlineList{Items: []Headline{exampleHeadline()}, Total: 1},
			},
			{
				Purpose: "find what is due, or names the diagram", In: queryIn{Query: `deadline:<=2026-03-31 or "architecture diagram"`},
				AnyAnswer: true, Want: headlineList{Items: []Headline{exampleHeadline()}, Total: 1},
			},
		},
	}, (*Source).query)
}

func (s *agendaReader) query(ctx context.Context, in queryIn) (headlineList, error) {
	if len(in.Query) > maxQuery {
		return headlineList{}, tools.Errorf(tools.Invalid, "query: longer than %d bytes", maxQuery)
	}
	q, err := orgquery.Parse(in.Query, s.now())
	if err != nil {
		return headlineList{}, tools.Errorf(tools.Invalid, "%.500s", err.Error())
	}
	if err := s.checkStates(ctx, in.Files, "query", q.States()); err != nil {
		return headlineList{}, err
	}
	return s.list(ctx, in.Files, in.Limit, in.Cursor, func(f *shownFile) []int {
		return q.Select(orgfile.NewView(f.File, nil), orgquery.Options{Archived: in.IncludeArchived || f.archived})
	})
}
