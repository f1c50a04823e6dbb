package supervisor

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func TestSnapshotsAreCopies(t *testing.T) {
	s := NewSnapshotStore(time.Now)
	mine := []status.Source{{Component: status.Component{Name: "notes"}, Effects: []string{"read"}}}
	s.Update(func(snap *status.Snapshot) { snap.Sources = mine })
	s.RaiseProblem(status.Problem{Code: "c", Action: &status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "a"}}})
	before := s.Snapshot()

	mine[0].Name, mine[0].Effects[0] = "changed", "write"
	taken := s.Snapshot()
	taken.Sources[0].Effects[0] = "write"
	taken.Problems[0].Action.Source.Name = "changed"
	s.Update(func(snap *status.Snapshot) { snap.Sources[0].Name = "later" })

	if before.Sources[0].Name != "notes" || before.Sources[0].Effects[0] != "read" {
		t.Errorf("a snapshot changed after it was handed out: %+v", before.Sources[0])
	}
	after := s.Snapshot()
	if got := after.Sources[0].Effects[0]; got != "read" {
		t.Errorf("the state has the effect %q, which only a copy was given", got)
	}
	if got := after.Problems[0].Action.Source.Name; got != "a" {
		t.Errorf("the state has the source name %q, which only a copy was given", got)
	}
}

func TestEmptySnapshotHasLists(t *testing.T) {
	s := NewSnapshotStore(time.Now)
	s.Update(func(snap *status.Snapshot) { snap.Sources = nil })
	snap := s.Snapshot()
	if snap.Sources == nil || snap.Sessions == nil || snap.Peers == nil || snap.Problems == nil || snap.Snippets == nil {
		t.Errorf("a list is nil: %+v", snap)
	}
}

// An Update that leaves all as it was is none: nobody is woken to draw the same
// again.
func TestEqualUpdateIsNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSnapshotStore(time.Now)
		draw := func(snap *status.Snapshot) {
			snap.Hub.State = status.Ready
			snap.Sources = []status.Source{{Component: status.Component{Name: "notes", State: status.Ready}, Effects: []string{"read"}}}
			snap.Approvals = []status.Approval{{ID: "a", Targets: []string{"x"}}}
		}
		s.Update(draw)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		shots := s.Watch(ctx)
		before := <-shots
		for range 3 {
			time.Sleep(time.Minute) // the bubble's time
			s.Update(draw)
		}
		synctest.Wait()
		select {
		case again := <-shots:
			t.Errorf("drawn again without news: %s", cmp.Diff(before, again))
		default:
		}
		s.Update(func(snap *status.Snapshot) { snap.Sources[0].Calls++ })
		if after := <-shots; after.Seq != before.Seq+1 || !after.Time.After(before.Time) {
			t.Errorf("news at %d %s, after %d %s", after.Seq, after.Time, before.Seq, before.Time)
		}
	})
}

func TestUpdateThatPanicsChangesNothing(t *testing.T) {
	s := NewSnapshotStore(time.Now)
	func() {
		defer func() { _ = recover() }()
		s.Update(func(snap *status.Snapshot) { snap.Hub.PID = 7; panic("oops") })
	}()
	if snap := s.Snapshot(); snap.Hub.PID != 0 || snap.Seq != 0 {
		t.Errorf("half an update is visible: %+v", snap)
	}
}

func TestProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSnapshotStore(time.Now)
		start := time.Now()
		s.RaiseProblem(status.Problem{Code: "update.ready", Severity: status.Notice})
		time.Sleep(time.Second)
		s.RaiseProblem(status.Problem{Code: "source.gone", Component: "notes", Severity: status.Error, Title: "notes is gone"})
		s.RaiseProblem(status.Problem{Code: "source.gone", Component: "wiki", Severity: status.Error})
		s.RaiseProblem(status.Problem{Code: "port.taken", Severity: status.Warning})
		time.Sleep(time.Second)
		s.RaiseProblem(status.Problem{Code: "source.gone", Component: "notes", Severity: status.Error, Title: "notes is still gone"})

		type row struct {
			Code, Part, Title string
			Since             time.Duration
		}
		rows := func() (rows []row) {
			for _, p := range s.Snapshot().Problems {
				rows = append(rows, row{p.Code, p.Component, p.Title, p.Since.Sub(start)})
			}
			return rows
		}
		want := []row{
			{"source.gone", "notes", "notes is still gone", time.Second},
			{"source.gone", "wiki", "", time.Second},
			{"port.taken", "", "", time.Second},
			{"update.ready", "", "", 0},
		}
		if diff := cmp.Diff(want, rows()); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}

		seq := s.Snapshot().Seq
		s.RaiseProblem(status.Problem{Code: "port.taken", Severity: status.Warning})
		s.ClearProblem("port.taken", "notes")
		s.ClearProblem("", "nobody")
		if got := s.Snapshot().Seq; got != seq {
			t.Errorf("seq went from %d to %d though nothing changed", seq, got)
		}

		s.ClearProblem("source.gone", "notes")
		s.RaiseProblem(status.Problem{Code: "source.gone", Component: "notes", Severity: status.Error})
		s.ClearProblem("", "wiki")
		want = []row{
			{"source.gone", "notes", "", 2 * time.Second},
			{"port.taken", "", "", time.Second},
			{"update.ready", "", "", 0},
		}
		if diff := cmp.Diff(want, rows()); diff != "" {
			t.Errorf("problems after clearing (-want +got):\n%s", diff)
		}
	})
}

func TestSinceFollowsTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSnapshotStore(time.Now)
		start := time.Now()
		set := func(state status.State) {
			s.Update(func(snap *status.Snapshot) {
				snap.Hub.State = state
				snap.Sources = []status.Source{{Component: status.Component{Name: "notes", State: state}}}
			})
			time.Sleep(time.Second)
		}
		set(status.Starting)
		set(status.Ready)
		s.Update(func(snap *status.Snapshot) { snap.Hub.Calls++ })
		snap := s.Snapshot()
		if got := snap.Hub.Since.Sub(start); got != time.Second {
			t.Errorf("hub is ready since %v, want 1s", got)
		}
		if got := snap.Sources[0].Since.Sub(start); got != time.Second {
			t.Errorf("source is ready since %v, want 1s", got)
		}
		given := start.Add(-time.Hour)
		s.Update(func(snap *status.Snapshot) { snap.Hub.State, snap.Hub.Since = status.Stopping, given })
		if got := s.Snapshot().Hub.Since; !got.Equal(given) {
			t.Errorf("hub is stopping since %v, want the time that was given", got)
		}
	})
}

func TestWatchIsConflated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSnapshotStore(time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ch := s.Watch(ctx)
		if first := <-ch; first.Seq != 0 {
			t.Fatalf("first snapshot is %d, want 0", first.Seq)
		}

		// A change every millisecond for two seconds, and an eager reader.
		go func() {
			for range 2000 {
				time.Sleep(time.Millisecond)
				s.Update(func(snap *status.Snapshot) { snap.Hub.Calls++ })
			}
		}()
		var got int
		var last status.Snapshot
		for last.Hub.Calls < 2000 {
			next := <-ch
			if next.Seq <= last.Seq {
				t.Fatalf("snapshot %d came after %d", next.Seq, last.Seq)
			}
			last = next
			got++
		}
		if got > 42 || got < 30 {
			t.Errorf("an eager reader got %d snapshots in two seconds, want about 40", got)
		}

		// Nobody reads while a thousand changes pass; then the last is there.
		for range 1000 {
			s.Update(func(snap *status.Snapshot) { snap.Hub.Calls++ })
		}
		time.Sleep(time.Minute)
		if next := <-ch; next.Hub.Calls != 3000 {
			t.Errorf("after a long sleep the reader got %d calls, want the newest, 3000", next.Hub.Calls)
		}

		cancel()
		synctest.Wait()
		if _, open := <-ch; open {
			t.Error("the channel is open after ctx ended")
		}
	})
}

func TestChangeAfterQuietArrivesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSnapshotStore(time.Now)
		ch := s.Watch(t.Context())
		<-ch
		time.Sleep(time.Second)
		changed := time.Now()
		s.Update(func(snap *status.Snapshot) { snap.Hub.PID = 1 })
		<-ch
		if waited := time.Since(changed); waited != 0 {
			t.Errorf("a change after a quiet second took %v to arrive", waited)
		}
	})
}

func TestStateManyAtOnce(t *testing.T) {
	s := NewSnapshotStore(time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for range 20 {
		readers.Go(func() {
			for snap := range s.Watch(ctx) {
				for i := range snap.Sources {
					snap.Sources[i].Name = "mine"
				}
			}
		})
	}
	for w := range 4 {
		writers.Go(func() {
			for i := range 500 {
				s.Update(func(snap *status.Snapshot) {
					snap.Hub.Calls++
					snap.Sources = []status.Source{{Component: status.Component{Name: "notes"}}}
				})
				part := strconv.Itoa(w)
				s.RaiseProblem(status.Problem{Code: "c", Component: part, Title: strconv.Itoa(i)})
				s.ClearProblem("c", part)
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
	snap := s.Snapshot()
	if snap.Hub.Calls != 2000 || snap.Sources[0].Name != "notes" || len(snap.Problems) != 0 {
		t.Errorf("after all: %+v", snap)
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := NewSnapshotStore(time.Now)
	s.Update(func(snap *status.Snapshot) {
		snap.Sources = make([]status.Source, 5)
		snap.Sessions = make([]status.Session, 8)
		snap.Snippets = make([]status.Snippet, 6)
	})
	for b.Loop() {
		s.Update(func(snap *status.Snapshot) { snap.Hub.Calls++ })
	}
}
