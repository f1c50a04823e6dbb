package markdown

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/vault"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// A linkSource is what links need to know of a page.
type linkSource struct {
	file, title string
	aliases     []string
	links       []links.Link
}

// readLinkSources reads every page's title, aliases and links. A page that cannot be
// read is there under its name, without links.
func readLinkSources(ctx context.Context, o *outline, read func(file string) (*page, error)) ([]linkSource, error) {
	files := o.pageFiles()
	all := make([]linkSource, len(files))
	err := parallel(ctx, len(files), func(i int) {
		p, err := read(files[i])
		if err != nil {
			p = parse(files[i], nil)
		}
		c := linkSource{file: p.file, title: p.title(), aliases: append(p.fields.Texts("aliases"), p.fields.Texts("alias")...), links: links.Scan(p.text, p.body)}
		for j := range c.links { // so that the page's text can be forgotten
			l := &c.links[j]
			l.Target, l.Heading, l.Block, l.Text = strings.Clone(l.Target), "", "", ""
		}
		all[i] = c
	})
	return all, err
}

// How a link found its page.
const (
	byPath  = "path"
	byName  = "name"
	byTitle = "title"
)

// A linkResolver says which page a link means: the one at that path, else the only
// one of that name, else of that title, else of that alias. It compares
// without case, and never chooses between several.
type linkResolver struct {
	paths, names, titles, aliases map[string][]string
	files                         map[string][]string // attachments, by path and by name
}

func key(s string) string { return vault.Fold(s) }

func newLinkResolver(o *outline, all []linkSource) *linkResolver {
	r := &linkResolver{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}}
	for _, c := range all {
		place := stem(c.file)
		r.paths[key(place)] = append(r.paths[key(place)], c.file)
		r.names[key(path.Base(place))] = append(r.names[key(path.Base(place))], c.file)
		r.titles[key(c.title)] = append(r.titles[key(c.title)], c.file)
		for _, a := range c.aliases {
			if !slices.Contains(r.aliases[key(a)], c.file) {
				r.aliases[key(a)] = append(r.aliases[key(a)], c.file)
			}
		}
	}
	for _, f := range o.files {
		r.files[key(f)] = append(r.files[key(f)], f)
		if base := path.Base(f); base != f {
			r.files[key(base)] = append(r.files[key(base)], f)
		}
	}
	return r
}

// resolve returns the pages that l on the page from may mean, and how it was
// found: none is a broken link, several an ambiguous one.
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
	if found := r.names[key(name)]; len(found) > 0 {
		return found, byName
	}
	if found := r.titles[key(target)]; len(found) > 0 {
		return found, byTitle
	}
	return r.aliases[key(target)], byTitle
}

// pagesAt are the pages at a path with or without its extension. Where the very
// file exists, one that differs in case or form is not meant.
func (r *linkResolver) pagesAt(p string) []string {
	place := p
	if strings.HasSuffix(p, "/"+rootIndex) { // [[Projects/_index]]
		place = path.Dir(p)
	} else if isPage(p) {
		place = stem(p)
	}
	found := r.paths[key(place)]
	for _, f := range found {
		if f == p || len(found) > 1 && f == p+".md" {
			return []string{f}
		}
	}
	return found
}

// pagesBySuffix are the pages whose place ends in the parts of name.
func (r *linkResolver) pagesBySuffix(name string) []string {
	var found []string
	for _, f := range r.names[key(path.Base(name))] {
		if strings.HasSuffix(key(stem(f)), "/"+key(name)) {
			found = append(found, f)
		}
	}
	return found
}

// attachments is the file that is no page which l may mean.
func (r *linkResolver) attachments(from string, l links.Link) []string {
	if found := r.files[key(path.Join(path.Dir(from), l.Target))]; len(found) > 0 {
		return found
	}
	return r.files[key(strings.TrimPrefix(l.Target, "/"))]
}
