//go:build unix

package loopnet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckPrivateDir refuses a directory that another user owns or can enter, and a
// symbolic link. The error says how to fix it.
func CheckPrivateDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it", dir)
	}
	return checkOwn(dir, info, 0o077, "chmod 700")
}

// CheckOwnDir refuses a directory that another user owns or can write to. The
// error says how to fix it.
func CheckOwnDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return checkOwn(dir, info, 0o022, "chmod go-w")
}

// checkOwn refuses what another user owns, and what has one of the forbidden
// permission bits.
func checkOwn(path string, info fs.FileInfo, forbidden fs.FileMode, fix string) error {
	switch uid := ownerUID(info); {
	case uid != os.Getuid():
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d): remove it, or have it given to you: sudo chown %d '%s'", path, uid,
			os.Getuid(), os.Getuid(), path)
	case info.Mode().Perm()&forbidden != 0:
		return fmt.Errorf("%s is open to other users (mode %04o): run: %s '%s'", path, info.Mode().Perm(), fix, path)
	}
	return nil
}

func ownerUID(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1 // equals no real uid
}

// openPrivate opens a regular file that belongs to this user and that no other
// user can access. It checks the file that it has opened, not what the name
// referred to before.
func openPrivate(path string) (*os.File, error) {
	// O_NONBLOCK: a fifo in the file's place must not hang the start.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link: replace it with the file itself, or remove it", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file: remove it", path)
	default:
		err = checkOwn(path, info, 0o077, "chmod 600")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// restrictToUser has nothing to do: the mode at creation is enough.
func restrictToUser(string) error { return nil }
