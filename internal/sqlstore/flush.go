package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// flushPause is the time between two flushes: of many commits in a row not each has to pass
// a flush that is under way.
const flushPause = 10 * time.Millisecond

// A flusher has the disk keep what commits wrote to the log of a SQLite file, beside
// whatever comes next. Of commits that come while the disk is busy, or soon after, one
// flush takes all.
type flusher struct {
	flush  func() error
	pause  time.Duration
	due    chan struct{}
	failed atomic.Pointer[error] // of the last flush; nil: it did not fail
	cancel context.CancelFunc
	done   chan struct{}
}

func startFlusher(pause time.Duration, flush func() error) *flusher {
	ctx, cancel := context.WithCancel(context.Background())
	f := &flusher{flush: flush, pause: pause, due: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go f.run(ctx)
	return f
}

func (f *flusher) run(ctx context.Context) {
	defer close(f.done)
	for {
		select {
		case <-f.due:
			if err := f.flush(); err != nil {
				f.failed.Store(&err)
			}
			if wait(ctx, f.pause) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// request has everything that was committed flushed. It does not wait.
func (f *flusher) request() {
	if f == nil {
		return
	}
	select {
	case f.due <- struct{}{}:
	default: // the flush that is due has not begun
	}
}

// takeError returns, once, that a flush has failed.
func (f *flusher) takeError() error {
	if f == nil {
		return nil
	}
	if err := f.failed.Swap(nil); err != nil {
		return fmt.Errorf("the disk may have lost what was written before: %w", *err)
	}
	return nil
}

// stop waits for what was requested.
func (f *flusher) stop() error {
	if f == nil {
		return nil
	}
	f.cancel()
	<-f.done
	select {
	case <-f.due:
		return errors.Join(f.takeError(), f.flush())
	default:
		return f.takeError()
	}
}

// flushLog flushes the log of a SQLite file. It is opened each time: SQLite removes the log
// with the last connection and makes a new one with the next. Locks are not on this file,
// so that to close it gives none up.
func flushLog(file string) error {
	log, err := os.OpenFile(file+"-wal", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // all of it is in the file
	}
	if err != nil {
		return err
	}
	return errors.Join(log.Sync(), log.Close())
}
