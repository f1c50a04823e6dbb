package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hasWriter reports whether a program has the file open for writing: what it writes
// next would go to a file that has lost its name. A read lease is refused exactly
// then; where there are no leases nobody knows.
func hasWriter(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // closing does it too
	}
	return errors.Is(err, unix.EAGAIN)
}
