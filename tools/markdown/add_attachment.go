package markdown

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// maxAttachment is the maximum size of an attachment, in bytes.
const maxAttachment = 50 << 20

// AddAttachmentIn are the arguments of add_attachment.
type AddAttachmentIn struct {
	PagePath string `json:"pagePath" jsonschema:"page to attach to"`
	FilePath string `json:"filePath,omitempty" jsonschema:"file to copy, from the pages or an inbox"`
	FileName string `json:"fileName,omitempty" jsonschema:"name of the copy"`
	Data     string `json:"data,omitempty" jsonschema:"or base64 of up to 12 MB; needs fileName"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// AddAttachmentOut is the answer of add_attachment.
type AddAttachmentOut struct {
	RelativePath   string `json:"relativePath" jsonschema:"path from the page, such as ./assets/image.png"`
	MarkdownSyntax string `json:"markdownSyntax" jsonschema:"link to put into the page"`
	Path           string `json:"path" jsonschema:"path of the copy"`
	DryRun         bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

func addAttachment() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[AddAttachmentIn, AddAttachmentOut]{
		Name: "add_attachment", Title: "Attach a file", Effect: tools.Writes, Additive: true,
		Selects:   []string{"pagePath"},
		Normalize: aliases("pagePath"),
		Doc: "Copies a file of up to 50 MB to where the notebook keeps a page's attachments.\n" +
			"The page is not changed: put markdownSyntax into it.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[AddAttachmentIn, AddAttachmentOut]{{
			Purpose: "attach bytes", In: AddAttachmentIn{PagePath: "Projects/_index.md", FileName: "hello.txt", Data: "aGVsbG8="},
			Want: AddAttachmentOut{
				RelativePath: "./assets/hello.txt", MarkdownSyntax: "[hello.txt](./assets/hello.txt)", Path: "Projects/assets/hello.txt",
			},
		}},
	}, (*Notebook).AddAttachment), func(in AddAttachmentIn) []string { return []string{in.PagePath} })
}

// AddAttachment implements add_attachment.
func (n *Notebook) AddAttachment(ctx context.Context, c tools.CallContext, in AddAttachmentIn) (AddAttachmentOut, error) {
	page, err := n.find(in.PagePath)
	if err != nil {
		return AddAttachmentOut{}, explainMissing(ctx, n, in.PagePath, err)
	}
	data, err := n.attachmentData(in)
	if err != nil {
		return AddAttachmentOut{}, err
	}
	name, err := attachmentName(in)
	if err != nil {
		return AddAttachmentOut{}, err
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return AddAttachmentOut{}, err
	}
	defer n.writing.Release(1)
	dir := n.attachmentFolder(page)
	file := path.Join(dir, name)
	for i := 2; ; i++ {
		if _, err := n.view.Find(file); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if i > 1000 {
			return AddAttachmentOut{}, tools.Errorf(tools.Conflict, "Too many attachments have this name").WithHint("Choose another fileName.")
		}
		file = path.Join(dir, folder.NumberedName(name, i))
	}
	if strings.EqualFold(path.Base(dir), "assets") && n.view.Exists(path.Join(dir, indexPage)) {
		return AddAttachmentOut{}, tools.Errorf(tools.Conflict, "The assets folder of this page is itself a page").
			WithHint("Move the page named assets elsewhere first.")
	}
	if file, err = n.checkDestination(file, ""); err != nil {
		return AddAttachmentOut{}, err
	}
	if n.view.Hides(file, data) {
		return AddAttachmentOut{}, hiddenError()
	}
	if !in.DryRun {
		d := n.draft()
		if err := d.AddFile(file, data); err != nil {
			return AddAttachmentOut{}, n.toolError(file, err)
		}
		if err := d.commit(ctx, c); err != nil {
			return AddAttachmentOut{}, err
		}
		n.announce()
	}
	return attachmentLink(page, file, in.DryRun), nil
}

// attachmentLink is the answer for a file: its path from the page, and a link.
func attachmentLink(page, file string, dry bool) AddAttachmentOut {
	rel := relativePath(path.Dir(page), file)
	if !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	syntax := "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(path.Base(file)) + "](" + links.Escape(rel) + ")"
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp":
		syntax = "![](" + links.Escape(rel) + ")"
	}
	return AddAttachmentOut{RelativePath: rel, MarkdownSyntax: syntax, Path: file, DryRun: dry}
}

// attachmentData returns the bytes to attach.
func (n *Notebook) attachmentData(in AddAttachmentIn) ([]byte, error) {
	switch {
	case in.FilePath != "" && in.Data != "":
		return nil, tools.Errorf(tools.Invalid, "give filePath or data, not both")
	case in.FilePath != "":
		return n.readAttachment(in.FilePath)
	case in.Data == "":
		return nil, tools.Errorf(tools.Invalid, "missing argument filePath").WithHint("Or pass the bytes as data, in base64.")
	case in.FileName == "":
		return nil, tools.Errorf(tools.Invalid, "missing argument fileName").WithHint("Data has no file name of its own.")
	case base64.StdEncoding.DecodedLen(len(in.Data)) > maxAttachment+3:
		return nil, tools.Errorf(tools.Limited, "data: at most %d bytes", maxAttachment)
	}
	data, err := base64.StdEncoding.DecodeString(in.Data)
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "data: not valid base64")
	}
	return data, nil
}

// readAttachment reads a file from the folder of pages or from an inbox of the
// configuration.
func (n *Notebook) readAttachment(file string) ([]byte, error) {
	named := file // errors say what the agent said, and not where the notebook is
	if !filepath.IsAbs(file) {
		if err := folder.CheckName(filepath.ToSlash(file)); err != nil {
			return nil, n.toolError(file, err)
		}
		file = filepath.Join(n.view.Path(), file)
	}
	var data []byte
	inside, err := filepath.Rel(n.view.Path(), file)
	if err == nil && filepath.IsLocal(inside) {
		data, err = n.view.ReadUpTo(filepath.ToSlash(inside), maxAttachment)
	} else {
		data, err = folder.ReadOutside(file, n.inbox, maxAttachment)
	}
	switch {
	case errors.Is(err, folder.ErrNotAllowed):
		return nil, tools.Errorf(tools.Denied, "Files from this folder cannot be attached").
			WithHint("Put the file into the folder of pages, pass it as data, or ask the user to add its folder to the source's inbox in the " +
				"configuration.")
	case errors.Is(err, folder.ErrTooLarge):
		return nil, tools.Errorf(tools.Limited, "The file is larger than %d bytes", maxAttachment)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, folder.ErrNotRegular):
		return nil, tools.Errorf(tools.NotFound, "File not found at path: %s", named)
	case err != nil:
		return nil, n.toolError(named, err)
	}
	return data, nil
}

func attachmentName(in AddAttachmentIn) (string, error) {
	if in.FileName == "" {
		return folder.CleanName(path.Base(filepath.ToSlash(in.FilePath))), nil
	}
	if err := folder.CheckNew(in.FileName); err != nil {
		return "", tools.Errorf(tools.Invalid, "fileName: %s", strings.ReplaceAll(err.Error(), "the path", "it"))
	}
	if strings.Contains(in.FileName, "/") {
		return "", tools.Errorf(tools.Invalid, "fileName: must be a name without folders")
	}
	return in.FileName, nil
}
