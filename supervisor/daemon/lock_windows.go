package daemon

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

// checkPrivate has nothing to check: directories below %LocalAppData% inherit
// an access list of their owner, and the sockets are pipes with their own.
func checkPrivate(string) error { return nil }

// checkOwn has nothing to check, for the same reason.
func checkOwn(string) error { return nil }
