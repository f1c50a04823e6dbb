// Package filelock takes locks between processes of one user, which the
// operating system releases however their holder ends.
//
// It also tells which processes have a file open, for messages: see [Openers].
//
// A lock is advisory: it stops only processes that take it too. Its file stays
// when the lock is released, because another process may be waiting for it.
// config, supervisor/daemon, journal and installer/update import it. Start reading at
// [TryFile].
package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ErrHeld means that another process holds the lock.
var ErrHeld = errors.New("lock is held by another process")

// A Lock is held until it is released or its process ends. Child processes do
// not inherit it.
type Lock struct{ file *os.File }

// Release gives the lock up.
func (l *Lock) Release() error { return l.file.Close() }

// IsInPlace reports whether the path of a locked file still names that file. If it
// does not, another process can take the lock as well.
func (l *Lock) IsInPlace() bool {
	held, err := l.file.Stat()
	if err != nil {
		return true // not known
	}
	at, err := os.Lstat(l.file.Name())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(held, at)
}

// TryFile locks the file at path, which it creates with mode 0600, or returns
// ErrHeld. It follows no symbolic link, so that a planted one cannot move the
// lock elsewhere.
func TryFile(path string) (*Lock, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return lock(f, lockFile(f, false))
}

// LockFolder locks dir and waits for the lock if wait is set; otherwise a lock
// that is held is ErrHeld. The folder itself is locked, so that no lock file is
// left beside what is the user's. Windows cannot lock folders and locks the file
// fallback. On a file system without locks it succeeds and locks nothing.
func LockFolder(dir, fallback string, wait bool) (*Lock, error) {
	f, err := openFolder(dir, fallback)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	err = lockFile(f, wait)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		err = nil
	}
	return lock(f, err)
}

func lock(f *os.File, err error) (*Lock, error) {
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take lock %s: %w", f.Name(), err), f.Close())
	}
	return &Lock{f}, nil
}
