package org

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// An idIndex remembers in which file an ID was seen last. It is a hint: the file
// tells.
type idIndex struct {
	mu    sync.Mutex
	files map[string]string // by ID
}

func newIDIndex() *idIndex { return &idIndex{files: map[string]string{}} }

func (x *idIndex) file(id string) (name string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	name, ok = x.files[id]
	return name, ok
}

// add notes the IDs of a file.
func (x *idIndex) add(f *shownFile) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := -1; i < len(f.Headlines); i++ {
		if id, ok := f.Property(i, "ID"); ok {
			x.files[id] = f.name
		}
	}
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
