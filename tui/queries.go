package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// What a panel without a Ledger, a Desk or a Shelf answers.
var (
	errNoHistory  = errors.New("this panel cannot read what agents did")
	errNoOperator = errors.New("this panel cannot do that by hand")
	errNoBrowser  = errors.New("this panel cannot look into sources")
)

// query finds out what the pane of a tab wants to know. Nothing comes of it when
// ctx ends before.
func (fx effects) query(ctx context.Context, tab int, w pane.Query) tea.Cmd {
	return func() tea.Msg {
		var msg tea.Msg
		switch w := w.(type) {
		case pane.ChecksQuery:
			msg = fx.checks(tab, w)
		case pane.PagesQuery:
			msg = fx.pages(ctx, tab, w)
		default:
			msg = resultMsg{tab: tab, result: fx.result(ctx, w)}
		}
		if ctx.Err() != nil && fx.ctx.Err() == nil {
			return nil
		}
		return msg
	}
}

// checks begins to look at things and brings the first Check.
func (fx effects) checks(tab int, w pane.ChecksQuery) tea.Msg {
	if fx.cfg.Operator == nil {
		return resultMsg{tab: tab, result: pane.Result{Query: w, Err: errNoOperator}}
	}
	ch, err := fx.cfg.Operator.Check(fx.ctx, w.Prefix)
	if err != nil {
		return resultMsg{tab: tab, result: pane.Result{Query: w, Err: err}}
	}
	return nextResult(fx.ctx, tab, w, ch, func(f *pane.Result, c status.Check) { f.Check = c })()
}

// nextResult waits for what comes next from ch; put makes it part of the Fact.
func nextResult[T any](ctx context.Context, tab int, w pane.Query, ch <-chan T, put func(*pane.Result, T)) tea.Cmd {
	return func() tea.Msg {
		f := pane.Result{Query: w}
		var v T
		if v, f.More = <-ch; ctx.Err() != nil {
			return nil
		}
		put(&f, v)
		return resultMsg{tab, f, nextResult(ctx, tab, w, ch, put)}
	}
}

// runTool runs a tool by hand.
func (fx effects) runTool(tab int, t pane.RunTool) tea.Cmd {
	return func() tea.Msg {
		f := pane.Result{Query: pane.ToolRunQuery{Source: t.Source, Tool: t.Tool}, Err: errNoOperator}
		if fx.cfg.Operator != nil {
			f.Answer, f.Err = fx.cfg.Operator.Call(fx.ctx, t.Source, t.Tool, t.Args)
		}
		return resultMsg{tab: tab, result: f}
	}
}

func (fx effects) result(ctx context.Context, w pane.Query) pane.Result {
	f := pane.Result{Query: w}
	switch w := w.(type) {
	case pane.PlanQuery:
		f.Plan, f.Err = fx.cfg.Client.Preview(fx.ctx, status.Action{Verb: status.Allow, Target: w.Approval, Answer: &status.Answer{Scope: status.Once}})
	case pane.ChangesQuery:
		f.Changes, f.Err = fx.changes(status.Filter{Before: w.Before})
	case pane.DiffQuery:
		f.Changes, f.Err = fx.changes(status.Filter{IDs: []string{w.Change}})
	case pane.ToolsQuery:
		if f.Err = errNoOperator; fx.cfg.Operator != nil {
			f.Tools, f.Err = fx.cfg.Operator.Tools(fx.ctx, w.Source, w.Client)
		}
	case pane.PageQuery:
		f.Page, f.Rows, f.Err = fx.page(ctx, w)
	case pane.SearchQuery:
		if f.Err = errNoBrowser; fx.cfg.Browser != nil {
			f.Search, f.Err = fx.cfg.Browser.Search(ctx, w.Source, w.Text)
		}
	case pane.SettingsQuery:
		if f.Err = errNoOperator; fx.cfg.Operator != nil {
			f.Settings, f.Err = fx.cfg.Operator.Settings(fx.ctx)
		}
	}
	return f
}

func (fx effects) changes(p status.Filter) (status.Changes, error) {
	if fx.cfg.History == nil {
		return status.Changes{}, errNoHistory
	}
	return fx.cfg.History.Changes(fx.ctx, p)
}

// calls begins to read what agents do after the call with number after.
func (fx effects) calls(after uint64) tea.Cmd {
	return func() tea.Msg {
		ch, err := fx.cfg.History.Calls(fx.ctx, status.CallQuery{After: after, Follow: true})
		if err != nil {
			return callsEndedMsg{}
		}
		return fx.moreCalls(ch)()
	}
}

// moreCalls waits for a call and collects those that come soon after.
func (fx effects) moreCalls(ch <-chan status.Call) tea.Cmd {
	return func() tea.Msg {
		calls := batch(ch)
		if len(calls) == 0 {
			return callsEndedMsg{}
		}
		return callsMsg{calls, ch}
	}
}

func (fx effects) callsLater() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return retryCallsMsg{} })
}
