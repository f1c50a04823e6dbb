package update

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// swap renames the old binary, then the new one: Windows cannot replace a program
// that runs, only rename it. A crash between the two leaves no binary at target,
// only in the staging folder and at .prev; install.ps1 restores one. An error of
// the second rename undoes the first.
func (u *Updater) swap(kept, staged, target string) error {
	if err := os.Rename(target, kept); err != nil {
		return err
	}
	u.atPoint(pointOldSaved)
	if err := os.Rename(staged, target); err != nil {
		return errors.Join(err, os.Rename(kept, target))
	}
	return nil
}

// syncFolder does nothing: NTFS journals renames.
func syncFolder(string) error { return nil }

// keepOwner does nothing: a new file inherits the folder's access list.
func keepOwner(*os.File, fs.FileInfo) {}

// belongsToStranger is always false: folders of programs are not shared.
func belongsToStranger(fs.FileInfo, fs.FileInfo) bool { return false }

// lockFolder locks a file in state, because Windows locks no folders.
func lockFolder(_, state string) (release func() error, err error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(state, "update.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		err = errLocked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// isBusy is the error of removing a program that still runs; the next update
// removes it.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// linkOrCopy copies: a hard link to a program that runs cannot be replaced.
func linkOrCopy(from, to string) error { return copyFile(from, to) }
