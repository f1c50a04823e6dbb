package org

import (
	"context"
	"encoding/base64"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
)

type attachmentsIn struct {
	ResourceURI string `json:"resourceUri" jsonschema:"the headline"`
	Name        string `json:"name,omitempty" jsonschema:"read this one; all are listed when omitted"`
}

type attachment struct {
	Name string `json:"name" jsonschema:"its name"`
	Size int64  `json:"size" jsonschema:"bytes"`
}

type attachmentsOut struct {
	Attachments []attachment `json:"attachments" jsonschema:"files of the headline"`
	Text        string       `json:"text,omitempty" jsonschema:"of name, if it is text"`
	Base64      string       `json:"base64,omitempty" jsonschema:"of name, if it is not"`
	headlineLink
}

// maxAttachment is the maximum size of an attachment that is read, in bytes.
const maxAttachment = 256 << 10

func getAttachments() tools.Tool[*Source] {
	return tools.WithTargets(tools.Define(tools.Spec[attachmentsIn, attachmentsOut]{
		Name: "org-get-attachments", Title: "Attachments", Effect: tools.Reads, OptIn: true,
		Doc:       "List the attachments of a headline, or read one.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases(),
		Examples: []tools.Example[attachmentsIn, attachmentsOut]{
			{
				Purpose: "see what is attached", In: attachmentsIn{ResourceURI: "org://people.org/headline/Ines"}, AnyAnswer: true,
				Want: attachmentsOut{Attachments: []attachment{{"letter.txt", 12}}, headlineLink: exampleLink("Ines")},
			},
			{
				Purpose: "read an attachment", In: attachmentsIn{ResourceURI: "org://people.org/headline/Ines", Name: "letter.txt"}, AnyAnswer: true,
				Want: attachmentsOut{Attachments: []attachment{{"letter.txt", 12}}, Text: "Dear Ines,\n", headlineLink: exampleLink("Ines")},
			},
		},
	}, (*Source).getAttachments), func(s *Source, ctx context.Context, in attachmentsIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *reader) getAttachments(ctx context.Context, in attachmentsIn) (attachmentsOut, error) {
	f, i, err := s.find(ctx, in.ResourceURI)
	if err != nil {
		return attachmentsOut{}, err
	}
	out := attachmentsOut{headlineLink: s.link(f, i)}
	r, rel, ok := s.locate(f.name)
	if !ok {
		return attachmentsOut{}, notAllowedError(f.name)
	}
	for _, dir := range attachmentFolders(f, i) {
		files, err := filesIn(ctx, r, path.Join(path.Dir(rel), dir))
		if err != nil {
			return attachmentsOut{}, s.toolError(f.name, err)
		}
		for _, file := range files {
			size, _ := r.view.Stat(file)
			out.Attachments = append(out.Attachments, attachment{path.Base(file), size})
			if in.Name == path.Base(file) {
				if err := out.read(r, file); err != nil {
					return attachmentsOut{}, s.toolError(file, err)
				}
			}
		}
	}
	if in.Name != "" && !slices.ContainsFunc(out.Attachments, func(a attachment) bool { return a.Name == in.Name }) {
		return attachmentsOut{}, tools.Errorf(tools.NotFound, "The headline has no attachment named %.200q", in.Name)
	}
	return out, nil
}

// filesIn are the files that lie in a folder itself. No other folder is entered but
// those on the way to it.
func filesIn(ctx context.Context, r *root, dir string) ([]string, error) {
	l, err := r.view.List(ctx, func(name string, isDir bool) bool {
		if isDir {
			return name != dir && !strings.HasPrefix(dir, name+"/")
		}
		return path.Dir(name) != dir
	})
	return l.Files, err
}

func (out *attachmentsOut) read(r *root, file string) error {
	data, err := r.view.ReadUpTo(file, maxAttachment)
	switch {
	case err != nil:
		return err
	case utf8.Valid(data):
		out.Text = string(data)
	default:
		out.Base64 = base64.StdEncoding.EncodeToString(data)
	}
	return nil
}

// attachmentFolders are where the attachments of a headline may lie, seen from its
// file: the folder of its property DIR, or the one that its ID makes.
func attachmentFolders(f *shownFile, i int) []string {
	for _, key := range []string{"DIR", "ATTACH_DIR"} {
		if dir, ok := f.InheritedProperty(i, key); ok && dir != "" && !path.IsAbs(dir) {
			return []string{dir}
		}
	}
	if id, ok := f.Property(i, "ID"); ok && len(id) > 6 {
		return []string{path.Join("data", id[:2], id[2:]), path.Join("data", id[:6], id[6:])}
	}
	return nil
}
