package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

const (
	maxWaiting = 4096                   // records that wait to be written
	maxBlocked = 20 * time.Millisecond  // how long a call waits for room among them
	maxBatch   = 512                    // records of one transaction, so that another process does not wait long
	flushDelay = 200 * time.Millisecond // between two transactions, and so how much a crash may lose
	retryDelay = time.Second            // after a failed transaction
	sweepEvery = time.Hour
	closeLimit = 10 * time.Second // for what is still to be written
)

// Options configure a Trail. All fields are required.
type Options struct {
	File     string // mode 0600; its folder is created if it is missing
	Key      []byte // for the digests of arguments
	Now      func() time.Time
	Keep     time.Duration // older records are deleted
	MaxBytes int64         // of the file, about; the oldest records are deleted first
}

// A Trail records calls. One goroutine writes them, several at a time, so that
// calls do not wait for the disk. Its methods are safe for concurrent use.
type Trail struct {
	opts   Options
	store  *sqlstore.Store
	hashes sync.Pool // of hash.Hash, keyed
	number atomic.Int64

	queue   chan Record
	closing chan struct{}
	done    chan struct{}
	once    sync.Once
	dropped atomic.Int64 // since the last batch
	failure atomic.Pointer[error]
}

// Open opens the trail at o.File, and creates it if it is missing.
func Open(ctx context.Context, o Options) (*Trail, error) {
	store, err := openStore(ctx, o.File, o.Now)
	if err != nil {
		return nil, err
	}
	key := append([]byte(nil), o.Key...)
	t := &Trail{opts: o, store: store, queue: make(chan Record, maxWaiting), closing: make(chan struct{}), done: make(chan struct{})}
	t.hashes.New = func() any { return hmac.New(sha256.New, key) }
	t.number.Store(rand.Int64N(idNumbers)) //nolint:gosec // so that processes do not count alike
	go t.write()                           //nolint:gosec // it ends with Close, not with ctx
	return t, nil
}

func openStore(ctx context.Context, file string, now func() time.Time) (*sqlstore.Store, error) {
	return sqlstore.Open(ctx, sqlstore.Options{Database: file, Schema: schema(), SmallCache: true, Now: now})
}

// idNumbers is how many calls can begin in one microsecond.
const idNumbers = 1024

// NewID returns the ID of a call that began at this time.
func (t *Trail) NewID(began time.Time) int64 { return firstID(began) + t.number.Add(1)%idNumbers }

func firstID(at time.Time) int64 { return at.UnixMicro() * idNumbers }

func idTime(id int64) time.Time { return time.UnixMicro(id / idNumbers).UTC() }

// Digest is the same for the same bytes, and reveals nothing about them
// without the key.
func (t *Trail) Digest(b []byte) string {
	h, _ := t.hashes.Get().(hash.Hash)
	defer t.hashes.Put(h)
	h.Reset()
	_, _ = h.Write(b) // a hash returns no error
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:16])
}

// Add records a call, whose ID is from NewID. If very many records wait it drops
// r, after 20 ms unless they cannot be written; how many were dropped is recorded
// later. After Close it drops r.
func (t *Trail) Add(r Record) {
	select {
	case <-t.closing:
		return
	case t.queue <- r:
		return
	default:
	}
	if t.failure.Load() != nil {
		t.dropped.Add(1)
		return
	}
	timer := time.NewTimer(maxBlocked)
	defer timer.Stop()
	select {
	case <-t.closing:
	case t.queue <- r:
	case <-timer.C:
		t.dropped.Add(1)
	}
}

// Err returns why calls are not recorded now; nil if they are.
func (t *Trail) Err() error {
	if err := t.failure.Load(); err != nil {
		return *err
	}
	if n := t.dropped.Load(); n > 0 {
		return fmt.Errorf("%d calls were not recorded, because they came faster than they can be written", n)
	}
	return nil
}

// Close writes what waits and closes the file.
func (t *Trail) Close() error {
	t.once.Do(func() { close(t.closing) })
	<-t.done
	return errors.Join(t.Err(), t.store.Close())
}

// write is the goroutine that writes: at once after a pause, and then what has
// come meanwhile. A batch that cannot be written is tried again, while the queue
// fills.
func (t *Trail) write() {
	defer close(t.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go t.sweep(ctx)
	var batch []Record
	for open := true; open; {
		select {
		case r := <-t.queue:
			batch = append(batch, r)
		case <-t.closing:
		}
		batch = t.drain(batch)
		for open && t.writeBatch(ctx, batch) != nil {
			open = t.pause(retryDelay)
		}
		if open {
			batch, open = batch[:0], len(t.queue) >= maxBatch || t.pause(flushDelay)
		}
	}
	ctx, stop := context.WithTimeout(ctx, closeLimit)
	defer stop()
	for batch = t.drain(batch); len(batch) > 0 && t.writeBatch(ctx, batch) == nil; {
		batch = t.drain(batch[:0])
	}
}

// drain adds the records that wait, as many as one transaction takes.
func (t *Trail) drain(batch []Record) []Record {
	for len(batch) < maxBatch {
		select {
		case r := <-t.queue:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// pause waits, and reports whether the trail is still open.
func (t *Trail) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.closing:
		return false
	}
}

func (t *Trail) writeBatch(ctx context.Context, batch []Record) error {
	dropped := t.dropped.Load()
	if dropped > 0 {
		now := t.opts.Now()
		batch = append(batch, Record{ID: t.NewID(now), Outcome: Dropped, Message: fmt.Sprintf("%d calls were not recorded", dropped)})
	}
	if len(batch) == 0 {
		return nil
	}
	if err := insert(ctx, t.store, batch); err != nil {
		err = fmt.Errorf("write audit: %w", err)
		t.failure.Store(&err)
		return err
	}
	t.dropped.Add(-dropped)
	t.failure.Store(nil)
	return nil
}
