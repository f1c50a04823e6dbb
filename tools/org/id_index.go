package org

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

// newID makes a random UUID, as Emacs does.
func newID(random *rand.Rand) string {
	high, low := random.Uint64(), random.Uint64()
	high = high&^0xf000 | 0x4000
	low = low&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xffff, low>>48, low&(1<<48-1))
}

// An idIndex remembers in which files IDs were seen last. It is a hint: the file
// tells.
type idIndex struct {
	mu    sync.Mutex
	files map[string]string   // the last file by ID
	ids   map[string][]string // the IDs by file, with those that stand twice in it
}

func newIDIndex() *idIndex { return &idIndex{files: map[string]string{}, ids: map[string][]string{}} }

func (x *idIndex) file(id string) (name string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	name, ok = x.files[id]
	return name, ok
}

// add notes the IDs of a file, instead of those that it had.
func (x *idIndex) add(f *shownFile) {
	var ids []string
	for i := -1; i < len(f.Headlines); i++ {
		if id, ok := f.Property(i, "ID"); ok {
			ids = append(ids, id)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids[f.name] = ids
	for _, id := range ids {
		x.files[id] = f.name
	}
}

func (x *idIndex) remove(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.ids, name)
}

func (x *idIndex) count() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, ids := range x.ids {
		n += len(ids)
	}
	return n
}

// duplicates lists the IDs that stand twice, with the files.
func (x *idIndex) duplicates() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	seen := map[string]string{}
	var twice []string
	for _, name := range slices.Sorted(maps.Keys(x.ids)) {
		for _, id := range x.ids[name] {
			if other, ok := seen[id]; ok {
				twice = append(twice, fmt.Sprintf("%s in %s and %s", id, other, name))
			}
			seen[id] = name
		}
	}
	return twice
}

// findID finds the headline with an ID, or the file for -1. Where several have it,
// the first file in their order counts.
func (s *catalog) findID(ctx context.Context, id string) (f *shownFile, i int, err error) {
	if name, ok := s.ids.file(id); ok {
		if f, err := s.file(name); err == nil {
			if i, ok := f.ByProperty("ID", id); ok {
				return f, i, nil
			}
		}
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		f, err := s.file(name)
		if err != nil {
			continue
		}
		if i, ok := f.ByProperty("ID", id); ok {
			s.ids.add(f)
			return f, i, nil
		}
	}
	return nil, 0, tools.Errorf(tools.NotFound, "Cannot find ID '%.200s'", id).WithHint("Search for the headline; its answer has the present resourceUri.")
}
