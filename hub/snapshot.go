package hub

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

// drawEvery bounds how often the picture is drawn: calls are counted at once,
// shown a little later.
const drawEvery = 200 * time.Millisecond

// A picture draws the hub's part of the status. It tolerates there being none
// to draw on.
type picture struct {
	state Picture
	now   func() time.Time
	dirty chan struct{}
}

func newPicture(state Picture, now func() time.Time) *picture {
	return &picture{state: state, now: now, dirty: make(chan struct{}, 1)}
}

// touch asks for the picture to be drawn again soon. It never blocks.
func (p *picture) touch() {
	select {
	case p.dirty <- struct{}{}:
	default:
	}
}

func (p *picture) raise(problem status.Problem) {
	if p.state != nil {
		p.state.Raise(problem)
	}
}

func (p *picture) clear(code, part string) {
	if p.state != nil {
		p.state.Clear(code, part)
	}
}

// run draws after touches, and once more at the end.
func (p *picture) run(ctx context.Context, draw func(*status.Snapshot)) {
	if p.state == nil {
		return
	}
	for {
		select {
		case <-p.dirty:
			p.state.Update(draw)
		case <-ctx.Done():
			p.state.Update(draw)
			return
		}
		rest := time.NewTimer(drawEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		rest.Stop()
	}
}

// Draw brings the picture up to date at once, for somebody who begins to look:
// what changes with every call is else drawn a little later.
func (h *Hub) Draw() {
	if h.picture.state != nil {
		h.picture.state.Update(h.draw)
	}
}

// draw fills in what the hub knows; the rest of the snapshot is others'.
func (h *Hub) draw(s *status.Snapshot) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	s.Hub.Calls, s.Hub.Failures, s.Hub.Skill = h.calls.Load(), h.failures.Load(), h.skill
	s.Sources = make([]status.Source, 0, len(h.sources))
	for _, src := range h.sources {
		s.Sources = append(s.Sources, src.status())
	}
	s.Sessions = make([]status.Session, 0, len(h.sessions))
	for session := range h.sessions {
		shown := session.status()
		shown.Grants = h.grantsOf(policy.Client{Name: shown.Client, Proven: shown.Proven}, shown.Scope)
		s.Sessions = append(s.Sessions, shown)
	}
	s.Peers = h.peers()
	s.Approvals, s.Outcomes = h.approvals.list(), h.approvals.last() // in this order: none is missing in both
	slices.SortFunc(s.Sessions, func(a, b status.Session) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
}

func (s *source) status() status.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := status.Source{
		Component: status.Component{Name: s.conf.Name, State: s.state, Since: s.since},
		Kind:      s.conf.Kind, Place: s.conf.Place, ReadOnly: s.conf.ReadOnly, Sample: s.conf.Sample,
		Effects: []string{}, Calls: s.calls.Load(), Writes: s.writes.Load(),
	}
	if s.why != nil {
		out.Note = s.why.Message
	}
	for _, e := range s.effects {
		out.Effects = append(out.Effects, string(e))
	}
	if s.kind != nil {
		for _, t := range s.kind.Manifest().Tools {
			if s.grants(t.Effect) {
				out.Tools++
			}
		}
	}
	return out
}
