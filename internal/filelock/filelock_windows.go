package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func openFile(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

func openFolder(_, fallback string) (*os.File, error) { return openFile(fallback) }

func lockFile(f *os.File, wait bool) error {
	var flags uint32 = windows.LOCKFILE_EXCLUSIVE_LOCK
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}
