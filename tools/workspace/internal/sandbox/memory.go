package sandbox

import (
	"errors"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// A heapImage is the memory that every script starts with.
type heapImage struct {
	segments     []fuel.Segment // all else is zero
	size         int            // bytes
	stackPointer uint64
	cold         []span
}

// readHeapImage reads all of an image but the stack pointer.
func readHeapImage(p *preparedModule) (heapImage, error) {
	segments, err := fuel.ReadSegments(p.Memory, p.Size)
	if err != nil {
		return heapImage{}, err
	}
	return heapImage{segments: segments, size: p.Size, cold: coldSpans(segments, p.Size)}, nil
}

// write makes memory that is zero as the image is.
func (h *heapImage) write(memory []byte) {
	for _, s := range h.segments {
		copy(memory[s.Offset:], s.Data)
	}
}

// span is a part of an image.
type span struct{ start, end int }

// coldMargin is how far into a long stretch of zeros scripts usually write: the
// end of the stack, the start of the free heap.
const coldMargin = 64 * kibibyte

// coldSpans are the stretches of zeros in an image that few scripts touch. They
// are whole pages of any system.
func coldSpans(segments []fuel.Segment, size int) []span {
	var cold []span
	start := 0
	add := func(end int) {
		const page = 64 * kibibyte
		s := span{(start + coldMargin + page - 1) / page * page, (end - coldMargin) / page * page}
		if s.end > s.start {
			cold = append(cold, s)
		}
	}
	for _, s := range segments {
		add(s.Offset)
		start = s.Offset + len(s.Data)
	}
	add(size)
	return cold
}

// restore makes memory as the image is.
func (h *heapImage) restore(memory []byte) error {
	at, cold := 0, h.cold
	for _, s := range h.segments {
		var err error
		if cold, err = clearSpan(memory, at, s.Offset, cold); err != nil {
			return err
		}
		at = s.Offset + copy(memory[s.Offset:], s.Data)
	}
	_, err := clearSpan(memory, at, h.size, cold)
	return err
}

// clearSpan makes a stretch of memory zero, and returns the cold spans behind it.
func clearSpan(memory []byte, at, end int, cold []span) ([]span, error) {
	for len(cold) > 0 && cold[0].start < end {
		clear(memory[at:cold[0].start])
		if err := zero(memory[cold[0].start:cold[0].end]); err != nil {
			return nil, err
		}
		at, cold = cold[0].end, cold[1:]
	}
	clear(memory[at:end])
	return cold, nil
}

// maxRecycled is how much memory an instance may have used so that its pages serve
// another one, in bytes.
const maxRecycled = 4 * mebibyte

// A memoryPool keeps the memory of instances that were dropped, zero as that of new
// ones: pages that the system has to find and clear one by one cost more than all else
// about a new instance.
type memoryPool struct {
	idle  chan []byte
	image heapImage
}

func newMemoryPool() *memoryPool { return &memoryPool{idle: make(chan []byte, maxIdle)} }

// take returns memory for size bytes, of which none need be usable. It is not fresh if
// another instance had it, whose pages it has.
func (p *memoryPool) take(size int) (space []byte, fresh bool, err error) {
	select {
	case space := <-p.idle:
		if len(space) == size {
			return space, false, nil
		}
		if err := release(space); err != nil {
			return nil, false, err
		}
	default:
	}
	if space, err = reserve(size); err == nil && size > maxPrefault {
		preferLargePages(space[maxPrefault:])
	}
	return space, true, err
}

// give takes memory back, of which used bytes are usable.
func (p *memoryPool) give(space []byte, used int) error {
	if p.image.size == 0 || used > maxRecycled || used < p.image.size {
		return release(space)
	}
	_, err := clearSpan(space, 0, p.image.size, p.image.cold)
	if err == nil && used > p.image.size {
		err = zero(space[p.image.size:used])
	}
	if err != nil {
		return errors.Join(err, release(space))
	}
	select {
	case p.idle <- space:
		return nil
	default:
		return release(space)
	}
}

// close frees what is kept.
func (p *memoryPool) close() (err error) {
	for {
		select {
		case space := <-p.idle:
			err = errors.Join(err, release(space))
		default:
			return err
		}
	}
}

// reservation is the memory of one instance: address space for all that it may
// ever have, of which the first part is usable. It never moves, so growing
// copies nothing, and what a script touched is given back to the system when the
// instance is dropped, not when Go collects garbage.
type reservation struct {
	pool  *memoryPool
	space []byte
	fresh bool   // no page of it was written
	used  int    // bytes of it that are usable
	limit uint64 // bytes; growing past it is refused
	err   error  // why it cannot be used
}

// Allocate implements [experimental.MemoryAllocator]; it is called once.
func (r *reservation) Allocate(_, most uint64) experimental.LinearMemory {
	r.limit = most
	r.space, r.fresh, r.err = r.pool.take(int(most))
	return r
}

// maxPrefault is how much memory is found before it is written, in bytes: more would take
// milliseconds, in which nothing looks at the deadline. What an instance has beyond this
// much is in large pages.
const maxPrefault = 4 * mebibyte

// Reallocate implements [experimental.LinearMemory]: nil refuses to grow.
func (r *reservation) Reallocate(size uint64) []byte {
	if r.err != nil || size > r.limit {
		return nil
	}
	if r.err = commit(r.space, int(size)); r.err != nil {
		return nil
	}
	r.prefault(int(size))
	r.used = max(r.used, int(size))
	return r.space[:size:size]
}

// prefault finds the pages that become usable, but for those of the image that few
// scripts touch.
func (r *reservation) prefault(size int) {
	at := r.used
	if at == 0 {
		if !r.fresh {
			at = min(size, r.pool.image.size) // they are there
		}
		for _, cold := range r.pool.image.cold {
			if at <= cold.start && cold.end <= size {
				prefault(r.space[at:cold.start])
				at = cold.end
			}
		}
	}
	if size-at <= maxPrefault {
		prefault(r.space[at:size])
	}
}

// Free implements [experimental.LinearMemory].
func (r *reservation) Free() {
	if r.space != nil {
		r.err = r.pool.give(r.space, r.used)
		r.space = nil
	}
}
