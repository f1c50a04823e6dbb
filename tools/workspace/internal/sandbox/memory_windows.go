package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve takes address space for size bytes, none of which can be used yet.
func reserve(size int) ([]byte, error) {
	base, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	// The address is no pointer of Go's, so reading it through one is the way
	// that vet accepts.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&base)), size), nil
}

// commit makes the first size bytes of space usable. New ones are zero.
func commit(space []byte, size int) error {
	_, err := windows.VirtualAlloc(uintptr(unsafe.Pointer(unsafe.SliceData(space))), uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

func release(space []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(space))), 0, windows.MEM_RELEASE)
}
