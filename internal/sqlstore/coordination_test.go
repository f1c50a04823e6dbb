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

func TestLeases(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		clock := newClock()
		s, ctx := open(t, database, tables, clock.Now), t.Context()
		confirm := func(l Lease) error {
			return s.Write(ctx, func(c *Conn) error { return s.Confirm(ctx, c, l) })
		}
		first, err := s.Claim(ctx, "sync", "hub a", time.Minute)
		if err != nil || !first.Until.Equal(clock.now.Add(time.Minute)) {
			t.Fatal(first, err)
		}
		if _, err := s.Claim(ctx, "sync", "hub b", time.Minute); !errors.Is(err, ErrLeaseHeld) {
			t.Errorf("a held lease: %v", err)
		}
		if _, err := s.Claim(ctx, "index", "hub b", time.Minute); err != nil {
			t.Errorf("another lease: %v", err)
		}
		clock.advance(50 * time.Second)
		renewed, err := s.Renew(ctx, first, time.Minute)
		if err != nil || renewed.Token != first.Token {
			t.Fatal(renewed, err)
		}
		clock.advance(50 * time.Second)
		if err := confirm(first); err != nil {
			t.Errorf("a renewed lease: %v", err)
		}
		clock.advance(10 * time.Second)
		if err := confirm(first); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("an expired lease is confirmed: %v", err)
		}
		if _, err := s.Renew(ctx, first, time.Minute); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("an expired lease is renewed: %v", err)
		}
		second, err := s.Claim(ctx, "sync", "hub b", time.Minute)
		if err != nil || second.Token <= first.Token {
			t.Fatalf("an expired lease: %+v after %+v, %v", second, first, err)
		}
		if err := errors.Join(s.Release(ctx, first), confirm(second)); err != nil {
			t.Errorf("the release of a lost lease: %v", err)
		}
		if err := s.Release(ctx, second); err != nil {
			t.Fatal(err)
		}
		third, err := s.Claim(ctx, "sync", "hub a", time.Minute)
		if err != nil || third.Token < second.Token {
			t.Errorf("a released lease: %+v after %+v, %v", third, second, err)
		}
	})
}

// A lease that was confirmed in a transaction cannot be taken over before that
// ends.
func TestConfirmedLeaseIsHeld(t *testing.T) {
	database := postgres.Database(t)
	clock := newClock()
	s, ctx := open(t, database, tables, clock.Now), t.Context()
	l, err := s.Claim(ctx, "job", "a", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	claimed := make(chan error, 1)
	var committed atomic.Bool
	err = s.Write(ctx, func(c *Conn) error {
		if err := s.Confirm(ctx, c, l); err != nil {
			return err
		}
		clock.advance(time.Hour)
		go func() {
			_, err := s.Claim(ctx, "job", "b", time.Minute)
			if !committed.Load() {
				err = errors.New("the lease was taken while it was used")
			}
			claimed <- err
		}()
		// The claim waits for this transaction when PostgreSQL says so.
		for blocked := int64(0); blocked == 0; {
			if err := s.Reader().QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&blocked); err != nil {
				return err
			}
		}
		committed.Store(true)
		return nil
	})
	if err := errors.Join(err, <-claimed); err != nil {
		t.Error(err)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		clock := newClock()
		s, ctx := open(t, database, tables, clock.Now), t.Context()
		var runs atomic.Int32
		once := func(key, digest string) (string, bool, error) {
			answer, replayed, err := s.Once(ctx, IdempotencyKey{"ann", key, []byte(digest)}, time.Hour, func(c *Conn) ([]byte, error) {
				_, err := c.Exec(ctx, "INSERT INTO log (name) VALUES (?)", key)
				runs.Add(1)
				return []byte("answer to " + digest), err
			})
			return string(answer), replayed, err
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
		_, _, err := s.Once(ctx, IdempotencyKey{"ann", "k2", []byte("x")}, time.Hour, func(*Conn) ([]byte, error) { return nil, errors.New("no") })
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
			_, claimErr := s.Claim(ctx, name, "a", time.Minute)
			_, _, onceErr := s.Once(ctx, IdempotencyKey{"", name, []byte{1}}, time.Minute, func(*Conn) ([]byte, error) { return nil, nil })
			_, takeErr := s.Take(ctx, name, 1, RateLimit{1, time.Minute})
			if err := errors.Join(claimErr, onceErr, takeErr); err != nil {
				t.Fatal(err)
			}
		}
		fill("old")
		clock.advance(time.Minute)
		fill("new")
		if err := s.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"leases WHERE name", "idempotency WHERE key", "rates WHERE name"} {
			if was, is := count(t, s, "SELECT count(*) FROM sqlstore_"+table+" = 'old'"), count(t, s, "SELECT count(*) FROM sqlstore_"+table+" = 'new'"); was != 0 || is != 1 {
				t.Errorf("%s: %d old and %d new", table, was, is)
			}
		}
	})
}
