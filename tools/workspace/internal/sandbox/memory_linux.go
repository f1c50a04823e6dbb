package sandbox

import "golang.org/x/sys/unix"

// zero makes memory zero, whole pages of it by giving them back.
func zero(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }

// prefault has the system find pages now that a script is about to write, all in one
// call: on a virtual machine one by one takes up to twenty times as long. It is only a
// hint, which kernels before 5.14 do not know.
func prefault(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_POPULATE_WRITE)
	}
}

// preferLargePages lets what is usable of space be found 2 MiB at a time. It is only a
// hint.
func preferLargePages(space []byte) { _ = unix.Madvise(space, unix.MADV_HUGEPAGE) }
