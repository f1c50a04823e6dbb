package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/logview"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// effects makes every command of the panel: what takes time or can fail.
type effects struct {
	cfg    Config
	ctx    context.Context // ends when the panel does
	cancel context.CancelFunc
}

func newEffects(c Config) effects {
	ctx, cancel := context.WithCancel(context.Background())
	return effects{cfg: c, ctx: ctx, cancel: cancel}
}

var errHubClosed = errors.New("the hub closed the connection")

// watchStatus begins to watch and brings the first snapshot.
func (fx effects) watchStatus() tea.Cmd {
	return func() tea.Msg {
		ch, err := fx.cfg.Client.Watch(fx.ctx)
		if err != nil {
			return disconnectedMsg{err}
		}
		return fx.awaitSnapshot(ch)()
	}
}

// awaitSnapshot waits for the following snapshot.
func (fx effects) awaitSnapshot(ch <-chan status.Snapshot) tea.Cmd {
	return func() tea.Msg {
		s, ok := <-ch
		if !ok {
			return disconnectedMsg{errHubClosed}
		}
		return snapshotMsg{s, ch}
	}
}

// retryWatchLater watches again after a while that grows with the attempts, up to
// five seconds.
func (fx effects) retryWatchLater(attempt int) tea.Cmd {
	wait := min(5*time.Second, 250*time.Millisecond<<min(attempt, 10))
	return tea.Tick(wait, func(time.Time) tea.Msg { return retryWatchMsg{} })
}

// followLogs follows the log after the line with number after. All levels: the pane
// filters, so that changing the level needs no second request.
func (fx effects) followLogs(after uint64) tea.Cmd {
	return openStream(fx, status.LogsQuery, status.LogFilter{After: after, Last: logview.MaxLogLines, Level: status.Debug, Follow: true})
}

// followCalls follows what agents do after the call with number after.
func (fx effects) followCalls(after uint64) tea.Cmd {
	return openStream(fx, status.CallsQuery, status.CallFilter{After: after, Follow: true, Events: true})
}

func openStream[In, Out any](fx effects, q status.Stream[In, Out], in In) tea.Cmd {
	return func() tea.Msg {
		ch, err := status.Open(fx.ctx, fx.cfg.Client, q, in)
		if err != nil {
			return streamEndedMsg[Out]{}
		}
		return firstBatch(ch)()
	}
}

// The pace at which a stream arrives on the screen: what comes after a pause is there at once,
// with what comes together with it, and what follows within a batch's time is there together, so
// that a flood is five messages a second and no more. What was there before the panel is read first.
const (
	batchWindow   = 200 * time.Millisecond
	openingWindow = 50 * time.Millisecond
	suddenWindow  = 5 * time.Millisecond
	maxBatchItems = 4096
)

// firstBatch waits for something to come from ch and collects what comes soon after.
func firstBatch[T any](ch <-chan T) tea.Cmd { return nextBatch(ch, 0, openingWindow) }

// batchAfter collects what comes from ch in the time after another batch; if that is nothing it
// waits for something.
func batchAfter[T any](ch <-chan T) tea.Cmd { return nextBatch(ch, batchWindow, suddenWindow) }

func nextBatch[T any](ch <-chan T, pause, together time.Duration) tea.Cmd {
	return func() tea.Msg {
		batch := collectBatch(ch, nil, pause)
		if len(batch) == 0 {
			first, ok := <-ch
			if !ok {
				return streamEndedMsg[T]{}
			}
			batch = collectBatch(ch, []T{first}, together)
		}
		return streamBatchMsg[T]{batch, ch}
	}
}

// collectBatch adds to batch what comes from ch within a time, until that is much.
func collectBatch[T any](ch <-chan T, batch []T, within time.Duration) []T {
	end := time.NewTimer(within)
	defer end.Stop()
	for len(batch) < maxBatchItems {
		select {
		case v, ok := <-ch:
			if !ok {
				return batch // the next read finds that out, too
			}
			batch = append(batch, v)
		case <-end.C:
			return batch
		}
	}
	return batch
}

func (fx effects) retryStreamsLater() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return retryStreamsMsg{} })
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
		case pane.SearchAllQuery:
			if q.Typing && !sleepContext(ctx, typingPause) {
				break
			}
			put := func(r *pane.Result, found pane.SourceSearchResult) { r.Found = found }
			msg = nextResult(ctx, tab, q, fx.searchSources(ctx, q), nil, put)()
		default:
			msg = resultMsg{tab: tab, result: fx.answerQuery(ctx, q)}
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
		if put(&r, v); !r.More {
			return resultMsg{tab: tab, result: r}
		}
		return resultMsg{tab, r, nextResult(ctx, tab, q, ch, nil, put)}
	}
}

func (fx effects) answerQuery(ctx context.Context, q pane.Query) pane.Result {
	r, client := pane.Result{Query: q}, fx.cfg.Client
	switch q := q.(type) {
	case pane.ApprovalQuery:
		r.Approval, r.Err = fx.loadApproval(ctx, q)
	case pane.EditPlanQuery:
		r.Plan, r.Err = client.Preview(ctx, status.Action{Verb: status.Allow, Target: q.Approval, Answer: &status.Answer{Edit: q.Edit}})
	case pane.ChangesQuery:
		r.Changes, r.Err = status.Ask(ctx, client, status.ChangesQuery, status.Filter{Before: q.Before})
	case pane.RecordedCallsQuery:
		r.Calls, r.Err = status.Ask(ctx, client, status.RecordedCallsQuery,
			status.RecordedCallFilter{CallSearch: q.Search, Before: q.Before, Limit: 200, Events: true})
	case pane.OlderLinesQuery:
		r.OlderLines, r.Err = status.Ask(ctx, client, status.LogPageQuery, status.LogPageFilter{Before: q.Before, Until: q.Until, Limit: 2000})
	case pane.AgentsQuery:
		r.Agents, r.Err = status.Ask(ctx, client, status.AgentsQuery, struct{}{})
	case pane.DiffQuery:
		r.Changes, r.Err = status.Ask(ctx, client, status.ChangesQuery, status.Filter{IDs: []string{q.Change}})
	case pane.ToolsQuery:
		r.Tools, r.Err = status.Ask(ctx, client, status.ToolsQuery, status.ToolFilter{Source: q.Source, Client: q.Client})
	case pane.PagesQuery:
		r.Pages, r.Err = status.Ask(ctx, client, status.PagesQuery, status.PageFilter{Source: q.Source, After: q.After, Match: q.Match})
	case pane.PageQuery:
		r.Page, r.Rows, r.Err = fx.loadPage(ctx, q)
	case pane.PageLinksQuery:
		r.Links, r.Err = status.Ask(ctx, client, status.PageLinksQuery, status.PageRef{Source: q.Source, Name: q.Page})
	case pane.SearchQuery:
		if q.Typing && !sleepContext(ctx, typingPause) {
			return r
		}
		r.Search, r.Err = status.Ask(ctx, client, status.SearchQuery, status.SearchText{Source: q.Source, Text: q.Text})
	case pane.DayChangesQuery:
		r.Changes, r.Err = loadDayChanges(ctx, client, q)
	case pane.SettingsQuery:
		r.Settings, r.Err = status.Ask(ctx, client, status.SettingsQuery, struct{}{})
	case pane.SourceKindsQuery:
		r.Kinds, r.Err = status.Ask(ctx, client, status.SourceKindsQuery, struct{}{})
	case pane.CompletePathQuery:
		r.Paths, r.Err = status.Ask(ctx, client, status.CompletePathQuery, status.PathPrefix{Path: q.Path, Files: q.Files})
	}
	return r
}

// typingPause is how long no key comes before what is typed by then is searched for:
// each search is a call, in the record as any other.
const typingPause = 250 * time.Millisecond

// sleepContext waits; false: ctx ended before.
func sleepContext(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// editPage asks for the file of a page and then opens it in an editor.
func (fx effects) editPage(tab int, want pane.EditPage) tea.Cmd {
	return func() tea.Msg {
		file, err := status.Ask(fx.ctx, fx.cfg.Client, status.PageFileQuery, status.PageRef{Source: want.Source, Name: want.Page})
		if err != nil {
			return noticeMsg{errorNotice("edit "+want.Page, err)}
		}
		return pageFileMsg{tab: tab, page: pane.PageEditResultID(want), file: file.Path}
	}
}

// openPageFile gives the terminal to the editor until it ends.
func openPageFile(m Model, msg pageFileMsg) (Model, tea.Cmd) {
	if m.cfg.EditFile == nil || m.spoken {
		m.notice = infoNotice("Open it in your editor: " + msg.file)
		return m, nil
	}
	return m, m.cfg.EditFile(msg.file, func(err error) tea.Msg {
		msg.ended, msg.err = true, err
		return msg
	})
}

// reloadEditedPage reads the page again.
func reloadEditedPage(m Model, msg pageFileMsg) Model {
	if msg.err != nil {
		m.notice = errorNotice("edit "+msg.page.Page, msg.err)
	} else {
		m.notice = infoNotice("Back from " + msg.file + ". This was your own edit: no agent made it, and it is not among the changes.")
	}
	m.tabs = m.tabs.takeResult(msg.tab, pane.Result{Query: msg.page})
	return m
}

// loadPage reads a page and lays it out. That takes a long one a while, and so is
// done here.
func (fx effects) loadPage(ctx context.Context, w pane.PageQuery) (status.PageText, []prose.Row, error) {
	p, err := status.Ask(ctx, fx.cfg.Client, status.PageQuery, status.PageRef{Source: w.Source, Name: w.Page})
	if err != nil {
		return status.PageText{}, nil, err
	}
	lay := prose.TextRows
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

// previewActions makes one Plan of those of all actions.
func (fx effects) previewActions(want pane.ConfirmActions) tea.Cmd {
	return func() tea.Msg {
		msg := planMsg{want: want, plan: status.Plan{Title: want.Title}}
		for _, a := range want.Actions {
			p, err := fx.cfg.Client.Preview(fx.ctx, a)
			if err != nil {
				msg.failed, msg.err = a, err
				return msg
			}
			if len(want.Actions) == 1 {
				msg.plan = p
				continue
			}
			msg.plan.Steps = append(msg.plan.Steps, p.Steps...)
			for _, risk := range p.Risks { // one that is that of another step too is said once
				if !slices.Contains(msg.plan.Risks, risk) {
					msg.plan.Risks = append(msg.plan.Risks, risk)
				}
			}
		}
		return msg
	}
}

// doActions does the actions in their order, up to the first that fails.
func (fx effects) doActions(want pane.DoActions) tea.Cmd {
	return func() tea.Msg {
		for i, a := range want.Actions {
			if err := fx.cfg.Client.Do(fx.ctx, a); err != nil {
				return actionsDoneMsg{want, i, err}
			}
		}
		return actionsDoneMsg{want, len(want.Actions), nil}
	}
}

// runAndReport does something outside the panel and says how it went.
func (fx effects) runAndReport(what string, do func() (string, error)) tea.Cmd {
	return func() tea.Msg {
		text, err := do()
		if err != nil {
			return noticeMsg{errorNotice(what, err)}
		}
		return noticeMsg{successNotice(text)}
	}
}

// revealToken reads a token for the pane of a tab, and for nothing else.
func (fx effects) revealToken(tab int, want pane.RevealToken) tea.Cmd {
	return func() tea.Msg {
		r := pane.Result{Query: pane.TokenRevealResultID{Of: want.Token}}
		r.Token, r.Err = fx.cfg.Token(want.Token)
		return resultMsg{tab: tab, result: r}
	}
}

func (fx effects) runTool(tab int, want pane.RunTool) tea.Cmd {
	return func() tea.Msg {
		r := pane.Result{Query: pane.ToolRunResultID{Source: want.Source, Tool: want.Tool}}
		r.Answer, r.Err = status.Ask(fx.ctx, fx.cfg.Client, status.RunToolQuery,
			status.ToolCall{Source: want.Source, Tool: want.Tool, Args: want.Args})
		return resultMsg{tab: tab, result: r}
	}
}
