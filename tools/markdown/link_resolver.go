package markdown

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// A linkSource is a page with what is needed to resolve links from and to it.
type linkSource struct {
	file, title string
	aliases     []string
	links       []links.Link
}

// readLinkSources reads the title, aliases and links of every page. A page that
// cannot be read has its name and no links.
func readLinkSources(ctx context.Context, o *outline, read func(file string) (*page, error)) ([]linkSource, error) {
	files := o.pageFiles()
	all := make([]linkSource, len(files))
	err := folder.ForEach(ctx, len(files), func(i int) {
		p, err := read(files[i])
		if err != nil {
			p = parse(files[i], nil)
		}
		c := linkSource{file: p.file, title: p.title(), aliases: append(p.fields.Texts("aliases"), p.fields.Texts("alias")...), links: links.Scan(p.text, p.body)}
		for j := range c.links { // so that the page's text can be freed
			l := &c.links[j]
			l.Target, l.Heading, l.Block, l.Text = strings.Clone(l.Target), "", "", ""
		}
		all[i] = c
	})
	return all, err
}

// How a link was resolved.
const (
	byPath  = "path"
	byName  = "name"
	byTitle = "title"
)

// A linkResolver finds the page that a link means: by path, else by name, else by
// title, else by alias. It ignores letter case. If several pages match it returns
// all of them.
type linkResolver struct {
	paths, names, titles, aliases map[string][]string
	files                         map[string][]string // attachments, by path and by name
}

func newLinkResolver(o *outline, all []linkSource) *linkResolver {
	r := &linkResolver{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}}
	for _, c := range all {
		place := stem(c.file)
		r.paths[folder.FoldName(place)] = append(r.paths[folder.FoldName(place)], c.file)
		r.names[folder.FoldName(path.Base(place))] = append(r.names[folder.FoldName(path.Base(place))], c.file)
		r.titles[folder.FoldName(c.title)] = append(r.titles[folder.FoldName(c.title)], c.file)
		for _, a := range c.aliases {
			if !slices.Contains(r.aliases[folder.FoldName(a)], c.file) {
				r.aliases[folder.FoldName(a)] = append(r.aliases[folder.FoldName(a)], c.file)
			}
		}
	}
	for _, f := range o.files {
		r.files[folder.FoldName(f)] = append(r.files[folder.FoldName(f)], f)
		if base := path.Base(f); base != f {
			r.files[folder.FoldName(base)] = append(r.files[folder.FoldName(base)], f)
		}
	}
	return r
}

// resolve returns the pages that l on the page from may mean, and how they were
// found. No page is a broken link, several are an ambiguous one.
func (r *linkResolver) resolve(from string, l links.Link) (found []string, by string) {
	target := l.Target
	relative := !l.Wiki || strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
	if relative && !strings.HasPrefix(target, "/") {
		if found := r.pagesAt(path.Join(path.Dir(from), target)); len(found) > 0 || l.Wiki {
			return found, byPath
		}
	}
	root := strings.HasPrefix(target, "/")
	target = strings.Trim(target, "/")
	if found := r.pagesAt(target); len(found) > 0 || root || !l.Wiki {
		return found, byPath
	}
	name := strings.TrimSuffix(target, ".md")
	if strings.Contains(name, "/") {
		return r.pagesBySuffix(name), byPath
	}
	if found := r.names[folder.FoldName(name)]; len(found) > 0 {
		return found, byName
	}
	if found := r.titles[folder.FoldName(target)]; len(found) > 0 {
		return found, byTitle
	}
	return r.aliases[folder.FoldName(target)], byTitle
}

// pagesAt returns the pages at a path, with or without extension. An exact match
// wins over one that differs in case or in the composition of accents.
func (r *linkResolver) pagesAt(p string) []string {
	place := p
	if strings.HasSuffix(p, "/"+rootIndex) { // [[Projects/_index]]
		place = path.Dir(p)
	} else if isPage(p) {
		place = stem(p)
	}
	found := r.paths[folder.FoldName(place)]
	for _, f := range found {
		if f == p || len(found) > 1 && f == p+".md" {
			return []string{f}
		}
	}
	return found
}

// pagesBySuffix returns the pages whose place ends in the path name.
func (r *linkResolver) pagesBySuffix(name string) []string {
	var found []string
	for _, f := range r.names[folder.FoldName(path.Base(name))] {
		if strings.HasSuffix(folder.FoldName(stem(f)), "/"+folder.FoldName(name)) {
			found = append(found, f)
		}
	}
	return found
}

// attachments returns the files, other than pages, that l may mean.
func (r *linkResolver) attachments(from string, l links.Link) []string {
	if found := r.files[folder.FoldName(path.Join(path.Dir(from), l.Target))]; len(found) > 0 {
		return found
	}
	return r.files[folder.FoldName(strings.TrimPrefix(l.Target, "/"))]
}
