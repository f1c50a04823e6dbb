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

// minSnapshotInterval is the least time between two snapshots for one watcher: a person
// does not see more than twenty a second, and a busy hub changes thousands of
// times.
const minSnapshotInterval = 50 * time.Millisecond

// SnapshotStore holds the current status.Snapshot of a hub and delivers changes to its
// watchers. A change never waits for a watcher. It is safe for concurrent use.
type SnapshotStore struct {
	now func() time.Time

	mu      sync.Mutex
	snap    status.Snapshot // never changed in place, so watchers may copy it later
	changed chan struct{}   // closed at the next change
}

// NewSnapshotStore returns a store with an empty snapshot.
func NewSnapshotStore(now func() time.Time) *SnapshotStore {
	return &SnapshotStore{
		now:     now,
		snap:    cloneSnapshot(status.Snapshot{Time: now()}),
		changed: make(chan struct{}),
	}
}

// Update lets f change a copy of the snapshot and publishes it if it differs. f
// must not call the store. Slices that f sets remain the caller's.
//
// Seq, Time and the order of Problems are set here, and so is Since of the
// hub, the sources and the sessions where f does not set it: components are
// matched by name, so f may also replace the lists.
func (s *SnapshotStore) Update(f func(*status.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := cloneSnapshot(s.snap)
	f(&next)
	s.publish(next)
}

// RaiseProblem adds p, or replaces the problem with its code and component. Since is
// that of the first Raise until the problem is cleared. Raising the same problem
// again changes nothing.
func (s *SnapshotStore) RaiseProblem(p status.Problem) {
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
	next := cloneSnapshot(s.snap)
	if i >= 0 {
		next.Problems[i] = p
	} else {
		next.Problems = append(next.Problems, p)
	}
	s.publish(next)
}

// ClearProblem removes the problem with this code and component; an empty code removes
// all problems of the component.
func (s *SnapshotStore) ClearProblem(code, part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := func(p status.Problem) bool { return p.Component == part && (code == "" || p.Code == code) }
	if !slices.ContainsFunc(s.snap.Problems, gone) {
		return
	}
	next := cloneSnapshot(s.snap)
	next.Problems = slices.DeleteFunc(next.Problems, gone)
	s.publish(next)
}

// publish makes next the current snapshot, if it differs.
func (s *SnapshotStore) publish(next status.Snapshot) {
	now := s.now()
	next = cloneSnapshot(next) // it may hold slices of the caller
	next.Seq, next.Time = s.snap.Seq+1, now
	setSince(&next, s.snap, now)
	slices.SortStableFunc(next.Problems, compareProblems)
	if sameContent(next, s.snap) {
		return
	}
	s.snap = next
	close(s.changed)
	s.changed = make(chan struct{})
}

// sameContent reports whether two snapshots differ only in number and time.
func sameContent(a, b status.Snapshot) bool {
	a.Seq, a.Time = b.Seq, b.Time
	return reflect.DeepEqual(a, b)
}

// Snapshot returns the current snapshot, which is the caller's to change.
func (s *SnapshotStore) Snapshot() status.Snapshot {
	snap, _ := s.current()
	return snap
}

func (s *SnapshotStore) current() (status.Snapshot, <-chan struct{}) {
	s.mu.Lock()
	snap, changed := s.snap, s.changed
	s.mu.Unlock()
	return cloneSnapshot(snap), changed
}

// Watch delivers the current snapshot at once and then the newest after
// changes, at most twenty a second. A slow reader misses intermediate
// snapshots, never the last. The channel is closed when ctx ends.
func (s *SnapshotStore) Watch(ctx context.Context) <-chan status.Snapshot {
	out := make(chan status.Snapshot, 1)
	go s.watch(ctx, out)
	return out
}

func (s *SnapshotStore) watch(ctx context.Context, out chan status.Snapshot) {
	defer close(out)
	for {
		snap, changed := s.current()
		status.Offer(out, snap)
		select {
		case <-time.After(minSnapshotInterval):
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

// setSince sets Since of the components of next that entered another state, and
// copies it for the others.
func setSince(next *status.Snapshot, last status.Snapshot, now time.Time) {
	set := func(p *status.Component, old status.Component) {
		switch {
		case p.State == old.State && p.Since.IsZero():
			p.Since = old.Since
		case p.State != old.State && (p.Since.IsZero() || p.Since.Equal(old.Since)):
			p.Since = now
		}
	}
	set(&next.Hub.Component, last.Hub.Component)
	for i := range next.Sources {
		p := &next.Sources[i].Component
		set(p, findComponent(last.Sources, p.Name, func(s status.Source) status.Component { return s.Component }))
	}
	for i := range next.Sessions {
		p := &next.Sessions[i].Component
		set(p, findComponent(last.Sessions, p.Name, func(s status.Session) status.Component { return s.Component }))
	}
}

func findComponent[T any](all []T, name string, part func(T) status.Component) status.Component {
	for _, t := range all {
		if p := part(t); p.Name == name {
			return p
		}
	}
	return status.Component{}
}

// compareProblems orders problems: most severe first, then oldest first.
func compareProblems(a, b status.Problem) int {
	return cmp.Or(
		cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
		a.Since.Compare(b.Since),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Component, b.Component),
	)
}

func severityRank(s status.Severity) int {
	order := []status.Severity{status.Error, status.Warning, status.Notice}
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}
