// Package mirror plans how a folder of pages and a table of pages become the same
// again after either has changed.
//
// It is arithmetic on three trees: what the folder holds, what the database holds,
// and what both held when they last agreed. It opens no file and no connection, and
// knows no clock, so that a plan that was cut off anywhere is simply made again.
// Only tools/markdown may import it. Start reading at [MakePlan], then steps.go for
// the order of writes and identify.go for which file is which page.
package mirror

import (
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/textmerge"
)

// A Page is a page as one of the trees holds it.
type Page struct {
	Path    string // relative, with slashes and .md
	Content string // every byte of the file
}

// A Tree is pages by their permanent ids. A missing id is a missing page.
type Tree map[string]Page

// Trees are what a plan is made from.
type Trees struct {
	Base     Tree // what both held when they last agreed
	Disk     Tree
	Database Tree
}

// A ConflictCopy is the file's version of a page that could not be merged with the
// database's, which stays in place.
type ConflictCopy struct {
	ID string
	Page
}

// A Plan is what both sides will hold.
type Plan struct {
	Want Tree
	// Copies are kept somewhere before anything else of the plan is written.
	Copies []ConflictCopy
}

// MakePlan decides what both sides will hold. An edit or a move beats a delete;
// edits are merged line by line, and a move is merged with an edit; where both
// changed the same lines the database's content stays, and where both moved the
// page, the database's path. Paths in Want are unique, also but for case and
// accents: of several pages with one path, the one that has it in the database
// keeps it and the others get a number.
func MakePlan(t Trees) Plan {
	p := Plan{Want: Tree{}}
	for _, id := range t.ids() {
		page, exists, lost := t.reconcile(id)
		if exists {
			p.Want[id] = page
		}
		if lost != nil {
			p.Copies = append(p.Copies, ConflictCopy{id, *lost})
		}
	}
	p.Want.numberPaths(t.Database)
	return p
}

// ids are those of all trees, in order.
func (t Trees) ids() []string {
	all := map[string]bool{}
	for _, tree := range []Tree{t.Base, t.Disk, t.Database} {
		for id := range tree {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// reconcile decides on one page: what it will be, whether it will exist, and the
// file's version if that is lost in a conflict.
func (t Trees) reconcile(id string) (want Page, exists bool, lost *Page) {
	base, known := t.Base[id]
	disk, onDisk := t.Disk[id]
	database, inDatabase := t.Database[id]
	switch {
	case !onDisk && !inDatabase:
		return Page{}, false, nil
	case !onDisk:
		return database, !known || database != base, nil
	case !inDatabase:
		return disk, !known || disk != base, nil
	case !known:
		base = Page{Path: disk.Path, Content: disk.Content} // differs only where the database does
		if disk.Content != database.Content {
			lost = &disk
		}
		return mergePages(base, disk, database.Path, database.Content), true, lost
	}
	content, ok := mergeContent(base.Content, disk.Content, database.Content)
	if !ok {
		content, lost = database.Content, &disk
	}
	return mergePages(base, disk, database.Path, content), true, lost
}

// mergePages is the page with this content at the path that was chosen last; the
// database's if both chose one.
func mergePages(base, disk Page, databasePath, content string) Page {
	if databasePath == base.Path {
		return Page{disk.Path, content}
	}
	return Page{databasePath, content}
}

// mergeContent merges both edits; false if they touch the same lines.
func mergeContent(base, disk, database string) (string, bool) {
	switch base {
	case disk:
		return database, true
	case database:
		return disk, true
	}
	if disk == database {
		return disk, true
	}
	return textmerge.Merge(base, database, disk)
}

// numberPaths gives a number to pages whose path another page has.
func (t Tree) numberPaths(database Tree) {
	taken := map[string]bool{}
	claim := func(id string) bool {
		name := folder.FoldName(t[id].Path)
		if taken[name] {
			return false
		}
		taken[name] = true
		return true
	}
	var others, late []string
	for _, id := range slices.Sorted(maps.Keys(t)) {
		if database[id].Path != t[id].Path || !claim(id) {
			others = append(others, id)
		}
	}
	for _, id := range others {
		if !claim(id) {
			late = append(late, id)
		}
	}
	for _, id := range late {
		page := t[id]
		page.Path = freePath(page.Path, taken)
		taken[folder.FoldName(page.Path)] = true
		t[id] = page
	}
}

// freePath is the first numbered form of a path that is not taken.
func freePath(path string, taken map[string]bool) string {
	for n := 2; ; n++ {
		if numbered := folder.NumberedName(path, n); !taken[folder.FoldName(numbered)] {
			return numbered
		}
	}
}
