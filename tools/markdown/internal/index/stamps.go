package index

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A FileStamp is what was read of a page: its file, and in which state.
type FileStamp struct {
	File string
	Stamp
}

// A StampList has the stamps of pages, in the byte order of their files. It takes a third of
// the memory of a map, and is compared with a sorted list of files without looking
// anything up.
type StampList []FileStamp

// Find returns the stamp of a file.
func (s StampList) Find(file string) (stamp Stamp, found bool) {
	at, found := s.search(file)
	if !found {
		return Stamp{}, false
	}
	return s[at].Stamp, true
}

func (s StampList) search(file string) (at int, found bool) {
	return slices.BinarySearchFunc(s, file, func(f FileStamp, file string) int { return strings.Compare(f.File, file) })
}

// Update is s with the stamps of some files put or replaced, and others removed. It
// takes over s, and changes the order of its arguments.
func (s StampList) Update(put []FileStamp, remove []string) StampList {
	slices.Sort(remove)
	s = s.remove(remove)
	slices.SortFunc(put, func(a, b FileStamp) int { return strings.Compare(a.File, b.File) })
	added := put[:0]
	for _, f := range put {
		if at, found := s.search(f.File); found {
			s[at].Stamp = f.Stamp
		} else {
			added = append(added, f)
		}
	}
	return s.insert(added)
}

// remove removes files, which are in order.
func (s StampList) remove(files []string) StampList {
	end, from := 0, 0 // s[:end] stays, and from is the next to look at
	for i, file := range files {
		at, found := s[from:].search(file)
		at += from
		if i > 0 {
			copy(s[end:], s[from:at])
		}
		end, from = end+at-from, at
		if found {
			from++
		}
	}
	if len(files) == 0 {
		return s
	}
	return slices.Delete(s, end, from)
}

// insert adds files that s does not have, which are in order: from the last on, so that
// each stamp is moved once.
func (s StampList) insert(added []FileStamp) StampList {
	rest := len(s)
	s = append(s, added...)
	for i, f := range slices.Backward(added) {
		at, _ := s[:rest].search(f.File)
		copy(s[at+i+1:], s[at:rest])
		s[at+i], rest = f, at
	}
	return s
}

// Compare compares the stamps with the files that are there now, which are in order, and
// their sizes and times of modification. It returns the files that are new or differ, and
// those that are gone; and keeps the strings of files instead of its own.
func (s StampList) Compare(files []string, matches func(i int, stamp Stamp) bool) (changed, gone []string) {
	at := 0
	for i, file := range files {
		for at < len(s) && s[at].File < file {
			gone = append(gone, s[at].File)
			at++
		}
		if at == len(s) || s[at].File != file {
			changed = append(changed, file)
			continue
		}
		s[at].File = file
		if !matches(i, s[at].Stamp) {
			changed = append(changed, file)
		}
		at++
	}
	for ; at < len(s); at++ {
		gone = append(gone, s[at].File)
	}
	return changed, gone
}

const selectStamps = "SELECT file, size, modified, recent FROM pages ORDER BY file"

// Known returns what was read of every page that the index has.
func (x *Index) Known(ctx context.Context) (StampList, error) {
	var count int
	if err := x.db.Reader().QueryRow(ctx, "SELECT count(*) FROM pages").Scan(&count); err != nil {
		return nil, err
	}
	known := make(StampList, 0, count)
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var f FileStamp
		err := r.Scan(&f.File, &f.Size, &f.Modified, &f.Recent)
		known = append(known, f)
		return struct{}{}, err
	}, selectStamps)
	return known, err
}
