package org

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type configIn struct {
	File string `json:"file,omitempty" jsonschema:"as this file sets it"`
}

type todoSequence struct {
	Type     string   `json:"type" jsonschema:"sequence or type"`
	Keywords []string `json:"keywords" jsonschema:"as declared; final ones follow |"`
}

type todoMeaning struct {
	State        string `json:"state" jsonschema:"keyword"`
	IsFinal      bool   `json:"isFinal" jsonschema:"nothing is left to do"`
	SequenceType string `json:"sequenceType" jsonschema:"sequence or type"`
}

type todoConfigOut struct {
	Sequences []todoSequence `json:"sequences" jsonschema:"in their order"`
	Semantics []todoMeaning  `json:"semantics" jsonschema:"of every keyword"`
}

func getTodoConfig() tools.Tool[*Source] {
	return tools.Define(tools.Spec[configIn, todoConfigOut]{
		Name: "org-get-todo-config", Title: "TODO states", Effect: tools.Reads,
		Doc:       "List the TODO states and which are final.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"resourceUri": "file", "resource_uri": "file", "uri": "file"}),
		Examples: []tools.Example[configIn, todoConfigOut]{
			{Purpose: "learn the states", Want: todoConfigOut{
				Sequences: []todoSequence{{"sequence", []string{"TODO", "|", "DONE"}}},
				Semantics: []todoMeaning{{"TODO", false, "sequence"}, {"DONE", true, "sequence"}},
			}},
		},
	}, (*Source).getTodoConfig)
}

// settingsFor are the settings of a file, or those of a file that sets nothing for
// an empty name.
func (s *reader) settingsFor(ctx context.Context, file string) (orgfile.Settings, error) {
	if file == "" {
		return s.settings, nil
	}
	name, err := s.fileOf(ctx, file)
	if err != nil {
		return orgfile.Settings{}, err
	}
	f, err := s.file(name)
	if err != nil {
		return orgfile.Settings{}, err
	}
	return f.Settings, nil
}

func (s *reader) getTodoConfig(ctx context.Context, in configIn) (todoConfigOut, error) {
	settings, err := s.settingsFor(ctx, in.File)
	if err != nil {
		return todoConfigOut{}, err
	}
	var out todoConfigOut
	for _, set := range settings.Todo.Sets {
		sequence := todoSequence{Type: set.Type}
		for _, k := range set.Keywords {
			sequence.Keywords = append(sequence.Keywords, k.Declared)
			out.Semantics = append(out.Semantics, todoMeaning{k.Name, settings.Todo.IsFinal(k.Name), set.Type})
		}
		sequence.Keywords = slices.Insert(sequence.Keywords, min(set.Bar, len(sequence.Keywords)), "|")
		out.Sequences = append(out.Sequences, sequence)
	}
	return out, nil
}

// fileOf returns the name of the file that an argument names, or of the one that
// holds the headline that it names.
func (s *reader) fileOf(ctx context.Context, file string) (string, error) {
	if t, err := s.parseTarget(ctx, file); err == nil && t.id != "" {
		f, _, err := s.findID(ctx, t.id)
		if err != nil {
			return "", err
		}
		return f.name, nil
	}
	return s.findFile(ctx, file)
}
