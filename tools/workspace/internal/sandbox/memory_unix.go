//go:build unix

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// reserve takes address space for size bytes, none of which can be used yet.
func reserve(size int) ([]byte, error) {
	space, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	return space, nil
}

// commit makes the first size bytes of space usable. New ones are zero.
func commit(space []byte, size int) error {
	return unix.Mprotect(space[:size], unix.PROT_READ|unix.PROT_WRITE)
}

func release(space []byte) error { return unix.Munmap(space) }
