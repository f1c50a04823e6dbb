//go:build unix

package update

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// swap gives the old binary a second name, then replaces it by one atomic
// rename.
func (u *Updater) swap(kept, staged, target string) error {
	if err := linkOrCopy(target, kept); err != nil {
		return err
	}
	u.atPoint(pointOldSaved)
	return os.Rename(staged, target)
}

// linkOrCopy gives a file a second name, or copies it where there are no hard
// links.
func linkOrCopy(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return copyFile(from, to)
}

// syncFolder makes renames in dir durable, if the file system can.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer f.Close() //nolint:errcheck // only synced
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // only root can change owners
	}
}

// belongsToStranger reports whether a file belongs neither to the user, nor to
// the owner of the installed binary, nor to root: then another user who can
// write to the folder has put it there.
func belongsToStranger(file, installed fs.FileInfo) bool {
	of, ok := file.Sys().(*syscall.Stat_t)
	by, known := installed.Sys().(*syscall.Stat_t)
	return !ok || !known || of.Uid != 0 && of.Uid != by.Uid && int(of.Uid) != os.Getuid()
}

// lockFolder lets one process at a time change dir. The folder itself is
// locked, so that nothing is left lying beside the user's programs.
func lockFolder(dir, _ string) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, errors.Join(errLocked, f.Close())
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK): // a network folder without locks
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

func isBusy(error) bool { return false }
