package sqlstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLocks(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		one, two, ctx := open(t, database, tables, time.Now), open(t, database, tables, time.Now), t.Context()
		var inside, most atomic.Int32
		var working sync.WaitGroup
		for i := range 6 {
			s := []*Store{one, two}[i%2]
			working.Go(func() {
				err := s.WithLock(ctx, "index", func(ctx context.Context) error {
					most.Store(max(most.Load(), inside.Add(1)))
					defer inside.Add(-1)
					return s.WithLock(ctx, "another", func(context.Context) error { return nil })
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		working.Wait()
		if most.Load() != 1 {
			t.Errorf("%d held the lock at once", most.Load())
		}
		failure := errors.New("no")
		err := one.WithLock(ctx, "index", func(context.Context) error {
			waiting, stop := context.WithCancel(ctx)
			time.AfterFunc(20*time.Millisecond, stop)
			err := two.WithLock(waiting, "index", func(context.Context) error {
				t.Error("the lock was held twice")
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("waiting for a lock: %v", err)
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("the error of what held the lock: %v", err)
		}
	})
}

// Who holds a lock is told that its session was ended, and another takes it.
func TestLockIsLost(t *testing.T) {
	database := postgres.Database(t)
	one, two, ctx := open(t, database, tables, time.Now), open(t, database, tables, time.Now), t.Context()
	one.lockCheck = 10 * time.Millisecond
	err := one.WithLock(ctx, "index", func(held context.Context) error {
		var ended bool
		query := "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
		if err := two.Reader().QueryRow(ctx, query).Scan(&ended); err != nil || !ended {
			t.Fatal(ended, err)
		}
		<-held.Done()
		if err := context.Cause(held); !errors.Is(err, ErrLockLost) {
			t.Errorf("cause %v", err)
		}
		return two.WithLock(ctx, "index", func(context.Context) error { return nil })
	})
	if err != nil {
		t.Error(err)
	}
}

// writeOnce is [Store.Once] in a transaction of its own.
func writeOnce(
	ctx context.Context, s *Store, k IdempotencyKey, keep time.Duration, fn func(*Conn) ([]byte, error),
) (text string, replayed bool, err error) {
	err = s.Write(ctx, func(c *Conn) error {
		var answer []byte
		answer, replayed, err = s.Once(ctx, c, k, keep, func() ([]byte, error) { return fn(c) })
		text = string(answer)
		return err
	})
	return text, replayed, err
}

func TestIdempotencyKeys(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		clock := newClock()
		s, ctx := open(t, database, tables, clock.Now), t.Context()
		var runs atomic.Int32
		once := func(key, digest string) (string, bool, error) {
			return writeOnce(ctx, s, IdempotencyKey{"ann", key, []byte(digest)}, time.Hour, func(c *Conn) ([]byte, error) {
				_, err := c.Exec(ctx, "INSERT INTO log (name) VALUES (?)", key)
				runs.Add(1)
				return []byte("answer to " + digest), err
			})
		}
		var replays atomic.Int32
		var asking sync.WaitGroup
		for range 6 {
			asking.Go(func() {
				answer, replayed, err := once("k1", "x")
				if answer != "answer to x" || err != nil {
					t.Errorf("answer %q, %v", answer, err)
				}
				if replayed {
					replays.Add(1)
				}
			})
		}
		asking.Wait()
		if n := count(t, s, "SELECT count(*) FROM log"); n != 1 || replays.Load() != 5 {
			t.Errorf("%d writes and %d replays of 6 requests", n, replays.Load())
		}
		if _, _, err := once("k1", "y"); !errors.Is(err, ErrKeyReused) {
			t.Errorf("another request with the key: %v", err)
		}
		_, _, err := writeOnce(ctx, s, IdempotencyKey{"ann", "k2", []byte("x")}, time.Hour, func(*Conn) ([]byte, error) { return nil, errors.New("no") })
		if err == nil || err.Error() != "no" {
			t.Errorf("a request that fails: %v", err)
		}
		if _, replayed, err := once("k2", "y"); replayed || err != nil {
			t.Errorf("after a request that failed: replayed %v, %v", replayed, err)
		}
		clock.advance(time.Hour)
		if _, replayed, err := once("k1", "y"); replayed || err != nil {
			t.Errorf("an old key: replayed %v, %v", replayed, err)
		}
	})
}

func TestRateLimits(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		clock := newClock() // half a minute past noon
		one, two, ctx := open(t, database, tables, clock.Now), open(t, database, tables, clock.Now), t.Context()
		limit := RateLimit{10, time.Minute}
		var taken atomic.Int32
		var taking sync.WaitGroup
		for i := range 6 {
			s := []*Store{one, two}[i%2]
			taking.Go(func() {
				for range 5 {
					wait, err := s.Take(ctx, "ann", 1, limit)
					switch {
					case err != nil, wait != 0 && wait != 30*time.Second:
						t.Errorf("wait %v, %v", wait, err)
					case wait == 0:
						taken.Add(1)
					}
				}
			})
		}
		taking.Wait()
		if taken.Load() != 10 {
			t.Errorf("%d taken of 10", taken.Load())
		}
		if wait, err := one.Take(ctx, "bob", 10, limit); wait != 0 || err != nil {
			t.Errorf("another name: %v, %v", wait, err)
		}
		if _, err := one.Take(ctx, "ann", 11, limit); err == nil || !strings.Contains(err.Error(), "more than the limit") {
			t.Errorf("more than can ever be had: %v", err)
		}
		clock.advance(30 * time.Second)
		if wait, err := two.Take(ctx, "ann", 9, limit); wait != 0 || err != nil {
			t.Errorf("the next window: %v, %v", wait, err)
		}
		// A clock that is behind does not begin the old window again.
		clock.advance(-time.Second)
		if wait, err := one.Take(ctx, "ann", 2, limit); wait == 0 || err != nil {
			t.Errorf("a clock that is behind: %v, %v", wait, err)
		}
	})
}

func TestSweep(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		clock := newClock()
		s, ctx := open(t, database, tables, clock.Now), t.Context()
		fill := func(name string) {
			_, _, onceErr := writeOnce(ctx, s, IdempotencyKey{"", name, []byte{1}}, time.Minute, func(*Conn) ([]byte, error) { return nil, nil })
			_, takeErr := s.Take(ctx, name, 1, RateLimit{1, time.Minute})
			if err := errors.Join(onceErr, takeErr); err != nil {
				t.Fatal(err)
			}
		}
		fill("old")
		clock.advance(time.Minute)
		fill("new")
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"idempotency WHERE key", "rates WHERE name"} {
			if was, is := count(t, s, "SELECT count(*) FROM sqlstore_"+table+" = 'old'"), count(t, s, "SELECT count(*) FROM sqlstore_"+table+" = 'new'"); was != 0 || is != 1 {
				t.Errorf("%s: %d old and %d new", table, was, is)
			}
		}
	})
}
