package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// A callStream is what is read as it grows, from the number that was read last.
type callStream struct {
	open bool
	last uint64
}

// nextQuery finds out what the pane in sight would like to know, unless that is
// being found out.
func (m Model) nextQuery() (Model, tea.Cmd) {
	l, ok := m.tabs[m.current].pane.(pane.Querier)
	if !ok || !m.hasSnapshot || m.fx.ctx.Err() != nil {
		return m, nil
	}
	w := l.NextQuery()
	if now := m.tabs[m.current].pending; w == now || w == nil && !pane.Cancelable(now) {
		return m, nil
	}
	m = m.setPending(m.current, w)
	if w == nil {
		return m, nil
	}
	ctx := m.fx.ctx
	if pane.Cancelable(w) {
		ctx, m.tabs[m.current].stop = context.WithCancel(ctx)
	}
	return m, m.fx.query(ctx, m.current, w)
}

// setPending notes what is being found out for the i-th tab; nil: nothing any more.
func (m Model) setPending(i int, w pane.Query) Model {
	m.tabs = slices.Clone(m.tabs)
	if stop := m.tabs[i].stop; stop != nil {
		stop()
	}
	m.tabs[i].pending, m.tabs[i].stop = w, nil
	return m
}

func (m Model) takeResult(msg resultMsg) (Model, tea.Cmd) {
	if m.tabs[msg.tab].pending == msg.result.Query && !msg.result.More {
		m = m.setPending(msg.tab, nil)
	}
	if l, ok := m.tabs[msg.tab].pane.(pane.Querier); ok {
		m = m.setPane(msg.tab, l.TakeResult(msg.result))
	}
	if msg.tab != m.current {
		m = m.blur(msg.tab) // it was turned away from while that was found out
	}
	if msg.result.More {
		return m, msg.next
	}
	return m, nil
}

// openCalls follows what agents do if nobody does.
func (m Model) openCalls() (Model, tea.Cmd) {
	if m.calls.open || m.cfg.History == nil {
		return m, nil
	}
	m.calls.open = true
	return m, m.fx.calls(m.calls.last)
}

func (m Model) observeCalls(msg callsMsg) Model {
	m.calls.last = msg.calls[len(msg.calls)-1].Seq
	for i, t := range m.tabs {
		if w, ok := t.pane.(pane.CallObserver); ok {
			m = m.setPane(i, w.ObserveCalls(msg.calls))
		}
	}
	return m
}

// announceApprovals says what has begun to wait for a person, and what became of what
// did. While that person looks at what waits, keys count for nothing for a
// moment: they were meant for what was there before.
func (m Model) announceApprovals(now status.Snapshot) Model {
	id := func(a status.Approval) string { return a.ID }
	before := idsOf(m.snap.Approvals, id)
	if slices.Equal(before, idsOf(now.Approvals, id)) {
		return m
	}
	m.ignoreAnswersUntil = m.cfg.Now().Add(keyGrace)
	if text := m.endedApprovals(now); text != "" && (!m.notice.sticky || m.notice.approval != "") {
		m.notice = infoNotice(text)
	}
	m = m.closeStaleConfirm(now.Approvals)
	for _, a := range difference(now.Approvals, m.snap.Approvals, sameApproval) {
		if !m.notice.sticky && m.tabs[m.current].name != pane.ChangesTab {
			m.notice = notice{text: a.Client + " wants " + a.Tool + " in " + a.Source + ": ! to look", kind: noticeBusy, approval: a.ID}
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

// approvalsJustChanged reports whether what waits for a person has changed under the eyes
// of one who does not type.
func (m Model) approvalsJustChanged() bool {
	if m.over != nil || m.tabs[m.current].name != pane.ChangesTab || !m.cfg.Now().Before(m.ignoreAnswersUntil) {
		return false
	}
	p, ok := m.tabs[m.current].pane.(pane.TextEditor)
	return !ok || !p.Typing()
}
