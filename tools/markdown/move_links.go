package markdown

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// relocate moves files and updates links: relative links in the moved pages,
// Markdown links of other pages to them, and with wiki also wikilinks. It returns
// the new paths of all pages that change.
func (d *draft) relocate(ctx context.Context, o *outline, m moves, wiki bool) ([]string, error) {
	if len(m) == 0 {
		return nil, nil
	}
	edits, err := d.planLinks(ctx, o, m, wiki)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, from := range m.sources() {
		if err := d.MoveFile(from, m[from]); err != nil {
			return nil, d.n.toolError(from, err)
		}
		if isPage(m[from]) {
			changed = append(changed, m[from])
		}
	}
	for _, e := range edits {
		if err := d.SetContent(e.page.file, folder.Rewrite(e.page.data, e.text)); err != nil {
			return nil, d.n.toolError(e.page.file, err)
		}
		changed = append(changed, e.page.file)
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// An edit is the new text of a page, at the path it will have.
type edit struct {
	page *page
	text string
}

// planLinks reads every page and returns the edits of those whose links change.
func (d *draft) planLinks(ctx context.Context, o *outline, m moves, wiki bool) ([]edit, error) {
	files := o.pageFiles()
	known := map[string]bool{}
	for _, f := range slices.Concat(files, o.files) {
		known[f] = true
	}
	var r *linkResolver
	if wiki {
		all, err := readLinkSources(ctx, o, d.readPage)
		if err != nil {
			return nil, err
		}
		r = newLinkResolver(o, all)
	}
	edits := make([]edit, len(files))
	err := folder.ForEach(ctx, len(files), func(i int) {
		p, err := d.readPage(files[i])
		if err != nil || !p.utf8 {
			return
		}
		if text := relink(p, m, known, r); text != p.text {
			p.file = m.newPath(p.file)
			edits[i] = edit{p, text}
		}
	})
	return slices.DeleteFunc(edits, func(e edit) bool { return e.page == nil }), err
}

// relink returns the text of p with updated links.
func relink(p *page, m moves, known map[string]bool, r *linkResolver) string {
	var b strings.Builder
	at := 0
	for _, l := range links.Scan(p.text, p.body) {
		var to string
		if l.Wiki {
			to = newWiki(p, l, m, r)
		} else {
			to = newRelative(p, l, m, known)
		}
		if to != "" {
			b.WriteString(p.text[at:l.Start] + to)
			at = l.End
		}
	}
	return b.String() + p.text[at:]
}

// newRelative returns the new target of a Markdown link, or "" if it can stay. A
// broken link stays.
func newRelative(p *page, l links.Link, m moves, known map[string]bool) string {
	target := path.Join(path.Dir(p.file), l.Target)
	if strings.HasPrefix(l.Target, "/") || !known[target] {
		return ""
	}
	from, to := path.Dir(m.newPath(p.file)), m.newPath(target)
	if from == path.Dir(p.file) && to == target {
		return ""
	}
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(to))
	if err != nil {
		return ""
	}
	rel = filepath.ToSlash(rel)
	if rel == path.Clean(l.Target) {
		return ""
	}
	if strings.HasPrefix(l.Target, "./") && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return links.Escape(rel)
}

// newWiki returns the new target of a wikilink, or "" if it can stay.
func newWiki(p *page, l links.Link, m moves, r *linkResolver) string {
	if r == nil || l.Target == "" {
		return ""
	}
	found, by := r.resolve(p.file, l)
	if len(found) != 1 || stem(m.newPath(found[0])) == stem(found[0]) {
		return ""
	}
	was, now := stem(found[0]), stem(m.newPath(found[0]))
	switch {
	case by == byTitle: // a title or alias does not change with the path
		return ""
	case by == byName && path.Base(was) == path.Base(now):
		return ""
	case by == byName && len(r.names[folder.FoldName(path.Base(now))]) == 0:
		return path.Base(now)
	}
	if isPage(l.Target) {
		return m.newPath(found[0])
	}
	return now
}

// pageFiles lists the files of all pages in order.
func (o *outline) pageFiles() []string {
	var files []string
	for _, at := range o.places {
		if at.page != "" {
			files = append(files, at.page)
		}
	}
	slices.Sort(files)
	return files
}

// pageNode returns the node whose page is file.
func (o *outline) pageNode(file string) (*node, bool) {
	for _, place := range []string{stem(file), file} {
		if at, ok := o.places[place]; ok && at.page == file {
			return at, true
		}
	}
	return nil, false
}
