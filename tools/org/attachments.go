package org

import (
	"context"
	"encoding/base64"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
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
		Selects:   []string{"resourceUri", "name"},
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
	hidden, err := s.findHiddenAttachments(ctx)
	if err != nil {
		return attachmentsOut{}, err
	}
	dirs, named := attachmentFolders(f, i)
	for _, dir := range dirs {
		files, err := filesIn(ctx, r, path.Join(path.Dir(rel), dir))
		if err != nil {
			return attachmentsOut{}, s.toolError(f.name, err)
		}
		for _, file := range files {
			if hidden.hold(r.path(file)) || hidden.holdExport(r, file) || named && !r.serves(file) {
				continue
			}
			if err := s.attach(&out, r, file, in.Name == path.Base(file)); err != nil {
				return attachmentsOut{}, s.toolError(file, err)
			}
		}
	}
	if in.Name != "" && !slices.ContainsFunc(out.Attachments, func(a attachment) bool { return a.Name == in.Name }) {
		return attachmentsOut{}, tools.Errorf(tools.NotFound, "The headline has no attachment named %.200q", in.Name)
	}
	return out, nil
}

// attach adds a file to the answer, and its bytes if they are wanted. Of an Org file
// there is what agents see of it, and nothing if it is hidden.
func (s *reader) attach(out *attachmentsOut, r *root, file string, wanted bool) error {
	size, _ := r.view.Stat(file)
	read := func() ([]byte, error) { return r.view.ReadUpTo(file, maxAttachment) }
	if isOrg(file) {
		shown, err := s.readFile(r.prefix+file, r, file)
		if err != nil {
			return nil //nolint:nilerr // as if it were not there
		}
		size = int64(len(shown.Source))
		read = func() ([]byte, error) {
			if size > maxAttachment {
				return nil, folder.ErrTooLarge
			}
			return shown.Source, nil
		}
	}
	out.Attachments = append(out.Attachments, attachment{path.Base(file), size})
	if !wanted {
		return nil
	}
	data, err := read()
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

// attachmentFolders are where the attachments of a headline may lie, seen from its
// file: the folder that a property names, or the one that its ID makes.
func attachmentFolders(f *shownFile, i int) (dirs []string, named bool) {
	for _, key := range attachmentKeys() {
		if dir, ok := f.InheritedProperty(i, key); ok && dir != "" && !path.IsAbs(dir) {
			return []string{dir}, true
		}
	}
	if id, ok := f.Property(i, "ID"); ok && len(id) > 6 {
		return []string{path.Join("data", id[:2], id[2:]), path.Join("data", id[:6], id[6:])}, false
	}
	return nil, false
}
