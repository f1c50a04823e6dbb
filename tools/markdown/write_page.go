package markdown

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// WritePageIn are the arguments of write_page.
type WritePageIn struct {
	Path    string `json:"path" jsonschema:"page, such as Projects/Alpha.md"`
	Content string `json:"content" jsonschema:"the whole page: front matter and body"`
	IfMatch Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// WritePageOut is the answer of write_page.
type WritePageOut struct {
	Success bool   `json:"success" jsonschema:"true"`
	PageID  string `json:"pageId" jsonschema:"stable id"`
	Path    string `json:"path" jsonschema:"file of the page"`
	Created bool   `json:"created,omitempty" jsonschema:"the page is new"`
	Etag    string `json:"etag,omitempty" jsonschema:"its new version"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Diff    string `json:"diff,omitempty" jsonschema:"with dry_run: what would change"`
}

func writePage() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[WritePageIn, WritePageOut]{
		Name: "write_page", Title: "Write a page", Effect: tools.Writes,
		Selects:   []string{"path"},
		Normalize: aliases("path", "content"),
		Doc: "Replaces a whole page, or creates it at that path.\n" +
			"With if_match it is refused if the page has changed since. To change a part use edit_page.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[WritePageIn, WritePageOut]{{
			Purpose: "replace a page", In: WritePageIn{Path: "Projects/Alpha.md", Content: "---\ntitle: Alpha\n---\n\n# Alpha\n\nUpdated.\n"},
			AnyAnswer: true,
			Want:      WritePageOut{Success: true, PageID: "a1", Path: "Projects/Alpha.md", Etag: "5f2c0a1b9d3e7f48"},
		}},
	}, (*Notebook).WritePage), func(in WritePageIn) []string { return []string{in.Path} })
}

// WritePage implements write_page.
func (n *Notebook) WritePage(ctx context.Context, c tools.CallContext, in WritePageIn) (WritePageOut, error) {
	if err := checkContent(in.Content); err != nil {
		return WritePageOut{}, err
	}
	in.Path = strings.TrimPrefix(in.Path, "./")
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return WritePageOut{}, err
	}
	defer n.writing.Release(1)
	file, err := n.view.Find(in.Path)
	switch {
	case err == nil && norm.NFC.String(file) == norm.NFC.String(in.Path) && n.isServed(file):
		return n.update(ctx, c, file, in)
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, folder.ErrAmbiguous), notDirectory(err):
		return n.writeNew(ctx, c, in)
	}
	return WritePageOut{}, n.toolError(in.Path, err)
}

func (n *Notebook) update(ctx context.Context, c tools.CallContext, file string, in WritePageIn) (WritePageOut, error) {
	p, err := n.read(file)
	if err != nil {
		return WritePageOut{}, err
	}
	if err := in.IfMatch.check(p); err != nil {
		return WritePageOut{}, err
	}
	in.Content = keepID(p, in.Content)
	if n.view.Hides(file, folder.Rewrite(p.data, in.Content)) {
		return WritePageOut{}, hiddenError()
	}
	if in.DryRun {
		return WritePageOut{Success: true, PageID: idOf(n.view, p), Path: file, DryRun: true, Diff: diff(file, p.text, in.Content)}, nil
	}
	d := n.draft()
	if err := d.replacePage(p, in.Content); err != nil {
		return WritePageOut{}, err
	}
	if err := d.commit(ctx, c); err != nil {
		return WritePageOut{}, err
	}
	n.announce(file)
	now := parsePage(n.graph, file, folder.Rewrite(p.data, in.Content))
	return WritePageOut{Success: true, PageID: idOf(n.view, now), Path: file, Etag: now.etag()}, nil
}

// keepID is the new content of a page with its id, if that leaves it out: others refer
// to the page by it.
func keepID(p *page, content string) string {
	first, last := p.fields.Lines("id")
	if first == 0 || p.fields.Text("id") == "" || strings.HasPrefix(content, "\uFEFF") {
		return content
	}
	line := strings.Join(strings.SplitAfter(p.text, "\n")[first-1:last], "")
	block, body, has := frontmatter.Split(content)
	if !has && body > 0 { // TOML, before which YAML cannot stand
		return content
	}
	if has {
		if now, err := frontmatter.Parse(block); err != nil || now.Values["id"] != nil {
			return content
		}
		_, rest, _ := strings.Cut(content, "\n")
		return "---\n" + line + rest
	}
	return "---\n" + line + "---\n" + content
}

func (n *Notebook) writeNew(ctx context.Context, c tools.CallContext, in WritePageIn) (WritePageOut, error) {
	if err := folder.CheckName(in.Path); err != nil {
		return WritePageOut{}, n.toolError(in.Path, err)
	}
	if in.IfMatch != "" {
		return WritePageOut{}, n.missingError(in.Path)
	}
	o, err := n.outline(ctx)
	if err != nil {
		return WritePageOut{}, err
	}
	file, err := n.checkNewPage(o, in.Path)
	if err != nil {
		return WritePageOut{}, err
	}
	if n.view.Hides(file, []byte(in.Content)) {
		return WritePageOut{}, hiddenError()
	}
	now := parsePage(n.graph, file, []byte(in.Content))
	out := WritePageOut{Success: true, PageID: idOf(n.view, now), Path: file, Created: true, DryRun: in.DryRun}
	if in.DryRun {
		out.Diff = diff(file, "", in.Content)
		return out, nil
	}
	if err := n.addPage(ctx, c, o, file, []byte(in.Content)); err != nil {
		return WritePageOut{}, err
	}
	out.Etag = now.etag()
	return out, nil
}
