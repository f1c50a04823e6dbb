package sandbox

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
)

// resident counts the pages of memory that the system has found.
func resident(t *testing.T, memory []byte) (n int) {
	t.Helper()
	pages := make([]byte, len(memory)/unix.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)),
		uintptr(unsafe.Pointer(unsafe.SliceData(pages)))); errno != 0 {
		t.Fatal(errno)
	}
	for _, page := range pages {
		n += int(page & 1)
	}
	return n
}

// Memory that becomes usable has its pages, but for the stretches of the image that few
// scripts touch, and for more than is found at once.
func TestMemoryIsPrefaulted(t *testing.T) {
	probe, err := reserve(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer release(probe)
	if err := commit(probe, len(probe)); err != nil {
		t.Fatal(err)
	}
	if prefault(probe); resident(t, probe) == 0 {
		t.Skip("this kernel does not find pages on demand (before 5.14)")
	}
	const image, most = 2 * mebibyte, 64 * mebibyte
	pool := newMemoryPool()
	segments := []fuel.Segment{{Offset: 0, Data: []byte{1}}, {Offset: mebibyte, Data: []byte{2}}}
	pool.image = heapImage{segments: segments, size: image, cold: coldSpans(segments, image)}
	cold := 0
	for _, s := range pool.image.cold {
		cold += s.end - s.start
	}
	r := &reservation{pool: pool}
	r.Allocate(0, most)
	defer release(r.space)
	page := unix.Getpagesize()
	for _, c := range []struct{ size, from, want int }{
		{image, 0, image - cold},
		{image + mebibyte, image, mebibyte},
		{image + mebibyte + 2*maxPrefault, image + mebibyte, 0},
	} {
		memory := r.Reallocate(uint64(c.size))
		if memory == nil {
			t.Fatal(r.err)
		}
		if got := resident(t, memory[c.from:]); got != c.want/page {
			t.Errorf("of the memory from %d to %d %d pages are there, want %d", c.from, c.size, got, c.want/page)
		}
	}
}
