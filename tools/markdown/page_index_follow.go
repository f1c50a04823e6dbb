package markdown

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/watch"
)

// follow makes c of the last comparison and of what the system says has changed. It
// reports whether that was possible; if not, all files must be compared.
func (p *pageIndex) follow(c *comparison, change watch.Change) bool {
	if p.last == nil || change.All {
		return false
	}
	last := p.last
	edited, moved := p.sortNames(change.Names)
	var gone []string
	c.entries, c.outline = last.entries, last.outline
	if len(moved) > 0 {
		entries, added, removed, ok := followListing(p.n, last.entries, moved)
		if !ok {
			return false
		}
		if len(added)+len(removed) > 0 || len(entries.Folders) != len(last.entries.Folders) {
			c.entries, c.outline = entries, last.outline.follow(last.entries, entries, added, removed)
		}
		edited = append(edited, slices.DeleteFunc(added, func(file string) bool { return !c.outline.isPage(file) })...)
		gone = slices.DeleteFunc(removed, func(file string) bool { return !last.outline.isPage(file) || c.outline.lists(file) })
		edited = slices.DeleteFunc(edited, func(file string) bool { return slices.Contains(gone, file) })
	}
	if last.x != nil && len(edited)+len(gone) > 0 {
		slices.Sort(edited)
		if edited = slices.Compact(edited); len(edited) > maxInline || p.update(p.ctx, edited, gone) != nil {
			return false
		}
	}
	if c.x, c.unread = last.x, slices.Sorted(maps.Keys(p.bad)); len(edited)+len(gone) == 0 && c.outline == last.outline {
		c.cache = last.cache
	}
	p.last = c
	return true
}

// sortNames are the pages to read again, and the names under which something has come
// or gone.
func (p *pageIndex) sortNames(names []string) (edited, moved []string) {
	edited = slices.Collect(maps.Keys(p.bad))
	for _, name := range names {
		switch _, modified := p.n.view.Stat(name); {
		case slices.ContainsFunc(strings.Split(name, "/"), folder.IsHidden): // no outline has it
		case !p.last.outline.lists(name) || modified.IsZero():
			moved = append(moved, name)
		case p.last.outline.isPage(name):
			edited = append(edited, name)
		}
	}
	return edited, moved
}

// followListing is a listing after something has come or gone under these names, with
// the files that it has gained and lost. Not ok: it must be made anew, because what
// else is a page may have changed with them, or what else is hidden.
func followListing(n *Notebook, l folder.Listing, names []string) (now folder.Listing, added, removed []string, ok bool) {
	if n.rules != nil || len(l.Skipped) > 0 || len(names) > maxInline {
		return l, nil, nil, false
	}
	now = l
	now.Folders, now.Files = slices.Clone(l.Folders), slices.Clone(l.Files)
	for _, name := range names {
		if folder.CheckName(name) != nil || isIndex(name) || strings.Contains("/"+strings.ToLower(name)+"/", "/assets/") {
			return l, nil, nil, false
		}
		var lost []string
		now.Folders, _ = cutBelow(now.Folders, name)
		now.Files, lost = cutBelow(now.Files, name)
		removed = append(removed, lost...)
		_, modified := n.view.Stat(name)
		isDir := n.view.IsDir(name)
		if modified.IsZero() && !isDir {
			continue
		}
		top := name
		if !isDir {
			now.Files, top = insertName(now.Files, name), path.Dir(name)
			added = append(added, name)
		}
		for dir := top; dir != "."; dir = path.Dir(dir) {
			now.Folders = insertName(now.Folders, dir)
		}
	}
	if slices.ContainsFunc(removed, isIndex) { // what stands beside it may be attachments now
		return l, nil, nil, false
	}
	return now, added, removed, true
}

// cutBelow removes a name and those below it from a sorted list, which it changes.
func cutBelow(sorted []string, name string) (rest, cut []string) {
	if at, found := slices.BinarySearch(sorted, name); found {
		cut, sorted = append(cut, name), slices.Delete(sorted, at, at+1)
	}
	from, _ := slices.BinarySearch(sorted, name+"/")
	to, _ := slices.BinarySearch(sorted, name+"0") // the first after all that begin with name/
	cut = append(cut, sorted[from:to]...)
	return slices.Delete(sorted, from, to), cut
}

func insertName(sorted []string, name string) []string {
	if at, found := slices.BinarySearch(sorted, name); !found {
		return slices.Insert(sorted, at, name)
	}
	return sorted
}
