package mirror

import (
	"cmp"
	"slices"
)

// A File is a page as it was found in the folder.
type File struct {
	Page
	ID string // of its front matter; empty: it has none
}

// displacement is 0 for a file at the path that its page has in base, else 1.
func (f File) displacement(base Tree) int {
	if page, known := base[f.ID]; known && page.Path == f.Path {
		return 0
	}
	return 1
}

// Identify finds out which page each file is. The id in its front matter decides;
// of several files with one id, the one at the page's path in base, or else the
// first by path, is the page, and the others are pages of their own. A file without
// an id is the page that was at its path, or else the only missing page with its
// content, or else the page that the database has at its path and that was never on
// disk, or else a new one, whose id newID makes. So a folder and a database that hold
// the same pages are joined, also when the folder has no ids.
func Identify(base, database Tree, files []File, newID func() string) Tree {
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int {
		return cmp.Or(cmp.Compare(a.displacement(base), b.displacement(base)), cmp.Compare(a.Path, b.Path))
	})
	found := Tree{}
	var unnamed, unplaced []File
	for _, f := range files {
		_, twice := found[f.ID]
		switch {
		case f.ID == "" || twice:
			unnamed = append(unnamed, f)
		default:
			found[f.ID] = f.Page
		}
	}
	paths := map[string]string{}
	for id, page := range base {
		paths[page.Path] = id
	}
	for _, f := range unnamed {
		id, known := paths[f.Path]
		if _, exists := found[id]; known && !exists {
			found[id] = f.Page
		} else {
			unplaced = append(unplaced, f)
		}
	}
	unplaced = placeMoved(base, found, unplaced)
	paths = map[string]string{}
	for id, page := range database {
		if _, known := base[id]; !known {
			paths[page.Path] = id
		}
	}
	for _, f := range unplaced {
		id, known := paths[f.Path]
		if _, exists := found[id]; !known || exists {
			id = newID()
		}
		found[id] = f.Page
	}
	return found
}

// placeMoved adds files to what was found as the only missing page with their
// content, and returns the others.
func placeMoved(base, found Tree, files []File) (unplaced []File) {
	missing := missingByContent(base, found)
	count := map[string]int{}
	for _, f := range files {
		count[f.Content]++
	}
	for _, f := range files {
		if ids := missing[f.Content]; len(ids) == 1 && count[f.Content] == 1 {
			found[ids[0]] = f.Page
		} else {
			unplaced = append(unplaced, f)
		}
	}
	return unplaced
}

// missingByContent are the ids of pages in base that were not found, by content.
func missingByContent(base, found Tree) map[string][]string {
	missing := map[string][]string{}
	for id, page := range base {
		if _, exists := found[id]; !exists {
			missing[page.Content] = append(missing[page.Content], id)
		}
	}
	return missing
}
