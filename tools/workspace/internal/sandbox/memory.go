package sandbox

import (
	"github.com/tetratelabs/wazero/experimental"
)

// reservation is the memory of one instance: address space for all that it may
// ever have, of which the first part is usable. It never moves, so growing
// copies nothing, and what a script touched is given back to the system when the
// instance is dropped, not when Go collects garbage.
type reservation struct {
	space []byte
	limit uint64 // bytes; growing past it is refused
	err   error  // why it cannot be used
}

// Allocate implements [experimental.MemoryAllocator]; it is called once.
func (r *reservation) Allocate(_, most uint64) experimental.LinearMemory {
	r.limit = most
	r.space, r.err = reserve(int(most))
	return r
}

// Reallocate implements [experimental.LinearMemory]: nil refuses to grow.
func (r *reservation) Reallocate(size uint64) []byte {
	if r.err != nil || size > r.limit {
		return nil
	}
	if r.err = commit(r.space, int(size)); r.err != nil {
		return nil
	}
	return r.space[:size:size]
}

// Free implements [experimental.LinearMemory].
func (r *reservation) Free() {
	if r.space != nil {
		r.err = release(r.space)
		r.space = nil
	}
}
