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
	unreadable   []string     // pages besides sources
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
	all, err := readLinkSources(ctx, d.n.graph, o.pageFiles(), d.readPage)
	return affectedPages{
		sources: all, was: d.n.newLinkResolver(o.files, all), becomes: d.n.newLinkResolver(m.newPaths(o.files), m.newSources(all)),
		failed: func() error { return nil },
	}, err
}

// findIndexed finds the pages that move, those whose links have a name that something
// moved has or gets, and those that the draft has changed already: the index does not
// know what they hold now.
func (d *draft) findIndexed(ctx context.Context, now *comparison, o *outline, m moves) (found affectedPages, err error) {
	known, changed, keys := d.changedFiles(o, m)
	becomeFiles := o.attachments
	if len(keys) > 0 { // some of them move
		becomeFiles = func() map[string][]string { return attachmentNames(m.newPaths(o.files)) }
	}
	sources, err := readLinkSources(ctx, d.n.graph, slices.Sorted(maps.Keys(changed)), d.readPage)
	if err != nil {
		return found, err
	}
	after := m.newSources(sources)
	for _, s := range slices.Concat(sources, after) {
		for _, name := range append(slices.Clone(s.aliases), s.title, stem(s.file)) {
			keys = append(keys, lastPart(name))
		}
	}
	linking, err := now.linksByKey(ctx, d.n, keys)
	if err != nil {
		return found, err
	}
	if found.sources, err = d.readOthers(ctx, linking, known, changed); err != nil {
		return found, err
	}
	found.sources = append(found.sources, sources...)
	if found.unreadable, err = now.x.Foreign(ctx); err != nil {
		return found, err
	}
	found.unreadable = slices.DeleteFunc(found.unreadable, func(file string) bool {
		return known[file] || slices.ContainsFunc(found.sources, func(s linkSource) bool { return s.file == file })
	})
	pages, failed := now.namedPages(ctx)
	found.failed = failed
	found.was = &linkResolver{d.n.layout, d.n.graph, d.n.namesOf(replaceNames(pages, known, sources)), o.attachments()}
	known = maps.Clone(known)
	for from, to := range m {
		known[from] = true
		if !changed[to] && m.newPath(to) == to && o.isPage(to) { // it is merged into a page that the index knows
			after = slices.DeleteFunc(after, func(s linkSource) bool { return s.file == to })
		}
	}
	found.becomes = &linkResolver{d.n.layout, d.n.graph, d.n.namesOf(replaceNames(pages, known, after)), becomeFiles()}
	return found, nil
}

// changedFiles are the files that the draft has changed, as they are and, of pages and
// with those that move, as they will be; and the keys of links to other files that
// move.
func (d *draft) changedFiles(o *outline, m moves) (known, changed map[string]bool, keys []string) {
	known, changed = map[string]bool{}, map[string]bool{}
	for _, c := range d.Changes() {
		if file, isFolder := folder.ParseTarget(c.Target); !isFolder {
			known[file] = true
			if c.After.Exists && o.isPage(file) {
				changed[file] = true
			}
		}
	}
	for from, to := range m {
		if o.isPage(from) {
			changed[from] = true
		} else {
			keys = append(keys, lastPart(from), lastPart(to), folder.FoldName(path.Base(from)), folder.FoldName(path.Base(to)))
		}
	}
	return known, changed, keys
}

// readOthers reads those of the pages that the draft neither knows nor has changed.
func (d *draft) readOthers(ctx context.Context, pages []linkSource, known, changed map[string]bool) ([]linkSource, error) {
	var files []string
	for _, s := range pages {
		if !known[s.file] && !changed[s.file] {
			files = append(files, s.file)
		}
	}
	return readLinkSources(ctx, d.n.graph, files, d.readPage)
}

// replaceNames looks names up among pages, but for those in without, and among sources.
func replaceNames(
	pages func(index.NameKind, string) []string, without map[string]bool, sources []linkSource,
) func(index.NameKind, string) []string {
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
