package markdown

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// follow is the outline of a listing that differs from the one of o in a few files and
// folders. It shares with o what has not changed.
func (o *outline) follow(before, now folder.Listing, added, removed []string) *outline {
	if followed := o.tryFollow(before, now, added, removed); followed != nil {
		return followed
	}
	return newOutline(now)
}

// tryFollow is nil if the outline must be made of all names.
func (o *outline) tryFollow(before, now folder.Listing, added, removed []string) *outline {
	e := outlineEdit{outline: *o, fresh: map[*node]bool{}}
	e.listed, e.places = now.Files, o.places.fork()
	gone, come := differences(before.Folders, now.Folders)
	for _, name := range slices.Concat(added, removed, gone, come) {
		if isForeign(name) || isIndex(name) {
			return nil
		}
	}
	e.root = e.writable("")
	ok := e.removeFiles(removed) && e.removeFolders(gone) && e.addFolders(come) && e.addFiles(added)
	if !ok {
		return nil
	}
	return &e.outline
}

// differences are the names that only one of two sorted lists has.
func differences(before, now []string) (gone, come []string) {
	for len(before) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(before) > 0 && before[0] < now[0]:
			gone, before = append(gone, before[0]), before[1:]
		case len(before) == 0 || now[0] < before[0]:
			come, now = append(come, now[0]), now[1:]
		default:
			before, now = before[1:], now[1:]
		}
	}
	return gone, come
}

// An outlineEdit is an outline while it is changed. Nodes that it shares with the one
// before are copied first.
type outlineEdit struct {
	outline
	fresh map[*node]bool // that are its own
}

// writable is the node of a place, which exists, as one that may be changed.
func (e *outlineEdit) writable(place string) *node {
	at := e.places.at(place)
	if e.fresh[at] {
		return at
	}
	own := *at
	own.children = slices.Clone(at.children)
	e.fresh[&own] = true
	e.places.set(place, &own)
	if place == "" {
		return &own
	}
	if i := slices.Index(e.places.at(parentPlace(place)).children, at); i >= 0 {
		e.writable(parentPlace(place)).children[i] = &own
	}
	return &own
}

// compareNodes is the order of siblings: folders by name, then pages by file.
func compareNodes(a, b *node) int {
	switch {
	case a.folder != b.folder && a.folder:
		return -1
	case a.folder != b.folder:
		return 1
	case a.folder:
		return cmp.Compare(a.place, b.place)
	}
	return cmp.Compare(a.page, b.page)
}

// link puts a node, which is writable, among the children of its parent, and the parent
// among those of its own.
func (e *outlineEdit) link(at *node) {
	for at.place != "" {
		parent := e.writable(parentPlace(at.place))
		if slices.Contains(parent.children, at) {
			return
		}
		i, _ := slices.BinarySearchFunc(parent.children, at, compareNodes)
		parent.children = slices.Insert(parent.children, i, at)
		at = parent
	}
}

// unlink takes a node from its parent, and then parents that have neither a page nor
// children.
func (e *outlineEdit) unlink(at *node) {
	for at.place != "" {
		parent := e.writable(parentPlace(at.place))
		parent.children = slices.DeleteFunc(parent.children, func(c *node) bool { return c == at })
		if parent.page != "" || len(parent.children) > 0 {
			return
		}
		at = parent
	}
}

// removeFiles reports false if another page may take the place of one.
func (e *outlineEdit) removeFiles(removed []string) bool {
	for _, file := range removed {
		at, isPage := e.pageNode(file)
		if !isPage {
			e.setFile(file, false)
			continue
		}
		twin := func(c *node) bool { return c.place == c.page && strings.EqualFold(stem(c.page), stem(file)) }
		if slices.ContainsFunc(e.places.at(parentPlace(at.place)).children, twin) {
			return false
		}
		at = e.writable(at.place)
		at.page = ""
		if !at.folder {
			e.places.set(at.place, nil)
		}
		if len(at.children) == 0 {
			e.unlink(at)
		}
	}
	return true
}

func (e *outlineEdit) removeFolders(gone []string) bool {
	for _, dir := range slices.Backward(gone) {
		if e.places.at(dir) == nil || len(e.places.at(dir).children) > 0 {
			return false
		}
		at := e.writable(dir)
		e.unlink(at)
		at.folder = false
		if at.page == "" {
			e.places.set(dir, nil)
		} else {
			e.link(at)
		}
	}
	return true
}

func (e *outlineEdit) addFolders(come []string) bool {
	for _, dir := range come {
		if e.places.at(parentPlace(dir)) == nil {
			return false
		}
		if e.places.at(dir) == nil {
			at := &node{place: dir, folder: true}
			e.fresh[at] = true
			e.places.set(dir, at)
			continue // it has no pages yet
		}
		at := e.writable(dir)
		if at.folder {
			return false
		}
		e.unlink(at)
		at.folder = true
		e.link(at)
	}
	return true
}

func (e *outlineEdit) addFiles(added []string) bool {
	for _, file := range added {
		if !isPage(file) {
			e.setFile(file, true)
			continue
		}
		place := stem(file)
		if e.places.at(parentPlace(place)) == nil || e.places.at(place) != nil && e.places.at(place).page != "" {
			return false
		}
		if e.places.at(place) == nil {
			at := &node{place: place}
			e.fresh[at] = true
			e.places.set(place, at)
		}
		at := e.writable(place)
		at.page = file
		e.link(at)
	}
	return true
}

// setFile adds or removes a file that is no page.
func (e *outlineEdit) setFile(file string, exists bool) {
	files := slices.Clone(e.files)
	if at, found := slices.BinarySearch(files, file); found && !exists {
		files = slices.Delete(files, at, at+1)
	} else if !found && exists {
		files = slices.Insert(files, at, file)
	}
	e.files = files
	e.attachments = sync.OnceValue(func() map[string][]string { return attachmentNames(files) })
}
