package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

// ErrLockLost means that the connection which held a lock was lost, and the lock
// with it.
var ErrLockLost = errors.New("the lock was lost with its connection to the database")

const (
	maxLockDelay = 250 * time.Millisecond // until a lock that was released is taken
	lockCheck    = 5 * time.Second        // between two looks whether a lock is still held
)

// WithLock waits for the lock of this name and runs fn while it holds it. No
// other process or goroutine holds it then, and if this process dies another can
// take it at once. If the connection that holds the lock breaks, the context of fn
// ends with [ErrLockLost] within ten seconds; what must not be done twice even then
// looks in its transaction whether it is done.
func (s *Store) WithLock(ctx context.Context, name string, fn func(context.Context) error) error {
	held, err := s.lock(ctx, name)
	if err != nil {
		return fmt.Errorf("take lock %s: %w", name, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		watchLock(ctx, held, s.lockCheck, cancel)
	}()
	err = fn(ctx)
	cancel(nil)
	<-done
	if releaseErr := held.release(); releaseErr != nil && !errors.Is(context.Cause(ctx), ErrLockLost) {
		err = errors.Join(err, fmt.Errorf("release lock %s: %w", name, releaseErr))
	}
	return err
}

func (s *Store) lock(ctx context.Context, name string) (heldLock, error) {
	for delay := 5 * time.Millisecond; ; delay = min(2*delay, maxLockDelay) {
		held, err := s.locks.try(ctx, name)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, context.Cause(ctx) // err may only say that the connection is closed
		case held != nil || err != nil:
			return held, err
		}
		if err := wait(ctx, jitter(delay)); err != nil {
			return nil, err
		}
	}
}

// watchLock cancels the work under a lock that is lost.
func watchLock(ctx context.Context, held heldLock, every time.Duration, cancel context.CancelCauseFunc) {
	for wait(ctx, every) == nil {
		checked, stop := context.WithTimeout(ctx, every)
		err := held.check(checked)
		stop()
		if err != nil && ctx.Err() == nil {
			cancel(fmt.Errorf("%w: %w", ErrLockLost, err))
			return
		}
	}
}

// A locker takes locks that end with the process that holds them.
type locker interface {
	// try takes a lock, or returns nil if another process or goroutine holds it.
	try(ctx context.Context, name string) (heldLock, error)
	close() error
}

type heldLock interface {
	check(context.Context) error
	release() error
}

// A fileLocker locks files beside the SQLite file of this name. They stay, since
// another process may be waiting for one.
type fileLocker string

func (file fileLocker) try(_ context.Context, name string) (heldLock, error) {
	sum := sha256.Sum256([]byte(name))
	lock, err := filelock.TryFile(string(file) + "." + hex.EncodeToString(sum[:8]) + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return nil, nil //nolint:nilnil // as locker says
	}
	return fileLock{lock}, err
}

func (fileLocker) close() error { return nil }

type fileLock struct{ lock *filelock.Lock }

func (fileLock) check(context.Context) error { return nil } // held until it is released
func (l fileLock) release() error            { return l.lock.Release() }

// A postgresLocker takes advisory locks, each in a session of its own.
type postgresLocker struct{ db *sql.DB }

// lockKey is the key of the advisory lock of a name, in the schema that the
// connection uses.
const lockKey = "hashtextextended(current_schema() || '/' || ?, 0)"

func (l postgresLocker) try(ctx context.Context, name string) (heldLock, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var locked bool
	err = conn.QueryRowContext(ctx, rebind(Postgres, "SELECT pg_try_advisory_lock("+lockKey+")"), name).Scan(&locked)
	if err == nil && locked {
		return postgresLock{conn}, nil
	}
	return nil, errors.Join(err, conn.Close())
}

func (l postgresLocker) close() error { return l.db.Close() }

type postgresLock struct{ conn *sql.Conn }

func (l postgresLock) check(ctx context.Context) error { return l.conn.PingContext(ctx) }

// release ends the session, since the pool keeps no idle connections, and the
// lock with it.
func (l postgresLock) release() error { return l.conn.Close() }
