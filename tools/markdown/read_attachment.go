package markdown

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// maxShown is the largest attachment that an agent is shown, in bytes.
const maxShown = 4 << 20

// ReadAttachmentIn are the arguments of read_attachment.
type ReadAttachmentIn struct {
	Path string `json:"path" jsonschema:"file, such as Projects/assets/plan.png, or its name"`
}

// ReadAttachmentOut is the answer of read_attachment.
type ReadAttachmentOut struct {
	Path string `json:"path" jsonschema:"the file"`
	MIME string `json:"mimeType" jsonschema:"its type"`
	Size int    `json:"size" jsonschema:"in bytes"`
	data []byte
}

// Blocks implements [tools.ContentProvider].
func (out ReadAttachmentOut) Blocks() []tools.Content {
	return tools.FileContent(out.MIME, "attachment:"+out.Path, out.data)
}

// Targets implements [tools.TargetProvider].
func (out ReadAttachmentOut) Targets() []string { return []string{out.Path} }

func readAttachment() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.Define(tools.Spec[ReadAttachmentIn, ReadAttachmentOut]{
		Name: "read_attachment", Title: "Read an attachment", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"path"},
		Normalize: aliases("path"),
		Doc: "Shows a file that is not a page: an image, a sound, a PDF, text.\nAt most 4 MB. get_page_links names the attachments of a " +
			"page.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[ReadAttachmentIn, ReadAttachmentOut]{{
			Purpose: "see an image", In: ReadAttachmentIn{Path: "Projects/Alpha/assets/d.png"},
			Want: ReadAttachmentOut{Path: "Projects/Alpha/assets/d.png", MIME: "image/png", Size: 3},
		}},
	}, (*Notebook).ReadAttachment), func(_ *Notebook, _ context.Context, in ReadAttachmentIn) ([]string, error) {
		return []string{in.Path}, nil
	})
}

// ReadAttachment implements read_attachment.
func (n *Notebook) ReadAttachment(ctx context.Context, in ReadAttachmentIn) (ReadAttachmentOut, error) {
	if err := folder.CheckName(in.Path); err != nil {
		return ReadAttachmentOut{}, n.toolError(in.Path, err)
	}
	file, err := n.view.Find(in.Path)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(in.Path, "/") {
		file, err = n.attachmentNamed(ctx, in.Path)
	}
	switch {
	case err == nil && n.isServed(file):
		return ReadAttachmentOut{}, tools.Errorf(tools.Invalid, "path: %s is a page", file).WithHint("Use read_page.")
	case errors.Is(err, fs.ErrNotExist):
		return ReadAttachmentOut{}, tools.Errorf(tools.NotFound, "No file at path: %s", in.Path).
			WithHint("get_page_links names the attachments of a page.")
	case err != nil:
		return ReadAttachmentOut{}, n.toolError(in.Path, err)
	}
	data, err := n.view.ReadUpTo(file, maxShown)
	if err != nil {
		return ReadAttachmentOut{}, n.toolError(file, err)
	}
	kind, _, _ := strings.Cut(mime.TypeByExtension(strings.ToLower(path.Ext(file))), ";")
	if kind == "" {
		kind = "application/octet-stream"
	}
	return ReadAttachmentOut{Path: file, MIME: kind, Size: len(data), data: data}, nil
}

// attachmentNamed is the only attachment of this name.
func (n *Notebook) attachmentNamed(ctx context.Context, name string) (string, error) {
	o, err := n.outline(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, f := range o.files {
		if folder.FoldName(path.Base(f)) == folder.FoldName(name) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return "", fs.ErrNotExist
	case 1:
		return found[0], nil
	}
	return "", tools.Errorf(tools.Conflict, "%d files are named %s", len(found), name).
		WithHint("Name one of %s.", strings.Join(found[:min(len(found), 10)], ", "))
}
