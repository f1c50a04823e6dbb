package org

import (
	"context"
	"path"
	"regexp"
	"strings"

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

var linkPattern = regexp.MustCompile(`\[\[([^\]\n]+)\]`)

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
	meant := linkTarget{file: f.name}
	meant.id, _ = f.Property(i, "ID")
	if i >= 0 {
		meant.title = linkTitle(f.Text(f.Headlines[i].Title))
		meant.customID, _ = f.Property(i, "CUSTOM_ID")
	}
	page, err := findInFiles(ctx, s.catalog, names, pages, func(from *shownFile) (part []textMatch) {
		for _, m := range linkPattern.FindAllSubmatchIndex(from.Source, -1) {
			if meant.matches(from.name, string(from.Source[m[2]:m[3]])) {
				part = append(part, textMatch{found{from, from.AtByte(m[0])}, m[0]})
			}
		}
		return part
	})
	if err != nil {
		return searchContentOut{}, err
	}
	return s.describeMatches(page, "[["), nil
}

// A linkTarget is what links may mean: a headline, or a file without title and
// customID.
type linkTarget struct{ file, title, id, customID string }

// matches reports whether a link in the file from means the target.
func (t linkTarget) matches(from, link string) bool {
	if id, ok := strings.CutPrefix(link, "id:"); ok {
		id, _, _ = strings.Cut(id, "::")
		return t.id != "" && id == t.id
	}
	file, search := from, link
	if rest, ok := strings.CutPrefix(link, "file:"); ok {
		rest, after, found := strings.Cut(rest, "::")
		file, search = path.Join(path.Dir(from), rest), after
		if !found {
			return t.title == "" && file == t.file
		}
	}
	if file != t.file || t.title == "" {
		return false
	}
	if custom, ok := strings.CutPrefix(search, "#"); ok {
		return t.customID != "" && custom == t.customID
	}
	return strings.TrimPrefix(search, "*") == t.title && (strings.HasPrefix(search, "*") || file == from && !strings.Contains(search, ":"))
}
