package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// find finds out what the pane of a tab wants to know. Nothing comes of it when
// ctx ends before.
func (fx effects) find(ctx context.Context, tab int, w pane.Want) tea.Cmd {
	return func() tea.Msg {
		var msg tea.Msg
		switch w := w.(type) {
		case pane.ChecksOf:
			msg = fx.check(tab, w)
		case pane.PagesOf:
			msg = fx.pages(ctx, tab, w)
		default:
			msg = factMsg{tab: tab, fact: fx.fact(ctx, w)}
		}
		if ctx.Err() != nil && fx.ctx.Err() == nil {
			return nil
		}
		return msg
	}
}

// check begins to look at things and brings the first Check.
func (fx effects) check(tab int, w pane.ChecksOf) tea.Msg {
	ch, err := status.Open(fx.ctx, fx.cfg.Client, status.ChecksQuery, w.Prefix)
	if err != nil {
		return factMsg{tab: tab, fact: pane.Fact{Want: w, Err: err}}
	}
	return nextFact(fx.ctx, tab, w, ch, func(f *pane.Fact, c status.Check) { f.Check = c })()
}

// nextFact waits for what comes next from ch; put makes it part of the Fact.
func nextFact[T any](ctx context.Context, tab int, w pane.Want, ch <-chan T, put func(*pane.Fact, T)) tea.Cmd {
	return func() tea.Msg {
		f := pane.Fact{Want: w}
		var v T
		if v, f.More = <-ch; ctx.Err() != nil {
			return nil
		}
		put(&f, v)
		return factMsg{tab, f, nextFact(ctx, tab, w, ch, put)}
	}
}

// try runs a tool by hand.
func (fx effects) try(tab int, t pane.Try) tea.Cmd {
	return func() tea.Msg {
		f := pane.Fact{Want: pane.Trial{Source: t.Source, Tool: t.Tool}}
		f.Answer, f.Err = status.Ask(fx.ctx, fx.cfg.Client, status.RunToolQuery, status.ToolCall{Source: t.Source, Tool: t.Tool, Args: t.Args})
		return factMsg{tab: tab, fact: f}
	}
}

func (fx effects) fact(ctx context.Context, w pane.Want) pane.Fact {
	f := pane.Fact{Want: w}
	switch w := w.(type) {
	case pane.PlanOf:
		f.Plan, f.Err = fx.cfg.Client.Preview(fx.ctx, status.Action{Verb: status.Allow, Target: w.Approval, Answer: &status.Answer{Scope: status.Once}})
	case pane.ChangesBefore:
		f.Changes, f.Err = status.Ask(ctx, fx.cfg.Client, status.ChangesQuery, status.Filter{Before: w.ID})
	case pane.DiffOf:
		f.Changes, f.Err = status.Ask(ctx, fx.cfg.Client, status.ChangesQuery, status.Filter{IDs: []string{w.Change}})
	case pane.ToolsFor:
		f.Tools, f.Err = status.Ask(ctx, fx.cfg.Client, status.ToolsQuery, status.ToolFilter{Source: w.Source, Client: w.Client})
	case pane.PageIn:
		f.Page, f.Rows, f.Err = fx.page(ctx, w)
	case pane.HitsOf:
		f.Search, f.Err = status.Ask(ctx, fx.cfg.Client, status.SearchQuery, status.SearchText{Source: w.Source, Text: w.Query})
	case pane.SettingsOf:
		f.Settings, f.Err = status.Ask(ctx, fx.cfg.Client, status.SettingsQuery, struct{}{})
	}
	return f
}

// follow begins to read what agents do after the call with number after.
func (fx effects) follow(after uint64) tea.Cmd {
	return func() tea.Msg {
		ch, err := status.Open(fx.ctx, fx.cfg.Client, status.CallsQuery, status.CallFilter{After: after, Follow: true})
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
