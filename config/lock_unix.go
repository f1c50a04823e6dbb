//go:build unix

package config

import (
	"errors"
	"os"
	"syscall"
)

// lockFolder locks dir itself, so that no lock file is left beside what is the
// user's.
func lockFolder(dir string) (unlock func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.ENOLCK) {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
