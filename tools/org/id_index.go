package org

import (
	"context"
	"fmt"
	"hash/maphash"
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

// An idIndex remembers in which files IDs were seen last, by a hash of the ID. It is a
// hint: the file tells.
type idIndex struct {
	mu    sync.Mutex
	seed  maphash.Seed
	files map[uint64]int32   // the last file by ID
	ids   map[int32][]uint64 // the IDs by file, with those that stand twice in it
	names []string           // of the files
	known map[string]int32   // number by name
}

func newIDIndex() *idIndex {
	return &idIndex{seed: maphash.MakeSeed(), files: map[uint64]int32{}, ids: map[int32][]uint64{}, known: map[string]int32{}}
}

func (x *idIndex) file(id string) (name string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, ok := x.files[maphash.String(x.seed, id)]
	if !ok {
		return "", false
	}
	return x.names[n], true
}

// numberLocked is the number of a file, from 1.
func (x *idIndex) numberLocked(name string) int32 {
	if len(x.names) == 0 {
		x.names = append(x.names, "")
	}
	n, ok := x.known[name]
	if !ok {
		n = int32(len(x.names))
		x.names, x.known[name] = append(x.names, name), n
	}
	return n
}

// fileIDs lists the IDs of a file in its order.
func fileIDs(f *shownFile) (ids []string) {
	for i := -1; i < len(f.Headlines); i++ {
		if id, ok := f.Property(i, "ID"); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// add notes the IDs of a file, instead of those that it had.
func (x *idIndex) add(f *shownFile) {
	ids := fileIDs(f)
	x.mu.Lock()
	defer x.mu.Unlock()
	n := x.numberLocked(f.name)
	hashes := make([]uint64, len(ids))
	for i, id := range ids {
		hashes[i] = maphash.String(x.seed, id)
		x.files[hashes[i]] = n
	}
	x.ids[n] = hashes
}

func (x *idIndex) remove(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.ids, x.known[name])
}

func (x *idIndex) count() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, ids := range x.ids {
		n += len(ids)
	}
	return n
}

// duplicates lists the files with an ID that was seen before, in the order of their
// names: once for each such ID, with the file before.
func (x *idIndex) duplicates() (twice []duplicateID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	seen := map[uint64]int32{}
	for _, name := range slices.Sorted(maps.Keys(x.known)) {
		n := x.known[name]
		for _, id := range x.ids[n] {
			if other, ok := seen[id]; ok {
				twice = append(twice, duplicateID{id, x.names[other], name})
			}
			seen[id] = n
		}
	}
	return twice
}

// A duplicateID is an ID that two files have, or one has twice.
type duplicateID struct {
	hash        uint64
	first, copy string
}

// describe names a duplicate, with the ID as the file has it.
func (x *idIndex) describe(d duplicateID, f *shownFile) string {
	for _, id := range fileIDs(f) {
		if maphash.String(x.seed, id) == d.hash {
			return fmt.Sprintf("%s in %s and %s", id, d.first, d.copy)
		}
	}
	return fmt.Sprintf("an ID in %s and %s", d.first, d.copy)
}

// findID finds the headline with an ID, or the file for -1. Where several have it,
// the first file in their order counts, unless one was seen before.
func (s *catalog) findID(ctx context.Context, id string) (f *shownFile, i int, err error) {
	try := func(name string) bool {
		if f, err = s.file(name); err != nil {
			return false
		}
		var ok bool
		i, ok = f.ByProperty("ID", id)
		return ok
	}
	if name, ok := s.ids.file(id); ok && try(name) {
		return f, i, nil
	}
	for _, path := range s.hints.filesOf(ctx, id) {
		if name, ok := s.nameAt(path); ok && try(name) {
			s.ids.add(f)
			return f, i, nil
		}
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return nil, 0, err
	}
	if slices.ContainsFunc(names, try) {
		s.ids.add(f)
		return f, i, nil
	}
	return nil, 0, tools.Errorf(tools.NotFound, "Cannot find ID '%.200s'", id).
		WithHint("Search for the headline; its answer has the present resourceUri.")
}
