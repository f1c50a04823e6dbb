package org

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type tagConfigOut struct {
	Inheritance string `json:"org-use-tag-inheritance" jsonschema:"Lisp"`
	Excluded    string `json:"org-tags-exclude-from-inheritance" jsonschema:"Lisp"`
	Sort        string `json:"org-tags-sort-function" jsonschema:"Lisp"`
	Tags        string `json:"org-tag-alist" jsonschema:"Lisp"`
	Persistent  string `json:"org-tag-persistent-alist" jsonschema:"Lisp"`
	dialect
}

func getTagConfig() tools.Tool[*Source] {
	return tools.Define(tools.Spec[configIn, tagConfigOut]{
		Name: "org-get-tag-config", Title: "Tags", Effect: tools.Reads,
		Doc:       "Show the tag settings as Emacs prints them.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"resourceUri": "file", "resource_uri": "file", "uri": "file"}),
		Examples: []tools.Example[configIn, tagConfigOut]{
			{Purpose: "learn the tags", Want: tagConfigOut{Inheritance: "t", Excluded: "nil", Sort: "nil", Tags: "nil", Persistent: "nil"}},
		},
	}, (*Source).getTagConfig)
}

func (s *reader) getTagConfig(ctx context.Context, in configIn) (tagConfigOut, error) {
	settings, err := s.settingsFor(ctx, in.File)
	if err != nil {
		return tagConfigOut{}, err
	}
	out := tagConfigOut{
		Inheritance: lispInheritance(settings.TagInheritance), Excluded: lispStrings(settings.TagsExcluded),
		Sort: cmp.Or(settings.SortTags, "nil"),
		Tags: lispTags(settings.Tags), Persistent: lispTags(settings.PersistentTags),
	}
	out.dialect = s.dialects().answer(func() any {
		return map[string]string{
			"org-use-tag-inheritance": out.Inheritance, "org-tags-exclude-from-inheritance": out.Excluded, "org-tag-alist": out.Tags,
			"org-tag-persistent-alist": out.Persistent,
		}
	})
	return out, nil
}

func lispInheritance(i orgfile.Inheritance) string {
	switch {
	case i.All:
		return "t"
	case i.Match != nil:
		return lispString(i.Match.String())
	}
	return lispStrings(i.Names)
}

func lispString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func lispStrings(texts []string) string {
	if len(texts) == 0 {
		return "nil"
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = lispString(text)
	}
	return "(" + strings.Join(quoted, " ") + ")"
}

// lispTags prints a list of tags as org-tag-alist holds it: characters as numbers.
func lispTags(tags []orgfile.TagOption) string {
	if len(tags) == 0 {
		return "nil"
	}
	out := make([]string, len(tags))
	for i, t := range tags {
		switch t.Border {
		case orgfile.TagGroupStart:
			out[i] = "(:startgroup)"
		case orgfile.TagGroupEnd:
			out[i] = "(:endgroup)"
		case orgfile.TagHierarchyStart:
			out[i] = "(:startgrouptag)"
		case orgfile.TagHierarchyEnd:
			out[i] = "(:endgrouptag)"
		case orgfile.TagMembers:
			out[i] = "(:grouptags)"
		case orgfile.TagNewline:
			out[i] = "(:newline)"
		case orgfile.TagName:
			out[i] = "(" + lispString(t.Name) + ")"
			if t.Key != 0 {
				out[i] = fmt.Sprintf("(%s . %s)", lispString(t.Name), strconv.Itoa(int(t.Key)))
			}
		}
	}
	return "(" + strings.Join(out, " ") + ")"
}
