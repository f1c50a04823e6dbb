package watch

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeEvents are told by the test.
type fakeEvents struct {
	told   chan string
	closed chan struct{}
	mu     sync.Mutex // wait is called without the Watcher's lock
	next   []string
	err    error
	remote bool
}

func (e *fakeEvents) wait() error {
	select {
	case name := <-e.told:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.next = append(e.next, name)
		return nil
	case <-e.closed:
		return errors.New("closed")
	}
}

func (e *fakeEvents) drain(into *nameSet) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range e.next {
		into.add(name)
	}
	e.next = nil
	return e.err
}

func (e *fakeEvents) partial() bool { return e.remote }
func (e *fakeEvents) close() error  { close(e.closed); return nil }

func newFake(t *testing.T, err error) (*Watcher, *fakeEvents) {
	e := &fakeEvents{told: make(chan string), closed: make(chan struct{})}
	w := New(Options{Now: time.Now})
	w.open = func(Options, *nameSet) (events, error) { return e, err }
	t.Cleanup(func() { _ = w.Close() })
	return w, e
}

// waited is how long Wait takes.
func waited(t *testing.T, w *Watcher) time.Duration {
	t.Helper()
	began := time.Now()
	if err := w.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func wantAll(t *testing.T, w *Watcher, all bool) {
	t.Helper()
	if c := w.Take(); c.All != all {
		t.Errorf("Take = %+v, want All %v", c, all)
	}
}

func TestWholeFolderIsCheckedSometimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := newFake(t, nil)
		if d := waited(t, w); d != 0 {
			t.Errorf("the first Wait took %v, want 0", d)
		}
		for range 3 {
			wantAll(t, w, true)
			wantAll(t, w, false)
			if d := waited(t, w); d != checkEvery {
				t.Errorf("Wait took %v, want %v", d, checkEvery)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestManyChangesWakeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, e := newFake(t, nil)
		w.Take()
		go func() { // one every 5 ms, for half a second
			for range 100 {
				e.told <- "a"
				time.Sleep(5 * time.Millisecond)
			}
		}()
		if d := waited(t, w); d != settleLimit {
			t.Errorf("Wait took %v in a storm, want %v", d, settleLimit)
		}
		w.Take()
		for range 5 {
			waited(t, w)
			w.Take()
		}
		go func() { e.told <- "b" }()
		if d := waited(t, w); d != settleTime {
			t.Errorf("Wait took %v after one change, want %v", d, settleTime)
		}
		wantAll(t, w, false)
		_ = w.Close()
	})
}

func TestUntoldFolderIsPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := limitError(errTooMany)
		w, _ := newFake(t, errTooMany)
		for range 3 {
			wantAll(t, w, true)
			if !errors.Is(w.Limit(), why) {
				t.Fatalf("Limit = %v, want %v", w.Limit(), why)
			}
			if d := waited(t, w); d != pollEvery {
				t.Errorf("Wait took %v, want %v", d, pollEvery)
			}
		}
		time.Sleep(time.Second) // the look
		wantAll(t, w, true)
		if d := waited(t, w); d != 50*time.Second {
			t.Errorf("after a look of 1 s Wait took %v, want 50 s", d)
		}
	})
}

func TestPartialEventsArePolledToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, e := newFake(t, nil)
		e.remote = true
		w.Take()
		wantAll(t, w, true)
		w.waited = time.Now()
		if d := waited(t, w); d != pollEvery {
			t.Errorf("Wait took %v, want %v", d, pollEvery)
		}
		_ = w.Close()
	})
}

func TestLostEventsAreAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, e := newFake(t, nil)
		w.Take()
		e.mu.Lock()
		e.err = errLost
		e.mu.Unlock()
		e.told <- "a"
		again := &fakeEvents{told: make(chan string), closed: make(chan struct{})}
		w.open = func(Options, *nameSet) (events, error) { return again, nil }
		if err := w.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantAll(t, w, true)
		again.told <- "b"
		synctest.Wait()
		if c := w.Take(); c.All || len(c.Names) != 1 {
			t.Errorf("Take = %+v, want b", c)
		}
		_ = w.Close()
		wantAll(t, w, true) // it is closed
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	w, _ := newFake(t, nil)
	w.Take()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v", err)
	}
}
