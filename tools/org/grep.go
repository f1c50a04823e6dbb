package org

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

type grepIn struct {
	Pattern       string      `json:"pattern" jsonschema:"literal text of one line"`
	File          string      `json:"file,omitempty" jsonschema:"only in this one"`
	CaseSensitive bool        `json:"caseSensitive,omitempty" jsonschema:"letter case matters"`
	Limit         tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of headlines"`
	Cursor        Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

type grepLine struct {
	Line int    `json:"line" jsonschema:"from 1"`
	Text string `json:"text" jsonschema:"that line"`
}

type grepGroup struct {
	File         string     `json:"file" jsonschema:"file"`
	HeadlinePath []string   `json:"headlinePath,omitempty" jsonschema:"titles from the top down"`
	Matches      []grepLine `json:"matches" jsonschema:"lines of that headline"`
	ResourceURI  string     `json:"resourceUri" jsonschema:"of the headline, or of the file"`
	OrgID        string     `json:"orgId,omitempty" jsonschema:"its ID"`
}

type grepOut struct {
	Groups     []grepGroup `json:"groups" jsonschema:"a headline each"`
	Total      int         `json:"total" jsonschema:"how many there are"`
	NextCursor Cursor      `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string      `json:"note,omitempty" jsonschema:"what was left out"`
	dialect
}

func grepFiles() tools.Tool[*Source] {
	return tools.Define(tools.Spec[grepIn, grepOut]{
		Name: "org-grep", Title: "Find lines", Effect: tools.Reads, OptIn: true,
		Doc:       "Find lines with a text, by headline, archives included.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"case_sensitive": "caseSensitive"}),
		Redact:    grepOut.redact,
		Examples: []tools.Example[grepIn, grepOut]{
			{Purpose: "find a word", In: grepIn{Pattern: "diagram"}, AnyAnswer: true, Want: grepOut{Total: 1, Groups: []grepGroup{{
				File: "projects.org", HeadlinePath: []string{"Alpha"}, Matches: []grepLine{{12, "See the architecture diagram."}},
				ResourceURI: "org://projects.org/headline/Alpha",
			}}}},
		},
	}, (*Source).grepFiles)
}

func (out grepOut) redact(covered func(file string) bool) grepOut {
	shown := len(out.Groups)
	out.Groups = slices.DeleteFunc(out.Groups, func(g grepGroup) bool { return covered(g.File) })
	if left := shown - len(out.Groups); left > 0 {
		out.Total -= left
		out.Note = redactedNote
	}
	return out
}

// A dialectGroup is a grepGroup in the words of org-mcp.
type dialectGroup struct {
	File    string        `json:"file"`
	Path    []dialectNode `json:"headline_path"`
	URI     string        `json:"uri"`
	Matches []grepLine    `json:"matches"`
}

// A foundGroup is the lines of one headline that match.
type foundGroup struct {
	found
	lines []int // a place in each
}

// group finds the matches in a file.
func (in grepIn) group(f *shownFile) (groups []foundGroup) {
	for _, at := range matchLines(f.File, in.Pattern, in.CaseSensitive) {
		i := f.AtByte(at)
		if last := len(groups) - 1; last >= 0 && groups[last].i == i {
			groups[last].lines = append(groups[last].lines, at)
			continue
		}
		groups = append(groups, foundGroup{found{f, i}, []int{at}})
	}
	return groups
}

func (s *reader) grepFiles(ctx context.Context, in grepIn) (grepOut, error) {
	if in.Pattern == "" || strings.ContainsAny(in.Pattern, "\r\n") {
		return grepOut{}, tools.Errorf(tools.Invalid, "pattern: must be a text of one line")
	}
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return grepOut{}, err
	}
	var only []string
	if in.File != "" {
		only = []string{in.File}
	}
	names, err := s.chosenFiles(ctx, only)
	if err != nil {
		return grepOut{}, err
	}
	page, err := findInFiles(ctx, s.catalog, names, pages, in.group)
	if err != nil {
		return grepOut{}, err
	}
	out := grepOut{Total: page.total, NextCursor: page.next}
	said := []dialectGroup{}
	for _, g := range page.items {
		f := g.in
		shown := grepGroup{File: f.name, HeadlinePath: f.OutlinePath(g.i), ResourceURI: s.uri(f, g.i)}
		shown.OrgID, _ = f.Property(g.i, "ID")
		for _, at := range g.lines[:min(len(g.lines), 50)] {
			shown.Matches = append(shown.Matches, grepLine{f.Line(at), around(lineAt(f.Source, at), in.Pattern)})
		}
		out.Groups = append(out.Groups, shown)
		if s.config.speaksOrgMCP() {
			said = append(said, dialectGroup{s.dialects().absolute(f.name), s.dialects().path(f, g.i), shown.ResourceURI, shown.Matches})
		}
	}
	out.dialect = s.dialects().answer(func() any {
		if out.NextCursor == "" {
			return map[string]any{"groups": said}
		}
		return map[string]any{"groups": said, "total": out.Total, "nextCursor": out.NextCursor} // which that server does not have: it answers all
	})
	return out, nil
}
