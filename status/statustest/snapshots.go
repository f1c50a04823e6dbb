package statustest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func numbered(n uint64) status.Snapshot {
	return status.Snapshot{Hub: status.Hub{Calls: n}}
}

func checkFirstSnapshot(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	if got := next(t, ch); got.Hub.Calls != 1 {
		t.Errorf("the first snapshot is number %d, want 1", got.Hub.Calls)
	}
}

func checkWholeSnapshot(t *testing.T, f *Fake, c status.Client) {
	want := sampleOf[status.Snapshot]()
	f.Set(want)
	ch, _ := watch(t, c)
	got := next(t, ch)
	got.Seq, got.Time = want.Seq, want.Time                                                          // the Client may set these itself
	got.Installations, got.Discovered, got.Update = want.Installations, want.Discovered, want.Update // and a panel's sets these
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
}

func checkChanges(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	last := next(t, ch)
	for n := uint64(2); n <= 4; n++ {
		f.Set(numbered(n))
		got := next(t, ch)
		if got.Hub.Calls != n || got.Seq <= last.Seq {
			t.Fatalf("after change %d came snapshot %d with seq %d, after seq %d", n, got.Hub.Calls, got.Seq, last.Seq)
		}
		last = got
	}
}

func checkSlowWatcher(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	next(t, ch)
	const many = 2000
	for n := uint64(2); n <= many; n++ {
		f.Set(numbered(n)) // returns though nobody reads
	}
	var seq uint64
	for got := 1; ; got++ {
		s := next(t, ch)
		if s.Seq <= seq {
			t.Fatalf("seq %d came after %d", s.Seq, seq)
		}
		seq = s.Seq
		if s.Hub.Calls == many {
			return
		}
		if got > many/2 {
			t.Fatalf("the reader was given %d of %d snapshots, want it to skip", got, many)
		}
	}
}

func checkWatchEnds(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	unread, stop := watch(t, c)
	stop()
	closes(t, unread)

	read, stop := watch(t, c)
	next(t, read)
	stop()
	closes(t, read)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	if ch, err := c.Watch(over); err == nil {
		closes(t, ch)
	}
}

func checkManyWatchers(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	const last = 50
	var wg sync.WaitGroup
	for range 16 {
		ch, _ := watch(t, c)
		wg.Go(func() {
			deadline := time.After(patience)
			for {
				select {
				case s, open := <-ch:
					if !open {
						t.Error("the channel was closed before the last snapshot")
						return
					}
					if s.Hub.Calls == last {
						return
					}
				case <-deadline:
					t.Error("the last snapshot did not come")
					return
				}
			}
		})
	}
	for n := uint64(2); n <= last; n++ {
		f.Set(numbered(n))
	}
	wg.Wait()
}
