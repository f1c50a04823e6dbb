package org

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// pages lets a person browse the files on the panel.
func pages() *tools.Pages[*Source] {
	return &tools.Pages[*Source]{
		List: tools.AllPages((*Source).listPages), Read: (*Source).pageText,
		Links: func(s *Source, ctx context.Context, name string) (tools.PageLinks, error) {
			return pageLinks(ctx, &s.reader, name)
		},
		File: func(s *Source, ctx context.Context, name string) (string, error) {
			return pageFile(ctx, &s.reader, name)
		},
	}
}

// pageFile is where a file is. What is hidden in it from agents is in it for the
// person.
func pageFile(ctx context.Context, s *reader, name string) (string, error) {
	file, err := s.resolveFile(ctx, name)
	if err != nil {
		return "", err
	}
	r, rel, ok := s.locate(file)
	if !ok {
		return "", tools.Errorf(tools.NotFound, "%s not found", name)
	}
	return filepath.Join(r.dir, filepath.FromSlash(rel)), nil
}

// pageLinks are the links of a file to files and to headlines with an ID, and those
// to it and its headlines.
func pageLinks(ctx context.Context, s *reader, name string) (links tools.PageLinks, err error) {
	file, err := s.resolveFile(ctx, name)
	if err != nil {
		return links, err
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return links, err
	}
	linked, ids := linksAndIDs(s, names)
	for _, from := range names {
		for _, l := range linked[from] {
			to := l.file
			if l.id != "" {
				to = ids[l.id]
			}
			_, there := linked[to]
			switch {
			case from == file && there && to != file:
				links.Out = append(links.Out, tools.PageLink{Page: to, Line: l.line})
			case from == file && !there:
				links.Out = append(links.Out, tools.PageLink{Text: l.text, Line: l.line})
			case from != file && to == file:
				links.In = append(links.In, tools.PageLink{Page: from, Line: l.line})
			}
		}
	}
	return links, ctx.Err()
}

// linksAndIDs are the links of files by their names, and which file has an ID.
func linksAndIDs(s *reader, names []string) (linked map[string][]fileLink, ids map[string]string) {
	linked, ids = map[string][]fileLink{}, map[string]string{}
	for _, from := range names {
		f, err := s.file(from)
		if err != nil {
			continue // it went meanwhile
		}
		linked[from] = fileLinks(f)
		for i := -1; i < len(f.Headlines); i++ { // -1 is the file itself
			if id, ok := f.Property(i, "ID"); ok {
				ids[id] = from
			}
		}
	}
	return linked, ids
}

// A fileLink is a link to a file, or to a headline by its ID.
type fileLink struct {
	file, id, text string
	line           int
}

func fileLinks(f *shownFile) (all []fileLink) {
	for _, m := range linkPattern.FindAllSubmatchIndex(f.Source, -1) {
		text := string(f.Source[m[2]:m[3]])
		link := fileLink{text: text, line: 1 + bytes.Count(f.Source[:m[0]], []byte("\n"))}
		target, _, _ := strings.Cut(text, "::")
		if id, ok := strings.CutPrefix(target, "id:"); ok {
			link.id = id
		} else if to, ok := strings.CutPrefix(target, "file:"); ok && isOrg(to) {
			link.file = path.Join(path.Dir(f.name), to)
		} else {
			continue
		}
		all = append(all, link)
	}
	return all
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
