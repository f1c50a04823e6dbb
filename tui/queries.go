package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// What a panel without a History, an Operator, a Browser or tokens answers.
var (
	errNoHistory  = errors.New("this panel cannot read what agents did")
	errNoOperator = errors.New("this panel cannot run tools or checks")
	errNoBrowser  = errors.New("this panel cannot browse sources")
	errNoTokens   = errors.New("this panel has no access to tokens")
)

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

// query asks what the pane of a tab wants to know. When ctx ends before, there
// is no message.
func (fx effects) query(ctx context.Context, tab int, q pane.Query) tea.Cmd {
	return func() tea.Msg {
		var msg tea.Msg
		switch q := q.(type) {
		case pane.ChecksQuery:
			start := func() (<-chan status.Check, error) { return fx.cfg.Operator.Check(fx.ctx, q.Prefix) }
			msg = firstResult(fx.ctx, tab, q, reasonIf(fx.cfg.Operator == nil, errNoOperator), start, func(r *pane.Result, c status.Check) { r.Check = c })
		case pane.PagesQuery:
			start := func() (<-chan status.PageList, error) { return fx.cfg.Browser.Pages(ctx, q.Source) }
			msg = firstResult(ctx, tab, q, reasonIf(fx.cfg.Browser == nil, errNoBrowser), start, func(r *pane.Result, l status.PageList) { r.Pages = l })
		default:
			msg = resultMsg{tab: tab, result: fx.result(ctx, q)}
		}
		if ctx.Err() != nil && fx.ctx.Err() == nil {
			return nil
		}
		return msg
	}
}

func reasonIf(missing bool, err error) error {
	if missing {
		return err
	}
	return nil
}

// firstResult starts a stream, unless err says why there is none, and waits for
// its first Result.
func firstResult[T any](ctx context.Context, tab int, q pane.Query, err error, start func() (<-chan T, error), put func(*pane.Result, T)) tea.Msg {
	var ch <-chan T
	if err == nil {
		ch, err = start()
	}
	if err != nil {
		return resultMsg{tab: tab, result: pane.Result{Query: q, Err: err}}
	}
	return nextResult(ctx, tab, q, ch, put)()
}

// nextResult waits for what comes next from ch; put makes it part of the
// Result.
func nextResult[T any](ctx context.Context, tab int, q pane.Query, ch <-chan T, put func(*pane.Result, T)) tea.Cmd {
	return func() tea.Msg {
		r := pane.Result{Query: q}
		var v T
		if v, r.More = <-ch; ctx.Err() != nil {
			return nil
		}
		put(&r, v)
		return resultMsg{tab, r, nextResult(ctx, tab, q, ch, put)}
	}
}

func (fx effects) result(ctx context.Context, q pane.Query) pane.Result {
	r := pane.Result{Query: q}
	switch q := q.(type) {
	case pane.PlanQuery:
		r.Plan, r.Err = fx.cfg.Client.Preview(fx.ctx, status.Action{Verb: status.Allow, Target: q.Approval, Answer: &status.Answer{Scope: status.Once}})
	case pane.ChangesQuery:
		r.Changes, r.Err = fx.changes(status.Filter{Before: q.Before})
	case pane.DiffQuery:
		r.Changes, r.Err = fx.changes(status.Filter{IDs: []string{q.Change}})
	case pane.ToolsQuery:
		if r.Err = errNoOperator; fx.cfg.Operator != nil {
			r.Tools, r.Err = fx.cfg.Operator.Tools(fx.ctx, q.Source, q.Client)
		}
	case pane.PageQuery:
		r.Page, r.Rows, r.Err = fx.page(ctx, q)
	case pane.SearchQuery:
		if r.Err = errNoBrowser; fx.cfg.Browser != nil {
			r.Search, r.Err = fx.cfg.Browser.Search(ctx, q.Source, q.Text)
		}
	case pane.SettingsQuery:
		if r.Err = errNoOperator; fx.cfg.Operator != nil {
			r.Settings, r.Err = fx.cfg.Operator.Settings(fx.ctx)
		}
	}
	return r
}

func (fx effects) changes(p status.Filter) (status.Changes, error) {
	if fx.cfg.History == nil {
		return status.Changes{}, errNoHistory
	}
	return fx.cfg.History.Changes(fx.ctx, p)
}

// page reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) page(ctx context.Context, w pane.PageQuery) (status.PageText, []prose.Row, error) {
	if fx.cfg.Browser == nil {
		return status.PageText{}, nil, errNoBrowser
	}
	p, err := fx.cfg.Browser.Page(ctx, w.Source, w.Page)
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
			Text: fmt.Sprintf("The page goes on: it has %d KB, and the first %d KB are shown.", p.Size>>10, have>>10), Kind: prose.Strong,
		}})
	}
	return p, rows, err
}
