package pane

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A pageRow is a row of the list of pages: a page, or a folder of them.
type pageRow struct {
	page   int    // which of the pages; -1: it is a folder
	folder string // its path
	label  string // as it is drawn
	depth  int
	count  int // pages in the folder
	open   bool
}

// A pageFolder is what the names of pages tell of one folder.
type pageFolder struct {
	path    string
	folders []*pageFolder // in the order of their first pages
	pages   []int
	count   int
}

// buildPageTree sorts pages into folders by the slashes in their names.
func buildPageTree(pages []status.Page) *pageFolder {
	top := &pageFolder{}
	known := map[string]*pageFolder{"": top}
	for i, p := range pages {
		dir := ""
		if at := strings.LastIndexByte(p.Name, '/'); at > 0 {
			dir = p.Name[:at]
		}
		folder := findOrAddFolder(known, dir)
		folder.pages = append(folder.pages, i)
		for ; ; dir = parentFolder(dir) {
			known[dir].count++
			if dir == "" {
				break
			}
		}
	}
	return top
}

// findOrAddFolder is the folder of this path, with those on the way to it.
func findOrAddFolder(known map[string]*pageFolder, path string) *pageFolder {
	if f, ok := known[path]; ok {
		return f
	}
	f := &pageFolder{path: path}
	known[path] = f
	up := findOrAddFolder(known, parentFolder(path))
	up.folders = append(up.folders, f)
	return f
}

func parentFolder(path string) string {
	at := strings.LastIndexByte(path, '/')
	if at < 0 {
		return ""
	}
	return path[:at]
}

// rows are the rows of a tree: folders first, each with what is in it if isOpen says
// so. A folder with nothing but a folder in it is one row with that.
func (f *pageFolder) rows(pages []status.Page, depth int, isOpen func(path string) bool) (rows []pageRow) {
	for _, sub := range f.folders {
		label := strings.TrimPrefix(sub.path, f.path)
		for len(sub.folders) == 1 && len(sub.pages) == 0 {
			sub = sub.folders[0]
			label = strings.TrimPrefix(sub.path, f.path)
		}
		open := isOpen(sub.path)
		rows = append(rows, pageRow{
			page: -1, folder: sub.path, label: strings.TrimPrefix(label, "/"), depth: depth, count: sub.count,
			open: open,
		})
		if open {
			rows = append(rows, sub.rows(pages, depth+1, isOpen)...)
		}
	}
	for _, i := range f.pages {
		rows = append(rows, pageRow{
			page: i, folder: f.path, label: strings.TrimPrefix(strings.TrimPrefix(pages[i].Name, f.path), "/"),
			depth: depth,
		})
	}
	return rows
}

// filteredPageRows are the pages that a filter finds, the best first: what is found in the
// name of a page counts more than in its folders.
func filteredPageRows(pages []status.Page, want string) (rows []pageRow) {
	type scored struct{ page, score int }
	var found []scored
	best := 0
	want = strings.TrimSpace(want)
	for i, p := range pages {
		base := p.Name[strings.LastIndexByte(p.Name, '/')+1:]
		score := 2 * widget.FuzzyScore(base, want)
		if score == 0 {
			score = widget.FuzzyScore(p.Name, want)
		}
		if score > 0 {
			found, best = append(found, scored{i, score}), max(best, score)
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, f := range found {
		if 3*f.score < best { // letters strewn about are noise beside a word
			break
		}
		rows = append(rows, pageRow{page: f.page, label: pages[f.page].Name})
	}
	return rows
}
