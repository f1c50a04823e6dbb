package org

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

type allowedFilesIn struct{}

type allowedFile struct {
	File        string `json:"file" jsonschema:"its name"`
	ResourceURI string `json:"resourceUri" jsonschema:"names the file"`
	Archived    bool   `json:"archived,omitempty" jsonschema:"an archive"`
}

type allowedFilesOut struct {
	Files []allowedFile `json:"files" jsonschema:"in order"`
	dialect
}

func getAllowedFiles() tools.Tool[*Source] {
	return tools.Define(tools.Spec[allowedFilesIn, allowedFilesOut]{
		Name: "org-get-allowed-files", Title: "List files", Effect: tools.Reads, OptIn: true,
		Doc: "List the Org files that are open to you.",
		Examples: []tools.Example[allowedFilesIn, allowedFilesOut]{
			{
				Purpose: "see which files there are", AnyAnswer: true,
				Want: allowedFilesOut{Files: []allowedFile{{File: "projects.org", ResourceURI: "org://projects.org"}}},
			},
		},
	}, (*Source).allowedFiles)
}

func (s *reader) allowedFiles(ctx context.Context, _ allowedFilesIn) (allowedFilesOut, error) {
	names, err := s.fileNames(ctx)
	var out allowedFilesOut
	for _, name := range names {
		out.Files = append(out.Files, allowedFile{name, "org://" + escapePath(name), isArchive(name)})
	}
	out.dialect = s.dialects().answer(func() any {
		paths := []string{}
		for _, name := range names {
			paths = append(paths, s.dialects().absolute(name))
		}
		return map[string]any{"files": paths}
	})
	return out, err
}
