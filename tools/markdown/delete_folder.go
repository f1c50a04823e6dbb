package markdown

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// deleteFolder carries delete_page out for a path that ends in a slash: the folder
// with all pages and other files in it.
func (in DeletePageIn) deleteFolder(ctx context.Context, n *Notebook, c tools.CallContext) (DeletePageOut, error) {
	if in.IfMatch != "" {
		return DeletePageOut{}, tools.Errorf(tools.Invalid, "if_match: belongs to a page, and %s is a folder", in.Path)
	}
	place := argumentPlace(in.Path)
	if place == "" {
		return DeletePageOut{}, tools.Errorf(tools.Invalid, "path: the folder of all pages cannot be deleted")
	}
	now, at, err := lookAt(ctx, n, in.Path)
	if err != nil {
		return DeletePageOut{}, err
	}
	if !at.folder || at.place != place {
		return DeletePageOut{}, explainMissing(ctx, n, in.Path, notFoundError(in.Path))
	}
	linking, err := now.describeLinksInto(ctx, n, func(file string) bool { return strings.HasPrefix(file, at.place+"/") })
	if err != nil {
		return DeletePageOut{}, err
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return DeletePageOut{}, err
	}
	defer n.writing.Release(1)
	d := n.draft()
	pages, others, err := d.removeAllIn(ctx, place)
	if err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{Deleted: !in.DryRun, Path: place, DryRun: in.DryRun}
	out.Note = strings.TrimSpace(fmt.Sprintf("Pages in it: %d; other files: %d. ", len(pages), others) + linking + trashNote(n, place+"/x.md"))
	if in.DryRun {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return DeletePageOut{}, err
	}
	n.announce(pages...)
	return out, nil
}

// removeAllIn drafts that a folder goes with all in it but what other programs keep
// there. It returns its pages, and how many other files it has.
func (d *draft) removeAllIn(ctx context.Context, dir string) (pages []string, others int, err error) {
	below, err := d.n.view.List(ctx, func(name string, isDir bool) bool {
		return isDir && isForeign(name) || !strings.HasPrefix(name, dir+"/") && !strings.HasPrefix(dir+"/", name+"/")
	})
	if err != nil {
		return nil, 0, d.n.toolError(dir, err)
	}
	for _, file := range below.Files {
		if !strings.HasPrefix(file, dir+"/") {
			continue
		}
		if err := d.TrashFile(file); err != nil {
			return nil, 0, d.n.toolError(file, err)
		}
		if d.n.isServed(file) {
			pages = append(pages, file)
		} else {
			others++
		}
	}
	folders := append(slices.DeleteFunc(below.Folders, func(f string) bool { return !strings.HasPrefix(f, dir+"/") }), dir)
	slices.Sort(folders)
	for _, f := range slices.Backward(folders) {
		if _, err := d.RemoveEmpty(f); err != nil {
			return nil, 0, d.n.toolError(f, err)
		}
	}
	return pages, others, nil
}

// describeLinksInto says which other pages link to some files; empty: none do.
func (c *comparison) describeLinksInto(ctx context.Context, n *Notebook, inside func(file string) bool) (string, error) {
	linking, r, failed, err := c.linkSourcesInto(ctx, n, inside)
	if err != nil {
		return "", err
	}
	links, pages := 0, []string{}
	for _, source := range linking {
		count := 0
		for _, l := range source.links {
			if found, _ := r.resolve(source.file, l.Link); l.Target != "" && len(found) == 1 && inside(found[0]) {
				count++
			}
		}
		if count > 0 && !inside(source.file) {
			links, pages = links+count, append(pages, source.file)
		}
	}
	return describeLinks(links, pages), failed()
}

// linkSourcesInto are the pages whose links may lead to one of some files, and what
// resolves them; failed is the error of a look-up, if there was one.
func (c *comparison) linkSourcesInto(ctx context.Context, n *Notebook, among func(file string) bool) (
	linking []linkSource, r *linkResolver, failed func() error, err error,
) {
	if c.x == nil {
		all, err := c.linkSources(ctx, n)
		return all, n.newLinkResolver(c.outline.files, all), func() error { return nil }, err
	}
	var keys []string
	for _, file := range c.outline.listed {
		if !among(file) {
			continue
		}
		keys = append(keys, lastPart(file), folder.FoldName(path.Base(file)))
		if c.outline.isPage(file) {
			keys = append(keys, n.head(file).linkKeys(file)...)
		}
	}
	slices.Sort(keys)
	linking, err = c.linksByKey(ctx, n, slices.Compact(keys))
	names, failed := c.namedPages(ctx)
	return linking, &linkResolver{n.layout, n.graph, n.namesOf(names), c.outline.attachments()}, failed, err
}
