package sandbox

import (
	"github.com/tetratelabs/wazero/experimental"
)

// span is a part of an image.
type span struct{ start, end int }

// coldMargin is how far into a long stretch of zeros scripts usually write: the
// end of the stack, the start of the free heap.
const coldMargin = 64 * kibibyte

// coldSpans are the stretches of zeros in an image that few scripts touch. They
// are whole pages of any system.
func coldSpans(image []byte) []span {
	var cold []span
	for start := 0; start < len(image); {
		end := start
		for end < len(image) && image[end] == 0 {
			end++
		}
		const page = 64 * kibibyte
		s := span{(start + coldMargin + page - 1) / page * page, (end - coldMargin) / page * page}
		if s.end > s.start {
			cold = append(cold, s)
		}
		start = end + 1
	}
	return cold
}

// restoreMemory makes memory as image is.
func restoreMemory(memory, image []byte, cold []span) error {
	at := 0
	for _, s := range cold {
		copy(memory[at:s.start], image[at:s.start])
		if err := zero(memory[s.start:s.end]); err != nil {
			return err
		}
		at = s.end
	}
	copy(memory[at:], image[at:])
	return nil
}

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
