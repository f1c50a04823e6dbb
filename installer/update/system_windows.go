package update

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// swap moves the old binary aside and the new one to its place: a program that
// runs can be renamed here, not replaced. Between the two renames a crash
// leaves the binary under its other names alone, in the staging folder and at
// .prev; install.ps1 puts one back. An error of the second undoes the first.
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

// syncFolder does nothing: NTFS journals renames itself.
func syncFolder(string) error { return nil }

// keepOwner does nothing: a new file inherits the folder's access list.
func keepOwner(*os.File, fs.FileInfo) {}

// belongsToStranger is not asked here: a folder of programs is not shared.
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

// isBusy is the error of removing a program that still runs: it stays until
// the next sweep.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// linkOrCopy copies a file: a hard link to a program that runs cannot be replaced.
func linkOrCopy(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}
