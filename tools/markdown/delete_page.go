package markdown

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// DeletePageIn are the arguments of delete_page.
type DeletePageIn struct {
	Path    string `json:"path" jsonschema:"page"`
	IfMatch Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page; refused if the page has changed since"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// DeletePageOut is the answer of delete_page.
type DeletePageOut struct {
	Deleted bool   `json:"deleted" jsonschema:"true: the page was deleted"`
	PageID  string `json:"pageId" jsonschema:"its id"`
	Path    string `json:"path" jsonschema:"its file"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"nothing was deleted"`
	Note    string `json:"note,omitempty" jsonschema:"what was kept"`
}

func deletePage() tools.Tool[*Notebook] {
	return tools.DefineWithContext(tools.Spec[DeletePageIn, DeletePageOut]{
		Name: "delete_page", Title: "Delete a page", Effect: tools.Deletes,
		Normalize: aliases("path"),
		Doc:       "Deletes one page, and its assets folder if that is empty.\nPages below it and attachments are kept.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[DeletePageIn, DeletePageOut]{{
			Purpose: "see what deleting a page would do", In: DeletePageIn{Path: "Projects/Alpha.md", DryRun: true}, AnyAnswer: true,
		}, {
			Purpose: "delete a page", In: DeletePageIn{Path: "Projects/Alpha.md"}, AnyAnswer: true,
		}},
	}, (*Notebook).DeletePage)
}

// DeletePage implements delete_page.
func (n *Notebook) DeletePage(ctx context.Context, c tools.CallContext, in DeletePageIn) (DeletePageOut, error) {
	n.writing.Lock()
	defer n.writing.Unlock()
	p, o, err := n.findToChange(ctx, in.Path, in.IfMatch)
	if err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{Deleted: !in.DryRun, PageID: p.id(), Path: p.file, DryRun: in.DryRun}
	if at, ok := o.pageNode(p.file); ok && len(at.children) > 0 {
		count := 0
		for _, c := range at.children {
			c.pages(func(*node) { count++ })
		}
		out.Note = fmt.Sprintf("%d pages below it are kept.", count)
	}
	if in.DryRun {
		return out, nil
	}
	d := n.draft()
	if err := d.RemoveFile(p.file); err != nil {
		return DeletePageOut{}, n.toolError(p.file, err)
	}
	for _, dir := range []string{stem(p.file) + "/assets", stem(p.file)} {
		if _, err := d.RemoveEmpty(dir); err != nil {
			return DeletePageOut{}, n.toolError(dir, err)
		}
	}
	if err := d.commit(ctx, c); err != nil {
		return DeletePageOut{}, err
	}
	n.announce(p.file)
	return out, nil
}
