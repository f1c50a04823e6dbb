package hub

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// minSnapshotInterval bounds how often the snapshot is updated: calls are counted at
// once and shown a little later.
const minSnapshotInterval = 200 * time.Millisecond

// busySnapshotInterval is how often it is updated while calls are under way, so that who looks
// sees how long by now.
const busySnapshotInterval = time.Second

// SnapshotStore is the part of supervisor.SnapshotStore that the hub writes to.
type SnapshotStore interface {
	Update(change func(*status.Snapshot))
	RaiseProblem(p status.Problem)
	ClearProblem(code, component string)
}

// A snapshotUpdater keeps the hub's part of the Snapshot up to date.
type snapshotUpdater struct {
	store SnapshotStore
	now   func() time.Time
	dirty chan struct{}
}

func newSnapshotUpdater(store SnapshotStore, now func() time.Time) *snapshotUpdater {
	if store == nil {
		store = noStore{}
	}
	return &snapshotUpdater{store: store, now: now, dirty: make(chan struct{}, 1)}
}

// noStore is for a hub that is not watched.
type noStore struct{}

func (noStore) Update(func(*status.Snapshot)) {}
func (noStore) RaiseProblem(status.Problem)   {}
func (noStore) ClearProblem(string, string)   {}

// requestUpdate asks for an update soon. It never blocks.
func (w *snapshotUpdater) requestUpdate() {
	select {
	case w.dirty <- struct{}{}:
	default:
	}
}

func (w *snapshotUpdater) raiseProblem(p status.Problem) {
	p.Since = w.now()
	w.store.RaiseProblem(p)
}

func (w *snapshotUpdater) clearProblem(code, component string) { w.store.ClearProblem(code, component) }

// run updates after touches, while calls are under way, and once more at the end.
func (w *snapshotUpdater) run(ctx context.Context, fill func(*status.Snapshot), underWay func() bool) {
	clock := time.NewTimer(busySnapshotInterval)
	defer clock.Stop()
	for {
		clock.Stop()
		if underWay() {
			clock.Reset(busySnapshotInterval)
		}
		select {
		case <-w.dirty:
			w.store.Update(fill)
		case <-clock.C:
			w.store.Update(fill)
		case <-ctx.Done():
			w.store.Update(fill)
			return
		}
		rest := time.NewTimer(minSnapshotInterval)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		rest.Stop()
	}
}

// UpdateSnapshot updates at once, for a reader that has just come.
func (h *Hub) UpdateSnapshot() { h.snapshot.store.Update(h.fillSnapshot) }

// fillSnapshot sets the hub's part of s.
func (h *Hub) fillSnapshot(s *status.Snapshot) {
	recordConnectedAgents(h)
	s.Hub.Calls, s.Hub.Failures, s.Hub.Skill = h.calls.count.Load(), h.calls.failures.Load(), h.skill
	sources, sessions := h.sources.sourcesInScope(""), h.sessions.list()
	s.Sources = make([]status.Source, 0, len(sources))
	for _, src := range sources {
		shown := src.status()
		shown.Ask = effectNames(h.policy.Load().AskedEffects(shown.Name))
		shown.Grants = src.clientGrants(h.policy.Load())
		s.Sources = append(s.Sources, shown)
	}
	s.Sessions = make([]status.Session, 0, len(sessions))
	for _, session := range sessions {
		shown := session.Status()
		shown.Grants = h.sources.describeGrants(policy.Client{Name: shown.Client, Proven: shown.Proven}, shown.Scope)
		s.Sessions = append(s.Sessions, shown)
	}
	s.Running = h.calls.Running()
	s.Peers = listPeers(h.bridge, h.kinds)
	s.Approvals, s.Outcomes = h.approvals.Pending(), h.approvals.Outcomes() // in this order: none is missing in both
	s.Permits = h.approvals.DescribePermits()
	h.limiter.addPausesToSnapshot(s)
	slices.SortFunc(s.Sessions, func(a, b status.Session) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
}

// clientGrants are what the clients may do that grants name, if they prove their names.
func (s *source) clientGrants(p *policy.Policy) []status.Grant {
	var all []status.Grant
	for _, name := range p.NamedClients(s.conf.Name) {
		client := policy.Client{Name: name, Proven: true}
		has := s.accessOf(p, client)
		g := status.Grant{
			Client: name, Source: s.conf.Name, Effects: effectNames(has.effects), Ask: effectNames(p.ClientAskedEffects(client, s.conf.Name)),
		}
		if has.role != s.defaultRole() {
			g.Role = has.role
		}
		all = append(all, g)
	}
	return all
}

func (s *source) status() status.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := status.Source{
		Component: status.Component{Name: s.conf.Name, State: s.state, Since: s.since},
		Kind:      s.conf.Kind, Location: s.conf.Location, ReadOnly: s.conf.ReadOnly, Sample: s.conf.Sample,
		Effects: effectNames(s.effects), Role: s.defaultRole(), Calls: s.calls.Load(), Writes: s.writes.Load(),
	}
	if s.failure != nil {
		out.Note = s.failure.Message
	}
	if s.open != nil {
		s.open.report.fillStatus(&out)
	}
	if s.kind != nil {
		if peer := s.kind.Peer(); peer != nil {
			out.Application = s.kind.Manifest().Title
			name, _ := peer.Name(s.conf.Options) // an error keeps the source from opening
			out.Location = cmp.Or(out.Location, name, "what "+out.Application+" has open")
			if out.State == status.Ready && !s.hub.isPeerConnected(s.conf.Kind, name) {
				out.State, out.Note = status.Waiting, "waiting for "+out.Application
			}
		}
		out.Commands = formatCommandLines(s.kind.Manifest(), s.conf.Name)
		for _, t := range s.kind.Manifest().Tools {
			if s.grantsEffect(t.Effect) && s.listsTool(t, access{}) {
				out.Tools++
			}
		}
	}
	return out
}

func effectNames(effects []tools.Effect) []string {
	names := make([]string, len(effects))
	for i, e := range effects {
		names[i] = string(e)
	}
	return names
}
