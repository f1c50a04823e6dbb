// Package statustest has a status.Access for tests, [Fake], and the suites that
// every status.Client, Ledger, Desk and Shelf passes: [Run], [RunLedger],
// [RunDesk], [RunShelf].
//
// It is not a mock: a Fake keeps the promises of the interface, and passes the
// suite itself. Tests of the panel, of cmd and of the other Clients import it.
package statustest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// Kept is how many lines a Fake keeps. In [Run] the Client under test keeps as
// many.
const Kept = 100

// Fake is a status.Access that a test fills. The zero value is ready: it has an
// empty snapshot and no lines. It is safe for concurrent use.
type Fake struct {
	mu    sync.Mutex
	wake  chan struct{} // closed and forgotten at the next change; nil: nobody waits
	ended int           // how often End was called

	snap  status.Snapshot
	sets  int           // how often Set was called
	lines []status.Line // the last Kept
	last  uint64        // Seq of the newest line
	plan  status.Plan
	err   error
	asked []status.Action
	did   []status.Action

	changes status.Changes
	picked  []status.Filter

	onSet  func(status.Snapshot)
	onLine func(status.Line)

	ledger ledger
	desk   desk
	shelf  shelf
}

// Set makes snap the current snapshot. A Seq of 0 counts on from the one before.
func (f *Fake) Set(snap status.Snapshot) {
	snap = clone(snap)
	f.mu.Lock()
	defer f.mu.Unlock()
	if snap.Seq == 0 {
		snap.Seq = f.snap.Seq + 1
	}
	f.snap = snap
	f.sets++
	f.changed()
	if f.onSet != nil {
		f.onSet(clone(snap))
	}
}

// AddLine adds l to the log and returns its Seq, which AddLine gives.
// Without a Level it is Info, without a Time one second after the line before.
func (f *Fake) AddLine(l status.Line) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	l.Seq, l.Missed = f.last, 0
	if l.Level == "" {
		l.Level = status.Info
	}
	if l.Time.IsZero() {
		l.Time = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC).Add(time.Duration(f.last) * time.Second)
	}
	f.lines = append(f.lines, l)
	if len(f.lines) > Kept {
		f.lines = slices.Clone(f.lines[len(f.lines)-Kept:])
	}
	f.changed()
	if f.onLine != nil {
		f.onLine(l)
	}
	return l.Seq
}

// SetPlan makes p what Preview answers.
func (f *Fake) SetPlan(p status.Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan = p
}

// SetErr makes err what every method of the interface answers, until it is nil again.
func (f *Fake) SetErr(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// Did returns the actions that were asked of Do, failed ones too.
func (f *Fake) Did() []status.Action {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.did)
}

// Previewed returns the actions that were asked of Preview.
func (f *Fake) Previewed() []status.Action {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// End closes every channel handed out so far, as when the hub is gone. Asking
// again works, as when it is back.
func (f *Fake) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
	f.changed()
}

// Tee has set and line called with everything that Set and AddLine add from now
// on, before they return. With it a Client that has a store of its own, rather
// than another Client behind it, can be filled in [Run].
func (f *Fake) Tee(set func(status.Snapshot), line func(status.Line)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onSet, f.onLine = set, line
}

// Watch implements status.Client.
func (f *Fake) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	f.mu.Lock()
	ended, err := f.ended, f.err
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ch := make(chan status.Snapshot)
	go f.watch(ctx, ended, ch)
	return ch, nil
}

func (f *Fake) watch(ctx context.Context, ended int, ch chan<- status.Snapshot) {
	defer close(ch)
	told := -1 // the Set that the reader knows
	for ctx.Err() == nil {
		f.mu.Lock()
		snap, sets, wake, over := clone(f.snap), f.sets, f.wait(), f.ended != ended
		f.mu.Unlock()
		if over {
			return
		}
		offer := ch
		if told == sets {
			offer = nil
		}
		select {
		case offer <- snap:
			told = sets
		case <-wake:
		case <-ctx.Done():
		}
	}
}

// Logs implements status.Client.
func (f *Fake) Logs(ctx context.Context, q status.LogQuery) (<-chan status.Line, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	if q.After > f.last {
		q.After = 0 // a number of another hub
	}
	if skip := f.matching(q); q.Last > 0 && len(skip) > q.Last {
		q.After = skip[len(skip)-q.Last-1].Seq
	}
	ch := make(chan status.Line)
	go deliver(ctx, f, f.ended, q.Follow, ch, func() []status.Line {
		lines := f.matching(q)
		q.After = f.last
		return lines
	})
	return ch, nil
}

// deliver sends what find finds, and as it grows, if it is to follow, until ctx
// or the hub of that number ends. find is called with the lock.
func deliver[T any](ctx context.Context, f *Fake, ended int, follow bool, ch chan<- T, find func() []T) {
	defer close(ch)
	for {
		f.mu.Lock()
		found, wake, over := find(), f.wait(), f.ended != ended
		f.mu.Unlock()
		if over {
			return
		}
		for _, one := range found {
			select {
			case ch <- one:
			case <-ctx.Done():
				return
			}
		}
		if !follow {
			return
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// matching returns the kept lines after q.After that q picks. With the lock.
func (f *Fake) matching(q status.LogQuery) []status.Line {
	var missed uint64
	if oldest := f.last - uint64(len(f.lines)) + 1; q.After > 0 && q.After+1 < oldest {
		missed = oldest - q.After - 1
	}
	var lines []status.Line
	for _, l := range f.lines {
		if l.Seq <= q.After || grave(l.Level) < grave(q.Level) || q.Component != "" && l.Component != q.Component {
			continue
		}
		l.Missed, missed = missed, 0
		lines = append(lines, l)
	}
	return lines
}

// grave is the rank of l; that of no level is Info's.
func grave(l status.Level) int {
	if l == "" {
		l = status.Info
	}
	return slices.Index([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, l)
}

// Preview implements status.Client.
func (f *Fake) Preview(_ context.Context, a status.Action) (status.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, a)
	return f.plan, f.err
}

// Do implements status.Client.
func (f *Fake) Do(_ context.Context, a status.Action) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, a)
	return f.err
}

// wait returns a channel that the next change closes. With the lock.
func (f *Fake) wait() <-chan struct{} {
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// changed wakes who waits. With the lock.
func (f *Fake) changed() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// clone copies s by its JSON, which also proves that it survives a wire.
func clone(s status.Snapshot) status.Snapshot {
	b, err := json.Marshal(s)
	if err != nil {
		panic("statustest: a snapshot that has no JSON: " + err.Error())
	}
	var c status.Snapshot
	if err := json.Unmarshal(b, &c); err != nil {
		panic("statustest: a snapshot that does not survive JSON: " + err.Error())
	}
	return c
}
