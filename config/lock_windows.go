package config

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockFolder locks a file in dir, because Windows locks no folders. The file
// stays: another process may be waiting for it.
func lockFolder(dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, "config.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
