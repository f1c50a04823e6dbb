package markdown

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// DeletePageIn are the arguments of delete_page.
type DeletePageIn struct {
	Path    string `json:"path" jsonschema:"page"`
	IfMatch Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page; refuse if the page has changed since"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only check; delete nothing"`
}

// DeletePageOut is the answer of delete_page.
type DeletePageOut struct {
	Deleted bool   `json:"deleted" jsonschema:"whether the page was deleted"`
	PageID  string `json:"pageId" jsonschema:"id it had"`
	Path    string `json:"path" jsonschema:"file it was"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"nothing was deleted"`
	Note    string `json:"note,omitempty" jsonschema:"what was kept"`
}

func deletePage() tools.Tool[*Notebook] {
	return tools.DefineWithContext(tools.Spec[DeletePageIn, DeletePageOut]{
		Name: "delete_page", Title: "Delete a page", Effect: tools.Deletes,
		Doc:    "Deletes one page and its assets folder if that is empty.\nPages below it stay where they are; attachments are never deleted.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
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
	file, err := n.findExact(in.Path)
	if err != nil {
		return DeletePageOut{}, err
	}
	p, err := n.read(file)
	if err != nil {
		return DeletePageOut{}, err
	}
	if err := in.IfMatch.check(p); err != nil {
		return DeletePageOut{}, err
	}
	o, err := n.outline(ctx)
	if err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{Deleted: !in.DryRun, PageID: p.id(), Path: file, DryRun: in.DryRun}
	if at, ok := o.pageNode(file); ok && len(at.children) > 0 {
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
	if err := d.removeFile(file); err != nil {
		return DeletePageOut{}, err
	}
	for _, dir := range []string{stem(file) + "/assets", stem(file)} {
		if _, err := d.removeEmpty(dir); err != nil {
			return DeletePageOut{}, err
		}
	}
	if err := d.commit(ctx, c); err != nil {
		return DeletePageOut{}, err
	}
	n.announce(file)
	return out, nil
}
