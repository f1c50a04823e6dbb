package org

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

type setPropertiesIn struct {
	ResourceURI string             `json:"resourceUri" jsonschema:"the headline, or a file"`
	Properties  map[string]*string `json:"properties,omitempty" jsonschema:"new values by key; an empty ID makes one; null removes"`
	Remove      []string           `json:"remove,omitempty" jsonschema:"keys to remove"`
	Note        string             `json:"note,omitempty" jsonschema:"why"`
	WriteOptions
}

func setProperties() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[setPropertiesIn, writeOut]{
		Name: "org-set-properties", Title: "Set properties", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"resourceUri"},
		Doc:       "Set and remove properties of a headline.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"uri": "resourceUri"}),
		Examples: []tools.Example[setPropertiesIn, writeOut]{
			{
				Purpose: "set the effort", In: setPropertiesIn{
					ResourceURI: "org://projects.org/headline/Alpha", Properties: map[string]*string{"Effort": new("3h")},
				}, AnyAnswer: true, Want: writeOut{Success: true, headlineLink: exampleLink("Alpha")},
			},
		},
	}, (*Source).setProperties), func(s *Source, ctx context.Context, in setPropertiesIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) setProperties(ctx context.Context, c tools.CallContext, in setPropertiesIn) (writeOut, error) {
	if len(in.Properties)+len(in.Remove) == 0 {
		return writeOut{}, tools.Errorf(tools.Invalid, "Provide at least one of properties, remove")
	}
	out := writeOut{Success: true}
	diff, err := s.edit(ctx, c, in.WriteOptions, func(e *edit) error {
		f, i, err := e.at(in.ResourceURI, in.IfMatch)
		if err != nil {
			return err
		}
		set, remove := splitProperties(in.Properties)
		if err := e.setProperties(f, i, set, append(remove, in.Remove...), in.Note); err != nil {
			return err
		}
		now, shown, err := e.result(f, i)
		if err == nil {
			out.headlineLink, out.noteHint = s.link(now, shown), e.noteHint()
		}
		return err
	})
	out.Diff = diff
	return out, err
}

// splitProperties takes the keys without a value, which are removed, out of properties.
func splitProperties(properties map[string]*string) (set map[string]string, remove []string) {
	set = map[string]string{}
	for key, value := range properties {
		if value == nil {
			remove = append(remove, key)
		} else {
			set[key] = *value
		}
	}
	slices.Sort(remove)
	return set, remove
}

func (e *edit) setProperties(f *editedFile, i int, properties map[string]string, remove []string, note string) error {
	if err := checkLength("note", note, maxValue); err != nil {
		return err
	}
	for _, key := range remove {
		f.DeleteProperty(i, key)
	}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if err := checkLength(safetext.Truncate(key, 40), key+properties[key], maxValue); err != nil {
			return err
		}
		if properties[key] == "" && strings.EqualFold(key, "ID") {
			f.CreateID(i)
			continue
		}
		if err := f.SetProperty(i, key, properties[key], &note); err != nil {
			return editError(err)
		}
	}
	return nil
}
