package supervisor

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// pause is the least time between two snapshots for one watcher: twenty a
// second are more than a person sees, and a busy hub changes thousands of times.
const pause = 50 * time.Millisecond

// State holds the current status.Snapshot of a hub and tells watchers of every
// change. Nobody who changes it ever waits for a watcher. It is safe for
// concurrent use.
type State struct {
	now func() time.Time

	mu      sync.Mutex
	snap    status.Snapshot // never changed in place, so watchers may copy it later
	changed chan struct{}   // closed at the next change
}

// NewState returns a State with an empty snapshot.
func NewState(now func() time.Time) *State {
	return &State{
		now:     now,
		snap:    detach(status.Snapshot{Time: now()}),
		changed: make(chan struct{}),
	}
}

// Update lets f change a copy of the snapshot and publishes it; where f leaves
// it as it was there is no change. f must not call the State, and what it leaves
// in the snapshot stays the caller's.
//
// Seq, Time and the order of Problems are set here, and so is Since of the
// hub, the sources and the sessions where f does not set it: a part is told
// from others by its name, so f may also build the lists anew.
func (s *State) Update(f func(*status.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := detach(s.snap)
	f(&next)
	s.publish(next)
}

// Raise adds p, or replaces the problem with its code and part. Since stays
// that of the first Raise until the problem is cleared. Raising the same again
// is no change.
func (s *State) Raise(p status.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.snap.Problems, func(q status.Problem) bool { return q.Code == p.Code && q.Component == p.Component })
	if i >= 0 {
		p.Since = s.snap.Problems[i].Since
		if reflect.DeepEqual(p, s.snap.Problems[i]) {
			return
		}
	}
	if p.Since.IsZero() {
		p.Since = s.now()
	}
	next := detach(s.snap)
	if i >= 0 {
		next.Problems[i] = p
	} else {
		next.Problems = append(next.Problems, p)
	}
	s.publish(next)
}

// Clear removes the problem with this code and part; an empty code removes all
// problems of the part. Clearing what is not raised is no change.
func (s *State) Clear(code, part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := func(p status.Problem) bool { return p.Component == part && (code == "" || p.Code == code) }
	if !slices.ContainsFunc(s.snap.Problems, gone) {
		return
	}
	next := detach(s.snap)
	next.Problems = slices.DeleteFunc(next.Problems, gone)
	s.publish(next)
}

// publish makes next the current snapshot, if it shows anything new.
func (s *State) publish(next status.Snapshot) {
	now := s.now()
	next = detach(next) // whoever changed it may have left slices of its own in it
	next.Seq, next.Time = s.snap.Seq+1, now
	stampParts(&next, s.snap, now)
	slices.SortStableFunc(next.Problems, byGravity)
	if alike(next, s.snap) {
		return
	}
	s.snap = next
	close(s.changed)
	s.changed = make(chan struct{})
}

// alike reports whether two snapshots show the same.
func alike(a, b status.Snapshot) bool {
	a.Seq, a.Time = b.Seq, b.Time
	return reflect.DeepEqual(a, b)
}

// Snapshot returns the current snapshot, which is the caller's to change.
func (s *State) Snapshot() status.Snapshot {
	snap, _ := s.take()
	return snap
}

func (s *State) take() (status.Snapshot, <-chan struct{}) {
	s.mu.Lock()
	snap, changed := s.snap, s.changed
	s.mu.Unlock()
	return detach(snap), changed
}

// Watch delivers the current snapshot at once and then the newest after
// changes, at most twenty a second. A slow reader misses intermediate
// snapshots, never the last. The channel is closed when ctx ends.
func (s *State) Watch(ctx context.Context) <-chan status.Snapshot {
	out := make(chan status.Snapshot, 1)
	go s.watch(ctx, out)
	return out
}

func (s *State) watch(ctx context.Context, out chan status.Snapshot) {
	defer close(out)
	for {
		snap, changed := s.take()
		status.Offer(out, snap)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// stampParts sets Since of the parts of next that entered another state, and
// carries it over for those that did not.
func stampParts(next *status.Snapshot, last status.Snapshot, now time.Time) {
	stamp := func(p *status.Component, old status.Component) {
		switch {
		case p.State == old.State && p.Since.IsZero():
			p.Since = old.Since
		case p.State != old.State && (p.Since.IsZero() || p.Since.Equal(old.Since)):
			p.Since = now
		}
	}
	stamp(&next.Hub.Component, last.Hub.Component)
	for i := range next.Sources {
		p := &next.Sources[i].Component
		stamp(p, partOf(last.Sources, p.Name, func(s status.Source) status.Component { return s.Component }))
	}
	for i := range next.Sessions {
		p := &next.Sessions[i].Component
		stamp(p, partOf(last.Sessions, p.Name, func(s status.Session) status.Component { return s.Component }))
	}
}

func partOf[T any](all []T, name string, part func(T) status.Component) status.Component {
	for _, t := range all {
		if p := part(t); p.Name == name {
			return p
		}
	}
	return status.Component{}
}

// byGravity orders problems: gravest first, then those that stand longest.
func byGravity(a, b status.Problem) int {
	return cmp.Or(
		cmp.Compare(rank(a.Severity), rank(b.Severity)),
		a.Since.Compare(b.Since),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Component, b.Component),
	)
}

func rank(s status.Severity) int {
	order := []status.Severity{status.Error, status.Warning, status.Notice}
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}
