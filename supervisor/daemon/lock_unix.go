//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLock follows no symbolic link, so that a planted one cannot move the
// lock elsewhere.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
}

func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// checkPrivate refuses a directory that somebody else owns or may enter.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("check directory: %s is a link or a file; remove it", dir)
	}
	if err := checkOwner(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("check directory: others may enter %s (mode %04o); run: chmod 700 %q", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// checkOwn refuses a directory that somebody else owns or may write to. It may
// be a link.
func checkOwn(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	if err := checkOwner(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("check directory: others may write to %s (mode %04o); run: chmod go-w %q", dir, info.Mode().Perm(), dir)
	}
	return nil
}

func checkOwner(dir string, info os.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("check directory: %s belongs to user %d, not to you; set LECTERN_HOME to a directory of your own", dir, st.Uid)
	}
	return nil
}
