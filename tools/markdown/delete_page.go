package markdown

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// DeletePageIn are the arguments of delete_page.
type DeletePageIn struct {
	Path    string `json:"path" jsonschema:"page, file, or folder/ with all in it"`
	IfMatch Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// DeletePageOut is the answer of delete_page.
type DeletePageOut struct {
	Deleted bool   `json:"deleted" jsonschema:"true: the page was deleted"`
	PageID  string `json:"pageId" jsonschema:"its id"`
	Path    string `json:"path" jsonschema:"its file"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"nothing was deleted"`
	Note    string `json:"note,omitempty" jsonschema:"what was kept, and which links led to it"`
}

func deletePage() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[DeletePageIn, DeletePageOut]{
		Name: "delete_page", Title: "Delete a page", Effect: tools.Deletes,
		Selects:   []string{"path"},
		Normalize: aliases("path"),
		Doc: "Deletes one page, and its assets folder if that is empty.\n" +
			"Pages below it and attachments are kept.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[DeletePageIn, DeletePageOut]{{
			Purpose: "see what deleting a page would do", In: DeletePageIn{Path: "Projects/Alpha.md", DryRun: true}, AnyAnswer: true,
		}, {
			Purpose: "delete a page", In: DeletePageIn{Path: "Projects/Alpha.md"}, AnyAnswer: true,
		}},
	}, (*Notebook).DeletePage), func(in DeletePageIn) []string { return []string{in.Path} })
}

// DeletePage implements delete_page.
func (n *Notebook) DeletePage(ctx context.Context, c tools.CallContext, in DeletePageIn) (DeletePageOut, error) {
	if strings.HasSuffix(in.Path, "/") && n.graph == nil { // the titles of a Logseq graph are in no folders
		return in.deleteFolder(ctx, n, c)
	}
	linking, err := in.findLinks(ctx, n)
	if err != nil {
		if now, file, found := n.lookForAttachment(ctx, in.Path, err); found {
			return in.deleteAttachment(ctx, n, c, now, file)
		}
		return DeletePageOut{}, err
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return DeletePageOut{}, err
	}
	defer n.writing.Release(1)
	p, o, err := n.findToChange(ctx, in.Path, in.IfMatch)
	if err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{Deleted: !in.DryRun, PageID: idOf(n.view, p), Path: p.file, DryRun: in.DryRun}
	below, attached := whatStays(o, p.file)
	out.Note = strings.TrimSpace(below + linking + trashNote(n, p.file) + attached)
	if in.DryRun {
		return out, nil
	}
	d := n.draft()
	if err := d.TrashFile(p.file); err != nil {
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

// whatStays says how many pages below a page, and which of its attachments, are kept.
func whatStays(o *outline, file string) (below, attached string) {
	if at, ok := o.pageNode(file); ok && len(at.children) > 0 {
		count := 0
		for _, c := range at.children {
			c.pages(func(*node) { count++ })
		}
		below = fmt.Sprintf("%d pages below it are kept. ", count)
	}
	if assets := stem(file) + "/assets"; hasFileIn(o.files, assets) {
		attached = fmt.Sprintf("Its attachments are kept: %s.", assets)
	}
	return below, attached
}

// findLinks says which links lead to the page. It looks before the page is taken for
// writing, so that no writer waits for it.
func (in DeletePageIn) findLinks(ctx context.Context, n *Notebook) (string, error) {
	file, err := n.findExact(in.Path)
	if err != nil && n.graph == nil {
		err = explainFolder(ctx, n, in.Path, err)
	}
	if err != nil {
		return "", explainMissing(ctx, n, in.Path, err)
	}
	p, err := n.read(file)
	if err != nil {
		return "", err
	}
	now, err := n.look(ctx)
	if err != nil {
		return "", err
	}
	_, incoming, err := now.linksOf(ctx, n, p)
	if err != nil {
		return "", err
	}
	links, pages := 0, []string{}
	for _, from := range incoming {
		if from.Path != file {
			links, pages = links+from.Count, append(pages, from.Path)
		}
	}
	return describeLinks(links, pages), nil
}

// explainFolder is an error of a page that is missing, unless the path is that of a folder
// without a page of its own.
func explainFolder(ctx context.Context, n *Notebook, path string, missing error) error {
	_, at, err := n.findNode(ctx, path)
	if err != nil || at.page != "" || at.place == "" {
		return missing
	}
	return tools.Errorf(tools.Invalid, "path: %s is a folder without a page of its own", at.place).
		WithHint("To delete it with all in it use %s/.", at.place)
}

// describeLinks says how many links there are, and on which pages; empty: none.
func describeLinks(links int, pages []string) string {
	if links == 0 {
		return ""
	}
	named := strings.Join(pages[:min(len(pages), 5)], ", ")
	if more := len(pages) - 5; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("Links to it: %d, on %d pages: %s. ", links, len(pages), named)
}

// hasFileIn reports whether one of files is below a folder.
func hasFileIn(files []string, dir string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, dir+"/") })
}
