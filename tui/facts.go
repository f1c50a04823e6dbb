package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// A stream is what is read as it grows, from the number that was read last.
type stream struct {
	open bool
	last uint64
}

// ask finds out what the pane in sight would like to know, unless that is
// being found out.
func (m Model) ask() (Model, tea.Cmd) {
	l, ok := m.tabs[m.current].pane.(pane.Learner)
	if !ok || !m.seen || m.fx.ctx.Err() != nil {
		return m, nil
	}
	w := l.Wants()
	if now := m.tabs[m.current].asked; w == now || w == nil && !pane.Passing(now) {
		return m, nil
	}
	m = m.asking(m.current, w)
	if w == nil {
		return m, nil
	}
	ctx := m.fx.ctx
	if pane.Passing(w) {
		ctx, m.tabs[m.current].stop = context.WithCancel(ctx)
	}
	return m, m.fx.find(ctx, m.current, w)
}

// asking notes what is being found out for the i-th tab; nil: nothing any more.
func (m Model) asking(i int, w pane.Want) Model {
	m.tabs = slices.Clone(m.tabs)
	if stop := m.tabs[i].stop; stop != nil {
		stop()
	}
	m.tabs[i].asked, m.tabs[i].stop = w, nil
	return m
}

func (m Model) learn(msg factMsg) (Model, tea.Cmd) {
	if m.tabs[msg.tab].asked == msg.fact.Want && !msg.fact.More {
		m = m.asking(msg.tab, nil)
	}
	if l, ok := m.tabs[msg.tab].pane.(pane.Learner); ok {
		m = m.set(msg.tab, l.Learn(msg.fact))
	}
	if msg.tab != m.current {
		m = m.leave(msg.tab) // it was turned away from while that was found out
	}
	if msg.fact.More {
		return m, msg.next
	}
	return m, nil
}

// openCalls follows what agents do if nobody does.
func (m Model) openCalls() (Model, tea.Cmd) {
	if m.calls.open {
		return m, nil
	}
	m.calls.open = true
	return m, m.fx.follow(m.calls.last)
}

func (m Model) see(msg callsMsg) Model {
	m.calls.last = msg.calls[len(msg.calls)-1].Seq
	for i, t := range m.tabs {
		if w, ok := t.pane.(pane.Witness); ok {
			m = m.set(i, w.See(msg.calls))
		}
	}
	return m
}

// announce says what has begun to wait for a person, and what became of what
// did. While that person looks at what waits, keys count for nothing for a
// moment: they were meant for what was there before.
func (m Model) announce(now status.Snapshot) Model {
	id := func(a status.Approval) string { return a.ID }
	before := idsOf(m.snap.Approvals, id)
	if slices.Equal(before, idsOf(now.Approvals, id)) {
		return m
	}
	m.moved = m.cfg.Now().Add(grace)
	if text := m.ended(now); text != "" && (!m.notice.stays || m.notice.about != "") {
		m.notice = said(text)
	}
	m = m.closed(now.Approvals)
	for _, a := range missing(now.Approvals, m.snap.Approvals, sameApproval) {
		if !m.notice.stays && m.tabs[m.current].name != pane.ChangesTab {
			m.notice = notice{text: a.Client + " wants " + a.Tool + " in " + a.Source + ": ! to look", mood: busy, about: a.ID}
		}
	}
	return m
}

func idsOf[T any](all []T, id func(T) string) []string {
	var ids []string
	for _, one := range all {
		ids = append(ids, id(one))
	}
	return ids
}

// startled reports whether what waits for a person has changed under the eyes
// of one who does not type.
func (m Model) startled() bool {
	if m.over != nil || m.tabs[m.current].name != pane.ChangesTab || !m.cfg.Now().Before(m.moved) {
		return false
	}
	p, ok := m.tabs[m.current].pane.(pane.Paster)
	return !ok || !p.Typing()
}
