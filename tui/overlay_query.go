package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
)

// An overlayQuerier is an overlay that shows more than a snapshot, as a
// [pane.Querier] does.
type overlayQuerier interface {
	wantedQuery() pane.Query
	takeResult(r pane.Result) overlay
}

// An overlayPaster is an overlay with a place for text.
type overlayPaster interface {
	paste(text string) overlay
}

// overlayTab stands for the overlay where a query names the tab that asks.
const overlayTab = -1

// overlayQuery is what is being asked for the overlay.
type overlayQuery struct {
	pending pane.Query         // nil: nothing
	stop    context.CancelFunc // cancels it; nil: it cannot be
}

// askOverlayQuery asks what the overlay would like to know, unless that is being
// asked.
func askOverlayQuery(m Model) (Model, tea.Cmd) {
	var q pane.Query
	if over, ok := m.over.(overlayQuerier); ok && m.hasSnapshot {
		q = over.wantedQuery()
	}
	asked := m.asked
	if q == asked.pending || q == nil && !pane.IsQueryCancelable(asked.pending) || m.fx.ctx.Err() != nil {
		return m, nil
	}
	if asked.stop != nil {
		asked.stop()
	}
	m.asked = overlayQuery{pending: q}
	if q == nil {
		return m, nil
	}
	ctx := m.fx.ctx
	if pane.IsQueryCancelable(q) {
		ctx, m.asked.stop = context.WithCancel(ctx)
	}
	return m, m.fx.query(ctx, overlayTab, q)
}

// takeOverlayResult hands the result of a query to the overlay, if it is still there.
func takeOverlayResult(m Model, r pane.Result) Model {
	if m.asked.pending == r.Query {
		if m.asked.stop != nil {
			m.asked.stop()
		}
		m.asked = overlayQuery{}
	}
	if over, ok := m.over.(overlayQuerier); ok {
		m.over = over.takeResult(r)
	}
	return m
}
