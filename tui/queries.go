package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// nextQuery asks what the visible pane would like to know, unless that is
// being asked.
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

// setPending notes what is being asked for the i-th tab; nil: nothing any more.
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
		m = m.blur(msg.tab) // it was turned away from while that was asked
	}
	if msg.result.More {
		return m, msg.next
	}
	return m, nil
}

// query asks what the pane of a tab wants to know. When ctx ends before, there
// is no message.
func (fx effects) query(ctx context.Context, tab int, q pane.Query) tea.Cmd {
	return func() tea.Msg {
		var msg tea.Msg
		switch q := q.(type) {
		case pane.ChecksQuery:
			ch, err := status.Open(fx.ctx, fx.cfg.Client, status.ChecksQuery, q.Prefix)
			msg = nextResult(fx.ctx, tab, q, ch, err, func(r *pane.Result, c status.Check) { r.Check = c })()
		case pane.PagesQuery:
			ch, err := status.Open(ctx, fx.cfg.Client, status.PagesQuery, q.Source)
			msg = nextResult(ctx, tab, q, ch, err, func(r *pane.Result, l status.PageList) { r.Pages = l })()
		default:
			msg = resultMsg{tab: tab, result: fx.result(ctx, q)}
		}
		if ctx.Err() != nil && fx.ctx.Err() == nil {
			return nil
		}
		return msg
	}
}

// nextResult waits for what comes next from ch, unless err says why there is
// none; put makes it part of the Result.
func nextResult[T any](ctx context.Context, tab int, q pane.Query, ch <-chan T, err error, put func(*pane.Result, T)) tea.Cmd {
	return func() tea.Msg {
		r := pane.Result{Query: q, Err: err}
		if err != nil {
			return resultMsg{tab: tab, result: r}
		}
		var v T
		if v, r.More = <-ch; ctx.Err() != nil {
			return nil
		}
		put(&r, v)
		return resultMsg{tab, r, nextResult(ctx, tab, q, ch, nil, put)}
	}
}

func (fx effects) result(ctx context.Context, q pane.Query) pane.Result {
	r, client := pane.Result{Query: q}, fx.cfg.Client
	switch q := q.(type) {
	case pane.PlanQuery:
		r.Plan, r.Err = client.Preview(ctx, status.Action{
			Verb: status.Allow, Target: q.Approval,
			Answer: &status.Answer{Scope: status.Once},
		})
	case pane.ChangesQuery:
		r.Changes, r.Err = status.Ask(ctx, client, status.ChangesQuery, status.Filter{Before: q.Before})
	case pane.DiffQuery:
		r.Changes, r.Err = status.Ask(ctx, client, status.ChangesQuery, status.Filter{IDs: []string{q.Change}})
	case pane.ToolsQuery:
		r.Tools, r.Err = status.Ask(ctx, client, status.ToolsQuery, status.ToolFilter{Source: q.Source, Client: q.Client})
	case pane.PageQuery:
		r.Page, r.Rows, r.Err = fx.page(ctx, q)
	case pane.SearchQuery:
		r.Search, r.Err = status.Ask(ctx, client, status.SearchQuery, status.SearchText{Source: q.Source, Text: q.Text})
	case pane.SettingsQuery:
		r.Settings, r.Err = status.Ask(ctx, client, status.SettingsQuery, struct{}{})
	}
	return r
}

// page reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) page(ctx context.Context, w pane.PageQuery) (status.PageText, []prose.Row, error) {
	p, err := status.Ask(ctx, fx.cfg.Client, status.PageQuery, status.PageRef{Source: w.Source, Name: w.Page})
	if err != nil {
		return status.PageText{}, nil, err
	}
	lay := prose.Lines
	if !w.Raw && p.MIME == "text/markdown" {
		lay = prose.Markdown
	}
	if strings.TrimSpace(p.Text) == "" {
		return p, nil, nil
	}
	rows, err := lay(ctx, p.Text, w.Width)
	if have := int64(len(p.Text)); p.Size > have {
		rows = append(rows, nil, prose.Row{{
			Text: fmt.Sprintf("The page has %d KB; only the first %d KB are shown.", p.Size>>10, have>>10), Kind: prose.Strong,
		}})
	}
	return p, rows, err
}
