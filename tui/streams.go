package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/logview"
	"github.com/lectern-mcp/lectern/tui/pane"
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

var errEnded = errors.New("the hub closed the connection")

// A callStream is the state of the calls that are read as they come.
type callStream struct {
	open bool
	last uint64 // the number of the last call
}

// watch begins to watch and brings the first snapshot.
func (fx effects) watch() tea.Cmd {
	return func() tea.Msg {
		ch, err := fx.cfg.Client.Watch(fx.ctx)
		if err != nil {
			return disconnectedMsg{err}
		}
		return fx.next(ch)()
	}
}

// next waits for the following snapshot.
func (fx effects) next(ch <-chan status.Snapshot) tea.Cmd {
	return func() tea.Msg {
		s, ok := <-ch
		if !ok {
			return disconnectedMsg{errEnded}
		}
		return snapshotMsg{s, ch}
	}
}

// watchLater watches again after a while that grows with the attempts, up to
// five seconds.
func (fx effects) watchLater(attempt int) tea.Cmd {
	wait := min(5*time.Second, 250*time.Millisecond<<min(attempt, 10))
	return tea.Tick(wait, func(time.Time) tea.Msg { return retryMsg{} })
}

// The pace at which lines arrive on the screen: what comes within a batch's
// time is drawn at once, so a flood costs twenty frames a second and no more.
const (
	batchTime  = 50 * time.Millisecond
	batchLines = 4096
)

// logs begins to read the log after the line with number after. All levels:
// the pane filters, so that changing the level needs no second request.
func (fx effects) logs(after uint64) tea.Cmd {
	return func() tea.Msg {
		q := status.LogFilter{After: after, Last: logview.MaxLogLines, Level: status.Debug, Follow: true}
		ch, err := status.Open(fx.ctx, fx.cfg.Client, status.LogsQuery, q)
		if err != nil {
			return logEndedMsg{}
		}
		return fx.lines(ch)()
	}
}

// lines waits for a line and collects those that come soon after.
func (fx effects) lines(ch <-chan status.Line) tea.Cmd {
	return func() tea.Msg {
		lines := batch(ch)
		if len(lines) == 0 {
			return logEndedMsg{}
		}
		return linesMsg{lines, ch}
	}
}

// batch waits for something to come from ch and collects what comes soon after;
// nothing: ch is closed.
func batch[T any](ch <-chan T) []T {
	first, ok := <-ch
	if !ok {
		return nil
	}
	all := []T{first}
	soon := time.NewTimer(batchTime)
	defer soon.Stop()
	for len(all) < batchLines {
		select {
		case next, ok := <-ch:
			if !ok {
				return all
			}
			all = append(all, next)
		case <-soon.C:
			return all
		}
	}
	return all
}

func (fx effects) logsLater() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return retryLogsMsg{} })
}

// calls begins to read what agents do after the call with number after.
func (fx effects) calls(after uint64) tea.Cmd {
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

// openCalls follows what agents do if no one does.
func (m Model) openCalls() (Model, tea.Cmd) {
	if m.calls.open {
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

// openLogs reads the log if no one does.
func (m Model) openLogs() (Model, tea.Cmd) {
	if m.reading {
		return m, nil
	}
	m.reading = true
	return m, m.fx.logs(m.lastSeq)
}

func (m Model) appendLines(msg linesMsg) Model {
	m.lastSeq = msg.lines[len(msg.lines)-1].Seq
	for i, t := range m.tabs {
		if r, ok := t.pane.(pane.LogObserver); ok {
			m = m.setPane(i, r.AppendLines(msg.lines))
		}
	}
	return m
}
