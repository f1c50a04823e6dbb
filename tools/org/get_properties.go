package org

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type getPropertiesIn struct {
	ResourceURI    string   `json:"resourceUri" jsonschema:"the headline, or a file"`
	Properties     []string `json:"properties,omitempty" jsonschema:"only these"`
	Inherit        bool     `json:"inherit,omitempty" jsonschema:"from ancestors too"`
	IncludeSpecial bool     `json:"includeSpecial,omitempty" jsonschema:"computed ones too"`
}

type getPropertiesOut struct {
	Properties map[string]string `json:"properties" jsonschema:"values by key in capitals"`
	headlineLink
}

func getProperties() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[getPropertiesIn, getPropertiesOut]{
		Name: "org-get-properties", Title: "Read properties", Effect: tools.Reads,
		Selects:   []string{"resourceUri"},
		Doc:       "Read the properties of a headline.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"uri": "resourceUri", "include_special": "includeSpecial"}),
		Examples: []tools.Example[getPropertiesIn, getPropertiesOut]{
			{
				Purpose: "see all properties of a headline", In: getPropertiesIn{ResourceURI: "org://projects.org/headline/Alpha"}, AnyAnswer: true,
				Want: getPropertiesOut{Properties: map[string]string{"EFFORT": "2h"}, headlineLink: exampleLink("Alpha")},
			},
		},
	}, (*Source).getProperties), func(s *Source, ctx context.Context, in getPropertiesIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *reader) getProperties(ctx context.Context, in getPropertiesIn) (getPropertiesOut, error) {
	f, i, err := s.find(ctx, in.ResourceURI)
	if err != nil {
		return getPropertiesOut{}, err
	}
	out := getPropertiesOut{Properties: map[string]string{}, headlineLink: s.link(f, i)}
	wanted := func(key string) bool {
		return len(in.Properties) == 0 || slices.ContainsFunc(in.Properties, func(p string) bool { return strings.EqualFold(p, key) })
	}
	value := f.Property
	if in.Inherit {
		value = f.InheritedProperty
	}
	for _, key := range propertyKeys(f, i, in.Inherit) {
		if !wanted(key) {
			continue
		}
		if text, ok := value(i, key); ok {
			out.Properties[key] = text
		}
	}
	if in.IncludeSpecial && i >= 0 {
		for key, value := range specialProperties(f, i) {
			if value != "" && wanted(key) {
				out.Properties[key] = value
			}
		}
	}
	return out, nil
}

// propertyKeys are the keys that may have a value at a headline: its own, and if it
// inherits those of its ancestors, its file and the settings. A key may come twice.
func propertyKeys(f *shownFile, i int, inherit bool) (keys []string) {
	for at := i; ; at = int(f.Headlines[at].Parent) {
		for _, p := range f.Properties(at) {
			keys = append(keys, p.Key)
		}
		if !inherit {
			return keys
		}
		if at < 0 {
			break
		}
	}
	for _, p := range f.Settings.Properties {
		keys = append(keys, strings.ToUpper(p.Key))
	}
	return keys
}

// specialProperties are those that Org computes and that stand in no drawer.
func specialProperties(f *shownFile, i int) map[string]string {
	h := &f.Headlines[i]
	tags := func(tags []string) string {
		if len(tags) == 0 {
			return ""
		}
		return ":" + strings.Join(tags, ":") + ":"
	}
	return map[string]string{
		"ALLTAGS": tags(f.AllTags(i)), "TAGS": tags(f.LocalTags(i)), "ITEM": f.Text(h.Title), "TODO": f.Text(h.Keyword),
		"PRIORITY":  f.Text(h.Priority),
		"SCHEDULED": f.Text(f.PlanningTime(i, orgfile.Scheduled)), "DEADLINE": f.Text(f.PlanningTime(i, orgfile.Deadline)),
		"CLOSED": f.Text(f.PlanningTime(i, orgfile.Closed)), "CATEGORY": f.Category(i), "FILE": f.name,
	}
}
