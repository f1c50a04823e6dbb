package main

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// A local is the panel's Client: what the hub shows and does, and with a hub or
// without what concerns this machine: where Lectern is put into, its versions
// and its tokens.
type local struct {
	status.Router // its Client is the hub
	*world

	// settings says what updates come from and what they replace.
	settings func() (update.Config, error)

	looking sync.Mutex // one look at a time, so that the last one stands
	busy    sync.Mutex // held while an update is under way

	mu       sync.Mutex
	wake     chan struct{} // closed by the next change
	added    addition
	proposed map[status.Action]*installer.Proposal // previewed and not done yet
	next     map[string]string                     // what a person does next, by Install
	seen     onDisk                                // the installed binary, when it was looked at last
	managed  string                                // the package manager that owns it, once that was asked
	giveUp   context.CancelFunc                    // ends an update that has not come to the swap; nil: there is none
}

// An addition is what a local adds to the hub's picture.
type addition struct {
	installs []status.Installation
	found    []status.Discovered
	update   status.Update
	notice   []status.Problem // of a new version
}

// onMachine is the panel's view of the product. Its picture is complete once
// run has looked around.
func (w *world) onMachine(hub status.Client) *local {
	l := &local{
		world: w, wake: make(chan struct{}),
		proposed: map[status.Action]*installer.Proposal{}, next: map[string]string{},
	}
	l.Router = l.router(hub)
	l.settings = func() (update.Config, error) {
		conf, err := w.config()
		return w.updateConfig(conf.Update, slog.New(slog.DiscardHandler)), err
	}
	l.seen.stamp = w.began()
	l.added.update.Steps = []status.Check{}
	return l
}

// lookEvery is how often this machine is looked at without anybody asking.
const lookEvery = 30 * time.Second

// run looks at this machine now and then, until ctx ends; actions look by
// themselves. It reads files and starts no program but the installed lectern, when
// that has changed.
func (l *local) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		l.look(ctx)
		l.notice(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look fills in what this machine tells.
func (l *local) look(ctx context.Context) {
	l.looking.Lock()
	defer l.looking.Unlock()
	installs, found := l.installed(), l.found()
	known := l.versions(ctx)
	l.change(func(a *addition) {
		a.installs, a.found = installs, found
		known.Steps, known.Done, known.Total, known.Rate = a.update.Steps, a.update.Done, a.update.Total, a.update.Rate
		a.update = known
	})
}

// change edits what is added and wakes the watchers, unless it is as it was.
// What is in it is replaced, never changed: snapshots share it.
func (l *local) change(edit func(*addition)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.added
	if edit(&l.added); reflect.DeepEqual(l.added, before) {
		return
	}
	close(l.wake)
	l.wake = make(chan struct{})
}

// present is what is to be added, and what is closed when that has changed.
func (l *local) present() (addition, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.added, l.wake
}

// to is a snapshot of the hub with the addition. The notice comes last: it is
// the least grave of all problems.
func (a addition) to(s status.Snapshot) status.Snapshot {
	s.Installations, s.Discovered, s.Update = a.installs, a.found, a.update
	if len(a.notice) > 0 {
		s.Problems = append(slices.Clip(s.Problems), a.notice...)
	}
	return s
}

// Watch implements status.Client. Numbers of snapshots grow over hubs, as one
// of ours may lie between two of theirs.
func (l *local) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	shots, err := l.Router.Watch(ctx)
	if err != nil {
		return nil, err
	}
	out := make(chan status.Snapshot, 1)
	go func() {
		defer close(out)
		var hub status.Snapshot
		var seq uint64
		for came := false; ; {
			added, changed := l.present()
			if came {
				next := added.to(hub)
				if next.Seq <= seq {
					next.Seq, next.Time = seq+1, l.now()
				}
				seq = next.Seq
				status.Offer(out, next)
			}
			select {
			case s, open := <-shots:
				if !open {
					return
				}
				hub, came = s, true
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}
