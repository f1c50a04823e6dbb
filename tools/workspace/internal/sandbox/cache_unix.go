//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate refuses a folder that another user owns or can write to, and a
// symbolic link.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder: remove it", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user: remove it", dir)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by other users (mode %04o): run: chmod 700 '%s'", dir, info.Mode().Perm(), dir)
	}
	return nil
}
