package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
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

// watch begins to watch and brings the first snapshot.
func (fx effects) watch() tea.Cmd {
	return func() tea.Msg {
		ch, err := fx.cfg.Client.Watch(fx.ctx)
		if err != nil {
			return lostMsg{err}
		}
		return fx.next(ch)()
	}
}

// next waits for the following snapshot.
func (fx effects) next(ch <-chan status.Snapshot) tea.Cmd {
	return func() tea.Msg {
		s, ok := <-ch
		if !ok {
			return lostMsg{errEnded}
		}
		return changedMsg{s, ch}
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
		q := status.LogFilter{After: after, Last: pane.LogLines, Level: status.Debug, Follow: true}
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

func (fx effects) preview(a status.Action) tea.Cmd {
	return func() tea.Msg {
		p, err := fx.cfg.Client.Preview(fx.ctx, a)
		return planMsg{a, p, err}
	}
}

// previewAll makes one Plan of those of all actions.
func (fx effects) previewAll(want pane.AskAll) tea.Cmd {
	return func() tea.Msg {
		all := plansMsg{actions: want.Actions, plan: status.Plan{Title: want.Title}}
		for _, a := range want.Actions {
			p, err := fx.cfg.Client.Preview(fx.ctx, a)
			if err != nil {
				all.at, all.err = a, err
				return all
			}
			all.plan.Steps = append(all.plan.Steps, p.Steps...)
			all.plan.Risks = append(all.plan.Risks, p.Risks...)
		}
		return all
	}
}

func (fx effects) doAll(want pane.DoAll) tea.Cmd {
	return func() tea.Msg {
		for i, a := range want.Actions {
			if err := fx.cfg.Client.Do(fx.ctx, a); err != nil {
				return allDoneMsg{i, a, err}
			}
		}
		return allDoneMsg{n: len(want.Actions)}
	}
}

func (fx effects) do(a status.Action) tea.Cmd {
	return func() tea.Msg { return doneMsg{a, fx.cfg.Client.Do(fx.ctx, a)} }
}

func (fx effects) copy(c pane.Copy) tea.Cmd {
	if fx.cfg.Copy == nil {
		return tell(failed("copy "+c.What, errors.New("there is no clipboard here")))
	}
	return func() tea.Msg {
		how, err := fx.cfg.Copy(c.Text)
		if err != nil {
			return toldMsg{failed("copy "+c.What, err)}
		}
		return toldMsg{succeeded(c.What + ": " + how)}
	}
}

func (fx effects) save(s pane.Save) tea.Cmd {
	if fx.cfg.Save == nil {
		return tell(failed("save "+s.What, errors.New("there is no place to save to")))
	}
	return func() tea.Msg {
		path, err := fx.cfg.Save(s.Name, s.Text)
		if err != nil {
			return toldMsg{failed("save "+s.What, err)}
		}
		return toldMsg{succeeded(fmt.Sprintf("saved %s to %s", s.What, path))}
	}
}

func (fx effects) export(e pane.Export) tea.Cmd {
	if fx.cfg.Export == nil {
		return tell(failed("export the log", errors.New("there is none here")))
	}
	return func() tea.Msg {
		path, lines, err := fx.cfg.Export(fx.ctx, e.Name)
		if err != nil {
			return toldMsg{failed("export the log", err)}
		}
		return toldMsg{succeeded(fmt.Sprintf("exported the whole log, %s, to %s", many(lines, "line"), path))}
	}
}

func tell(n notice) tea.Cmd { return func() tea.Msg { return toldMsg{n} } }
