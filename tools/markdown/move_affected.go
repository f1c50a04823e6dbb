package markdown

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// affectedPages are the pages whose links a move may change, and what links lead to
// before it and after.
type affectedPages struct {
	sources      []linkSource
	was, becomes *linkResolver
	unreadable   int          // pages besides sources
	failed       func() error // of a look-up, if there was one
}

// findAffected finds the pages whose links moves may change: from the index where
// there is one, or else all pages.
func (d *draft) findAffected(ctx context.Context, o *outline, m moves) (affectedPages, error) {
	now, err := d.n.look(ctx)
	if err != nil {
		return affectedPages{}, err
	}
	if now.x != nil {
		found, err := d.findIndexed(ctx, now, o, m)
		if err == nil || ctx.Err() != nil {
			return found, err
		}
		d.n.index.drop(err)
	}
	all, err := readLinkSources(ctx, o.pageFiles(), d.readPage)
	return affectedPages{
		sources: all, was: d.n.newLinkResolver(o.files, all), becomes: d.n.newLinkResolver(m.newPaths(o.files), m.newSources(all)),
		failed: func() error { return nil },
	}, err
}

// findIndexed finds the pages that move, those whose links have a name that something
// moved has or gets, and those that the draft has changed already: the index does not
// know what they hold now.
func (d *draft) findIndexed(ctx context.Context, now *comparison, o *outline, m moves) (found affectedPages, err error) {
	known, changed := map[string]bool{}, map[string]bool{} // of the draft: files as they are, and as they will be
	for _, c := range d.Changes() {
		if file, isFolder := folder.ParseTarget(c.Target); !isFolder {
			known[file] = true
			if c.After.Exists && o.isPage(file) {
				changed[file] = true
			}
		}
	}
	keys := []string{}
	for _, from := range m.sources() {
		changed[from] = o.isPage(from)
		if !changed[from] {
			keys = append(keys, lastPart(from), lastPart(m[from]), folder.FoldName(path.Base(from)), folder.FoldName(path.Base(m[from])))
		}
	}
	var files []string
	for file, is := range changed {
		if is {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	sources, err := readLinkSources(ctx, files, d.readPage)
	if err != nil {
		return found, err
	}
	after := m.newSources(sources)
	for _, s := range slices.Concat(sources, after) {
		for _, name := range append(slices.Clone(s.aliases), s.title, stem(s.file)) {
			keys = append(keys, lastPart(name))
		}
	}
	linking, err := now.linksByKey(ctx, keys)
	if err != nil {
		return found, err
	}
	var more []string
	for _, s := range linking {
		if !known[s.file] && !changed[s.file] {
			more = append(more, s.file)
		}
	}
	rest, err := readLinkSources(ctx, more, d.readPage)
	if err != nil {
		return found, err
	}
	found.sources = append(sources, rest...)
	if found.unreadable, err = now.x.Foreign(ctx); err != nil {
		return found, err
	}
	for _, s := range found.sources {
		if s.unreadable {
			found.unreadable = max(0, found.unreadable-1)
		}
	}
	pages, failed := now.namedPages(ctx)
	found.failed = failed
	found.was = &linkResolver{d.n.layout, d.n.namesOf(replaceNames(pages, known, sources)), attachmentNames(o.files)}
	known = maps.Clone(known)
	for from, to := range m {
		known[from] = true
		if !changed[to] && m.newPath(to) == to && o.isPage(to) { // it is merged into a page that the index knows
			after = slices.DeleteFunc(after, func(s linkSource) bool { return s.file == to })
		}
	}
	found.becomes = &linkResolver{d.n.layout, d.n.namesOf(replaceNames(pages, known, after)), attachmentNames(m.newPaths(o.files))}
	return found, nil
}

// replaceNames looks names up among pages, but for those in without, and among sources.
func replaceNames(pages func(index.NameKind, string) []string, without map[string]bool, sources []linkSource) func(index.NameKind, string) []string {
	others := namesOfSources(sources)
	of := map[string]bool{}
	for _, s := range sources {
		of[s.file] = true
	}
	return func(kind index.NameKind, key string) []string {
		found := slices.Clone(others(kind, key))
		for _, file := range pages(kind, key) {
			if !without[file] && !of[file] {
				found = append(found, file)
			}
		}
		slices.Sort(found)
		return found
	}
}
