// Package watch tells which files below a folder have changed since the last time
// somebody asked, without reading any of them. It does not know what files mean and
// which of them agents may see: its names are hints about where to look.
//
// On Linux the kernel queues changes as they are made (inotify), and [Watcher.Take]
// empties the queue first, so it knows of everything that was done before the call.
// Elsewhere, on network file systems and where the limits of the system are
// reached, every Take says that everything may have changed. Systems that keep
// something about their files import it. Start reading at [Watcher].
package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// pollEvery is the shortest pause between two looks at a folder about which the
	// system tells nothing. A look that takes long is made less often, so that it costs
	// a fiftieth of the time.
	pollEvery = 2 * time.Second
	// checkEvery is how often the whole folder is looked at although the system tells
	// of changes: memory-mapped writes, for one, are not told.
	checkEvery = 10 * time.Minute
	// Changes that follow one another in less than settleTime are waited for as one,
	// for settleLimit at most.
	settleTime  = 10 * time.Millisecond
	settleLimit = 100 * time.Millisecond
	// maxNames is how many names are kept until they are taken. Looking at everything
	// is cheaper than at more.
	maxNames = 4096
)

// errLost ends the events of a folder: some were not told, or the folder is gone.
var errLost = errors.New("events were lost")

// Options say what to watch.
type Options struct {
	// Folder is an absolute path. It may be missing, and may come back.
	Folder string
	// Skip reports whether nothing in a folder matters, given its name below Folder, with
	// slashes. Nil skips none. Symbolic links are never followed.
	Skip func(folder string) bool
	Now  func() time.Time
}

// A Change is what has changed.
type Change struct {
	// All: anything may have changed, and Names is empty.
	All bool
	// Names are files below the folder, with slashes, sorted. All that was known of a
	// name, and of what was below it, is to be forgotten before it and the names that
	// follow are looked at: a file or folder may have gone, and another one come. A folder
	// that has come is named with all files and folders below it.
	Names []string
}

// A Watcher watches a folder, from the first Take or Wait on. Its methods are safe
// for concurrent use.
type Watcher struct {
	o     Options
	open  func(Options, *nameSet) (events, error)
	wake  chan struct{} // has room for one
	loops sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	events  events // nil: the system tells nothing now
	limit   error
	names   nameSet
	opened  time.Time // when open was called last
	checked time.Time // when Take last returned All
	waited  time.Time // when Wait last returned
}

// events are the changes that the system tells of. drain and its callers hold the
// Watcher's lock.
type events interface {
	wait() error // until there are events, or it is closed
	drain(into *nameSet) error
	partial() bool // there are changes that the system does not tell of
	close() error
}

// New prepares to watch a folder. It does not touch it.
func New(o Options) *Watcher { return &Watcher{o: o, open: openEvents, wake: make(chan struct{}, 1)} }

// Close ends the watching. What is taken afterwards is All.
func (w *Watcher) Close() error {
	w.mu.Lock()
	w.closed = true
	err := w.closeEvents()
	w.mu.Unlock()
	w.loops.Wait()
	return err
}

// Limit says why the system does not tell what changes in the folder, so that it is
// looked at from time to time; nil: it tells.
func (w *Watcher) Limit() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.limit
}

// Take returns what has changed since the last Take, with everything that any program
// had done before the call. The first one returns All, and every one between whose
// predecessor and itself changes may have been missed.
func (w *Watcher) Take() Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	w.drain()
	if w.events == nil && !w.closed && (w.limit == nil || now.Sub(w.opened) >= checkEvery) {
		w.opened = now
		w.start()
	}
	c := w.names.take()
	if w.events == nil || w.events.partial() || w.due(now) <= 0 {
		c = Change{All: true}
	}
	if c.All {
		w.checked = now
	}
	return c
}

// due is how long no Take has to return All; a clock that was set back makes it 0.
func (w *Watcher) due(now time.Time) time.Duration {
	passed := now.Sub(w.checked)
	if w.checked.IsZero() || passed < 0 {
		return 0
	}
	return checkEvery - passed
}

// start watches the folder, so that what is changed from now on is told.
func (w *Watcher) start() {
	w.names = nameSet{all: true}
	opened, err := w.open(w.o, &w.names)
	if w.limit = limitError(err); err != nil {
		return
	}
	w.events = opened
	w.loops.Go(func() { w.follow(opened) })
}

// follow takes events from the system as they come, so that its queue does not fill.
func (w *Watcher) follow(e events) {
	for e.wait() == nil {
		w.mu.Lock()
		if w.events != e {
			w.mu.Unlock()
			return
		}
		w.drain()
		changed := w.names.all || len(w.names.names) > 0
		w.mu.Unlock()
		if changed {
			select {
			case w.wake <- struct{}{}:
			default: // it has not been taken
			}
		}
	}
}

func (w *Watcher) drain() {
	if w.events == nil {
		return
	}
	if err := w.events.drain(&w.names); err != nil {
		w.limit = limitError(err)
		w.names = nameSet{all: true}
		_ = w.closeEvents() // what it would have told is All
	}
}

func (w *Watcher) closeEvents() error {
	if w.events == nil {
		return nil
	}
	e := w.events
	w.events = nil
	return e.close()
}

// Wait returns when there may be something to Take, at most some milliseconds after
// it happened, and after many changes at once when they are over. Its error is that
// of ctx. It is called again after the Take.
func (w *Watcher) Wait(ctx context.Context) error {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waited = w.o.Now()
	}()
	timer := time.NewTimer(w.pause())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	case <-w.wake:
	}
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	for {
		timer.Reset(settleTime)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-limit.C:
			return nil
		case <-w.wake:
		}
	}
}

// pause is how long to wait for a change before looking anyway.
func (w *Watcher) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	switch {
	case w.checked.IsZero():
		return 0
	case w.events == nil || w.events.partial():
		return min(max(pollEvery, 50*now.Sub(w.waited)), checkEvery)
	}
	return w.due(now)
}

// A nameSet collects names until they are taken.
type nameSet struct {
	all   bool
	names map[string]struct{}
}

func (s *nameSet) add(name string) {
	if s.all {
		return
	}
	if s.names == nil {
		s.names = map[string]struct{}{}
	}
	if s.names[name] = struct{}{}; len(s.names) > maxNames {
		*s = nameSet{all: true}
	}
}

func (s *nameSet) take() Change {
	c := Change{All: s.all}
	c.Names = slices.Sorted(maps.Keys(s.names))
	*s = nameSet{}
	return c
}
