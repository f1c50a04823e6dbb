// Package thismachine is what the panel does on this computer, with or without a
// hub: it shows and changes where Lectern is installed, its versions and its
// tokens, keeps the hub running while a panel is open, and saves what a person
// asks for. It draws nothing and opens no source. The commands import it; those
// without a panel use [HubClient] and [NewUpdateConfig].
//
// Start reading at [Machine].
package thismachine

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// Config is what a Machine is made of. All fields are required.
type Config struct {
	*app.App

	Hub status.Client
	// Check runs the doctor's checks whose names begin with prefix.
	Check func(ctx context.Context, prefix string) (<-chan status.Check, error)
	// Updates says where updates come from and what they replace.
	Updates func() (update.Config, error)
	// Warn prints a line after the panel has closed.
	Warn func(text string)
}

// A Machine is the panel's Client: what the hub shows and does, and what concerns
// this computer.
type Machine struct {
	status.Router // its Client is the hub

	conf    Config
	planner install.Planner

	scanning sync.Mutex // one scan at a time, so that the last one counts
	updating sync.Mutex // held during an update

	mu           sync.Mutex
	wake         chan struct{} // closed by the next change
	state        machineSnapshot
	proposals    map[status.Action]*installer.Proposal // previewed and not applied yet
	next         map[string]string                     // what a person should do next, by Installation
	binary       installedBinary                       // at the last scan
	manager      string                                // the package manager that owns the binary, once it was asked
	cancelUpdate context.CancelFunc                    // nil: no update, or one that is past cancelling
}

// machineSnapshot is what a Machine adds to the hub's snapshot.
type machineSnapshot struct {
	installs   []status.Installation
	discovered []status.Discovered
	update     status.Update
	notices    []status.Problem // of a new version
}

// New makes a Machine. Its snapshots are complete after the first scan of Run.
func New(c Config) *Machine {
	m := &Machine{
		conf: c, planner: install.Planner{App: c.App}, wake: make(chan struct{}),
		proposals: map[status.Action]*installer.Proposal{}, next: map[string]string{},
	}
	m.Router = m.newRouter()
	m.binary.stamp = c.Started()
	m.state.update.Steps = []status.Check{}
	return m
}

// scanInterval is how often the machine is scanned when nobody asks.
const scanInterval = 30 * time.Second

// RunScanLoop scans the machine from time to time, until ctx ends; actions scan by
// themselves. A scan reads files and starts no program but the installed
// lectern, when that has changed.
func (m *Machine) RunScanLoop(ctx context.Context) {
	tick := time.NewTicker(scanInterval)
	defer tick.Stop()
	for {
		m.scan(ctx)
		m.checkForUpdate(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (m *Machine) scan(ctx context.Context) {
	m.scanning.Lock()
	defer m.scanning.Unlock()
	installs, discovered := m.installations(), DiscoverSources(m.conf.App)
	versions := m.versions(ctx)
	m.changeLocalState(func(s *machineSnapshot) {
		s.installs, s.discovered = installs, discovered
		versions.Steps, versions.Done, versions.Total, versions.Rate = s.update.Steps, s.update.Done, s.update.Total, s.update.Rate
		s.update = versions
	})
}

// DiscoverSources finds the knowledge bases on this machine that are not sources yet;
// none while the configuration cannot be read.
func DiscoverSources(a *app.App) []status.Discovered {
	conf, err := a.Config()
	if err != nil {
		return []status.Discovered{}
	}
	return discover.Search{Home: a.Home, Env: a.Getenv, Kinds: a.Systems()}.Run(conf.Sources)
}

// changeLocalState edits the local state and wakes the watchers if it differs afterwards.
// edit replaces values and does not change them: snapshots share them.
func (m *Machine) changeLocalState(edit func(*machineSnapshot)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.state
	if edit(&m.state); reflect.DeepEqual(m.state, before) {
		return
	}
	close(m.wake)
	m.wake = make(chan struct{})
}

// currentState is the local state, and a channel that is closed when it changes.
func (m *Machine) currentState() (machineSnapshot, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state, m.wake
}

// addToSnapshot is the hub's snapshot with the local state. The notice of a new version
// comes last, as the least important problem.
func (l machineSnapshot) addToSnapshot(s status.Snapshot) status.Snapshot {
	s.Installations, s.Discovered, s.Update = l.installs, l.discovered, l.update
	if len(l.notices) > 0 {
		s.Problems = append(slices.Clip(s.Problems), l.notices...)
	}
	return s
}

// Watch implements status.Client. The sequence numbers of snapshots grow across
// hubs, as one of ours may come between two of theirs.
func (m *Machine) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	shots, err := m.Router.Watch(ctx)
	if err != nil {
		return nil, err
	}
	out := make(chan status.Snapshot, 1)
	go func() {
		defer close(out)
		var hub status.Snapshot
		var seq uint64
		for received := false; ; {
			local, changed := m.currentState()
			if received {
				next := local.addToSnapshot(hub)
				if next.Seq <= seq {
					next.Seq, next.Time = seq+1, m.conf.Now()
				}
				seq = next.Seq
				status.Offer(out, next)
			}
			select {
			case s, open := <-shots:
				if !open {
					return
				}
				hub, received = s, true
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}
