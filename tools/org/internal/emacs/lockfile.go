package emacs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// A LockError says that an editor has unsaved changes of a file: Emacs keeps a
// lock file beside it for just as long.
type LockError struct {
	Path string
	User string
	Host string // where the editor runs
	PID  int
}

func (e *LockError) Error() string {
	return fmt.Sprintf("%s has unsaved changes in an editor (lock of %s@%s, process %d); save or discard them there first", e.Path, e.User,
		e.Host, e.PID)
}

// lockName returns the path of the lock file of the file at path.
func lockName(path string) string {
	return filepath.Join(filepath.Dir(path), ".#"+filepath.Base(path))
}

// CheckLock returns a *LockError if the file at path, which has no symbolic
// links, has unsaved changes in an editor. The lock of a process that has ended
// does not count.
func CheckLock(path string) error {
	owner, err := readLock(lockName(path))
	if err != nil || owner == "" {
		return err
	}
	locked, ok := parseOwner(owner)
	if !ok {
		return nil // not a lock: some other file of that name
	}
	locked.Path = path
	if host, err := os.Hostname(); err == nil && strings.EqualFold(host, locked.Host) && !isRunning(locked.PID) {
		return nil
	}
	return locked
}

// Lock makes Emacs ask before it begins to change the file at path, until unlock
// is called, and returns a *LockError if it has begun. Where no lock file can be
// made it only checks.
func Lock(path string) (unlock func() error, err error) {
	nothing := func() error { return nil }
	host, err := os.Hostname()
	if err != nil {
		return nothing, CheckLock(path)
	}
	name, owner := lockName(path), fmt.Sprintf("lectern@%s.%d", host, os.Getpid())
	if err := os.Symlink(owner, name); err != nil {
		return nothing, CheckLock(path)
	}
	return func() error {
		if now, _ := os.Readlink(name); now != owner {
			return nil // somebody took it
		}
		return os.Remove(name)
	}, nil
}

// readLock returns what a lock file says: the target of a symbolic link, or, where
// there are none, the content of a small file. "" means that there is none.
func readLock(name string) (string, error) {
	owner, err := os.Readlink(name)
	switch {
	case err == nil:
		return owner, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	}
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the lock file: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, 512))
	return string(text), err
}

// parseOwner reads "user@host.pid" or "user@host.pid:boot".
func parseOwner(owner string) (*LockError, bool) {
	at := strings.LastIndexByte(owner, '@')
	if at < 0 {
		return nil, false
	}
	rest := owner[at+1:]
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		rest = rest[:i]
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return nil, false
	}
	pid, err := strconv.Atoi(rest[dot+1:])
	return &LockError{User: owner[:at], Host: rest[:dot], PID: pid}, err == nil && pid > 0
}

// isRunning says whether a process of this machine exists.
func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" {
		return true // else it would not have been found
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
