//go:build unix

package daemon

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate refuses a directory that another user owns or may enter.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("check directory: %s is a symbolic link or a file; remove it", dir)
	}
	if err := checkOwner(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("check directory: other users may enter %s (mode %04o); run: chmod 700 %q", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// checkOwn refuses a directory that another user owns or may write to. It may be
// a symbolic link.
func checkOwn(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	if err := checkOwner(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("check directory: other users may write to %s (mode %04o); run: chmod go-w %q", dir, info.Mode().Perm(), dir)
	}
	return nil
}

func checkOwner(dir string, info os.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("check directory: %s belongs to user %d, not to you; set LECTERN_HOME to a directory of your own", dir, st.Uid)
	}
	return nil
}
