package markdown

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A linkSource is a page with what is needed to resolve links from and to it.
type linkSource struct {
	file, title string
	named       bool // the title is the name of the file
	aliases     []string
	links       []writtenLink
	unreadable  bool
	graph       *logseqfile.Graph
}

// A writtenLink is a link with its target as the page has it.
type writtenLink struct {
	links.Link

	written string
}

// pageLinks are the links of a page, those of its front matter first.
func pageLinks(p *page) []links.Link {
	if p.graph != nil {
		return append(links.FrontMatter(p.text, p.body), links.ScanGraph(p.text, p.body)...)
	}
	return append(links.FrontMatter(p.text, p.body), links.Scan(p.text, p.body)...)
}

// scanPage is [pageLinks] for a page whose lines are known, and the tags in its text.
func scanPage(p *page, lines []structure.Line) (found []links.Link, tags []string) {
	if p.graph != nil {
		_, tags = links.ScanLines(p.text, lines)
		return pageLinks(p), tags
	}
	found, tags = links.ScanLines(p.text, lines)
	return append(links.FrontMatter(p.text, p.body), found...), tags
}

// readLinkSources reads the title, aliases and links of pages. A page that cannot be
// read has its name and no links.
func readLinkSources(
	ctx context.Context, graph *logseqfile.Graph, files []string, read func(file string) (*page, error),
) ([]linkSource, error) {
	all := make([]linkSource, len(files))
	err := folder.ForEach(ctx, len(files), func(i int) {
		p, err := read(files[i])
		if err != nil {
			p = parsePage(graph, files[i], nil)
		}
		c := linkSource{
			file: p.file, title: p.title(), named: p.fields.Text("title") == "", unreadable: err != nil || !p.utf8,
			aliases: p.aliases(), graph: graph,
		}
		for _, l := range pageLinks(p) {
			w := writtenLink{l, strings.Clone(p.text[l.Start:l.End])} // so that the page's text can be freed
			w.Target, w.Heading, w.Block, w.Text = strings.Clone(l.Target), "", "", ""
			c.links = append(c.links, w)
		}
		all[i] = c
	})
	return all, err
}

// How a link names what it leads to.
type linkForm int

const (
	relativeForm linkForm = iota + 1 // a path from the page
	rootForm                         // a path from the root with a slash
	pathForm                         // one without
	suffixForm                       // the end of a path
	nameForm                         // the name of a page or file
	titleForm                        // the title or an alias of a page
)

// A linkResolver finds what a link leads to: by path, else by name, else by title,
// else by alias. It ignores letter case. Of several pages that have the name it takes those
// that Obsidian takes, see nearestTo; what it leaves open the resolver does too.
type linkResolver struct {
	layout layout
	graph  *logseqfile.Graph                              // nil unless the layout is that of Logseq
	pages  func(kind index.NameKind, key string) []string // those with this name
	files  map[string][]string                            // attachments, by path and by name
}

// newLinkResolver resolves links among these pages and files.
func (n *Notebook) newLinkResolver(files []string, all []linkSource) *linkResolver {
	return &linkResolver{n.layout, n.graph, n.namesOf(namesOfSources(all)), attachmentNames(files)}
}

// namesOfSources looks names of these pages up.
func namesOfSources(all []linkSource) func(kind index.NameKind, key string) []string {
	names := map[index.Name][]string{}
	for _, c := range all {
		for _, name := range pageNames(c.file, c.title, c.aliases) {
			names[name] = append(names[name], c.file)
		}
	}
	return func(kind index.NameKind, key string) []string { return names[index.Name{Kind: kind, Key: key}] }
}

// namesOf leaves titles out where links do not use them.
func (n *Notebook) namesOf(pages func(index.NameKind, string) []string) func(index.NameKind, string) []string {
	if n.resolvesTitles() {
		return pages
	}
	return func(kind index.NameKind, key string) []string {
		if kind == index.TitleName || kind == index.AliasName {
			return nil
		}
		return pages(kind, key)
	}
}

// pageNames is what links can call a page, each once.
func pageNames(file, title string, aliases []string) []index.Name {
	place := stem(file)
	names := []index.Name{
		{Kind: index.PathName, Key: folder.FoldName(place)},
		{Kind: index.BaseName, Key: folder.FoldName(path.Base(place))},
		{Kind: index.TitleName, Key: folder.FoldName(title)},
	}
	for _, a := range aliases {
		if n := (index.Name{Kind: index.AliasName, Key: folder.FoldName(a)}); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// attachmentNames is what links can call files that are no pages.
func attachmentNames(files []string) map[string][]string {
	names := map[string][]string{}
	add := func(name, file string) {
		if name = folder.FoldName(name); !slices.Contains(names[name], file) {
			names[name] = append(names[name], file)
		}
	}
	for _, f := range files {
		add(f, f)
		if base := path.Base(f); base != f {
			add(base, f)
		}
	}
	return names
}

// linkKeys are the last parts of the names that l on the page from can mean: only
// pages with one of them as a name can be what it leads to.
func linkKeys(graph *logseqfile.Graph, from string, l links.Link) []string {
	target := strings.TrimSuffix(l.Target, "/")
	if graph != nil && l.Wiki {
		target = graph.Canonical(target)
	}
	if target == "" {
		return nil
	}
	keys := []string{lastPart(target)}
	if joined := lastPart(path.Join(path.Dir(from), target)); joined != keys[0] {
		keys = append(keys, joined)
	}
	return keys
}

// lastPart is the last part of a path to a page, folded.
func lastPart(p string) string {
	if strings.HasSuffix(p, "/"+rootIndex) || strings.HasSuffix(p, "/"+indexPage) {
		p = path.Dir(p)
	} else if isPage(p) {
		p = strings.TrimSuffix(p, path.Ext(p))
	}
	return folder.FoldName(path.Base(p))
}

// resolve returns what l on the page from may mean, and how it says so: pages, or
// else other files. Nothing is a broken link, several are an ambiguous one.
func (r *linkResolver) resolve(from string, l links.Link) (found []string, form linkForm) {
	target := l.Target
	if r.graph != nil && l.Wiki {
		return r.resolveTitle(target)
	}
	if rest, ok := strings.CutPrefix(target, "/"); ok {
		return r.at(strings.TrimSuffix(rest, "/")), rootForm
	}
	dotted := strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
	if !l.Wiki || dotted {
		found = r.relativeTo(from, target)
		if len(found) > 0 || dotted || r.layout != obsidianLayout {
			return found, relativeForm
		}
	}
	target = strings.TrimSuffix(target, "/")
	name := strings.TrimSuffix(target, ".md")
	if strings.Contains(name, "/") {
		if found = r.at(target); len(found) > 0 {
			return found, pathForm
		}
		if found = r.pagesBySuffix(name); len(found) == 0 {
			found = r.filesBySuffix(target)
		}
		return nearestTo(from, found), suffixForm
	}
	for _, named := range [][]string{
		r.pagesAt(target), r.pages(index.BaseName, folder.FoldName(name)), r.fileAt(target), r.files[folder.FoldName(target)],
	} {
		if len(named) > 0 {
			return nearestTo(from, named), nameForm
		}
	}
	if found = r.pages(index.TitleName, folder.FoldName(target)); len(found) > 0 {
		return found, titleForm
	}
	return r.pages(index.AliasName, folder.FoldName(target)), titleForm
}

// nearestTo are those of the files with one name that a link on the page from means: one in
// the folder of the page, or else the one with the shortest path. Obsidian measures paths as
// JavaScript does, and does not say which of two as long it takes.
func nearestTo(from string, files []string) []string {
	if len(files) < 2 {
		return files
	}
	beside := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return path.Dir(stem(f)) != path.Dir(from) })
	if len(beside) > 0 {
		files = beside
	}
	length := func(f string) int { return len(utf16.Encode([]rune(f))) }
	shortest := slices.MinFunc(files, func(a, b string) int { return length(a) - length(b) })
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return length(f) > length(shortest) })
}

// resolveTitle is resolve for a link that calls a page by its title or an alias, as all
// links of Logseq but those to files do.
func (r *linkResolver) resolveTitle(target string) (found []string, form linkForm) {
	key := folder.FoldName(r.graph.Canonical(target))
	if found = r.pages(index.TitleName, key); len(found) > 0 {
		return found, nameForm
	}
	if found = r.pages(index.AliasName, key); len(found) > 0 {
		return found, titleForm
	}
	return r.fileAt(target), pathForm
}

// relativeTo returns what is at a path from a page.
func (r *linkResolver) relativeTo(from, target string) []string {
	found := r.at(path.Join(path.Dir(from), target))
	if len(found) == 0 && r.graph != nil {
		return r.assetAt(target)
	}
	return found
}

// assetAt returns the file in the folder of Logseq's attachments that a link names,
// wherever the page is.
func (r *linkResolver) assetAt(target string) []string {
	if target = strings.TrimLeft(target, "./"); strings.HasPrefix(target, "assets/") {
		return r.fileAt(target)
	}
	return nil
}

// at returns the pages at a path, or else the file.
func (r *linkResolver) at(p string) []string {
	if found := r.pagesAt(p); len(found) > 0 {
		return found
	}
	return r.fileAt(p)
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
	found := r.pages(index.PathName, folder.FoldName(place))
	for _, f := range found {
		if f == p || len(found) > 1 && f == p+".md" {
			return []string{f}
		}
	}
	return found
}

// fileAt returns the attachment at a path, or several that differ in case or accents.
func (r *linkResolver) fileAt(p string) (found []string) {
	for _, f := range r.files[folder.FoldName(p)] {
		if f == p {
			return []string{f}
		}
		if folder.FoldName(f) == folder.FoldName(p) {
			found = append(found, f)
		}
	}
	return found
}

// pagesBySuffix returns the pages whose place ends in the path name.
func (r *linkResolver) pagesBySuffix(name string) []string {
	return endingIn(r.pages(index.BaseName, folder.FoldName(path.Base(name))), name, stem)
}

func (r *linkResolver) filesBySuffix(name string) []string {
	return endingIn(r.files[folder.FoldName(path.Base(name))], name, path.Clean)
}

func endingIn(files []string, name string, of func(string) string) (found []string) {
	for _, f := range files {
		if strings.HasSuffix(folder.FoldName(of(f)), "/"+folder.FoldName(name)) {
			found = append(found, f)
		}
	}
	return found
}
