package org

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the files on the panel.
func pages() *tools.Pages[*Source] {
	return &tools.Pages[*Source]{List: tools.AllPages((*Source).listPages), Read: (*Source).pageText}
}

func (s *reader) listPages(ctx context.Context) ([]tools.PageInfo, error) {
	names, err := s.fileNames(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]tools.PageInfo, len(names))
	for i, name := range names {
		all[i].Name = name
		if r, rel, ok := s.locate(name); ok {
			all[i].Size, all[i].Modified = r.view.Stat(rel)
		}
		if s.privacy.NeedsContent() { // the size would tell of hidden headlines
			f, err := s.file(name)
			if err != nil {
				continue
			}
			all[i].Size = int64(len(f.Source))
		}
	}
	return all, nil
}

func (s *reader) pageText(ctx context.Context, name string) (tools.PageText, error) {
	file, err := s.resolveFile(ctx, name)
	if err != nil {
		return tools.PageText{}, err
	}
	f, err := s.file(file)
	if err != nil {
		return tools.PageText{}, err
	}
	text, _ := folder.Text(f.Source)
	return tools.PageText{Text: text, MIME: "text/org"}, nil
}
