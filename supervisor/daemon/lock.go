package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// A lock is held by an open file, so the system releases it however its
// process ends.
type lock struct{ file *os.File }

// errHeld says that another process holds the lock.
var errHeld = errors.New("lock is held by another process")

// tryLock takes the lock at path, or returns errHeld.
func tryLock(path string) (*lock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("take lock %s: %w", path, err), f.Close())
	}
	return &lock{f}, nil
}

// release gives the lock up. The file stays: see Paths.
func (l *lock) release() error { return l.file.Close() }

// pollInterval is how often something that cannot be waited for is looked at: a lock
// or a socket of another process.
const pollInterval = 20 * time.Millisecond

// waitFor calls try until it says done, fails, or ctx ends.
func waitFor(ctx context.Context, try func() (done bool, err error)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
