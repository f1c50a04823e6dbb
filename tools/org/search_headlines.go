package org

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type searchHeadlinesIn struct {
	Query         string      `json:"query" jsonschema:"text in titles"`
	Files         []string    `json:"files,omitempty" jsonschema:"only in these"`
	Tags          []string    `json:"tags,omitempty" jsonschema:"all of them, own or inherited"`
	ExcludeTags   []string    `json:"excludeTags,omitempty" jsonschema:"none of them"`
	CaseSensitive bool        `json:"caseSensitive,omitempty" jsonschema:"letter case matters"`
	Limit         tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor        Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

type headlineList struct {
	Items      []Headline `json:"items" jsonschema:"headlines in the order of files"`
	Total      int        `json:"total" jsonschema:"how many there are"`
	NextCursor Cursor     `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string     `json:"note,omitempty" jsonschema:"what was left out"`
}

// redactedNote says that a rule of the user keeps something from the agent.
const redactedNote = "Some results are left out, because the user's policy does not let you read their files."

// redact leaves out the headlines of covered files.
func (out headlineList) redact(covered func(file string) bool) headlineList {
	shown := len(out.Items)
	out.Items = slices.DeleteFunc(out.Items, func(h Headline) bool { return covered(h.File) })
	if left := shown - len(out.Items); left > 0 {
		out.Total -= left
		out.Note = redactedNote
	}
	return out
}

func searchHeadlines() tools.Tool[*Source] {
	return tools.Define(tools.Spec[searchHeadlinesIn, headlineList]{
		Name: "org-search-headlines", Title: "Search headlines", Effect: tools.Reads,
		Doc:    "Find headlines by text in their titles, and by tags.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{
			"case_sensitive": "caseSensitive", "exclude_tags": "excludeTags", "file": "files", "pattern": "query",
		}),
		Redact: headlineList.redact,
		Examples: []tools.Example[searchHeadlinesIn, headlineList]{
			{
				Purpose: "find a project", In: searchHeadlinesIn{Query: "alpha", Tags: []string{"work"}}, AnyAnswer: true,
				Want: headlineList{Items: []Headline{exampleHeadline()}, Total: 1},
			},
		},
	}, (*Source).searchHeadlines)
}

func exampleHeadline() Headline {
	return Headline{
		Heading: "Alpha", File: "projects.org", Level: 1, Todo: &TodoState{State: "TODO", Type: "todo", SequenceType: "sequence"},
		Tags:        []string{"work"},
		ResourceURI: "org://projects.org/headline/Alpha", OrgID: "5f1b2c3d-0000-4000-8000-000000000001", Etag: "9f86d081884c7d65",
	}
}

func (s *reader) searchHeadlines(ctx context.Context, in searchHeadlinesIn) (headlineList, error) {
	return s.list(ctx, in.Files, in.Limit, in.Cursor, func(f *shownFile) []int {
		return f.Select(orgfile.Selection{
			Title: in.Query, MatchCase: in.CaseSensitive, Tags: in.Tags, ExcludeTags: in.ExcludeTags, Archived: f.archived, Commented: true,
		})
	})
}

// list answers the headlines that choose selects in the files. Archived files are
// left out unless they are named.
func (s *reader) list(
	ctx context.Context, files []string, limit tools.Limit, cursor Cursor, choose func(f *shownFile) []int,
) (headlineList, error) {
	pages, err := newPageRange(limit, cursor)
	if err != nil {
		return headlineList{}, err
	}
	names, err := s.chosenFiles(ctx, files)
	if err != nil {
		return headlineList{}, err
	}
	if len(files) == 0 {
		names = slices.DeleteFunc(names, isArchive)
	}
	page, err := findInFiles(ctx, s.catalog, names, pages, func(f *shownFile) []found {
		chosen := choose(f)
		part := make([]found, len(chosen))
		for n, i := range chosen {
			part[n] = found{f, i}
		}
		return part
	})
	if err != nil {
		return headlineList{}, err
	}
	out := headlineList{Total: page.total, NextCursor: page.next}
	for _, at := range page.items {
		out.Items = append(out.Items, s.describe(at.in, at.i))
	}
	return out, nil
}
