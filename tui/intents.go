package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// carryOut turns what a pane or an overlay intends into a command.
func (m Model) carryOut(want pane.Intent) (tea.Model, tea.Cmd) {
	switch want := want.(type) {
	case pane.Do:
		m.notice = working(pane.Deed(want.Action, m.snap))
		return m.answers(want.Action), m.fx.do(want.Action)
	case pane.Ask:
		m.notice = working("ask what it takes to " + pane.Deed(want.Action, m.snap))
		return m, m.fx.preview(want.Action)
	case pane.AskAll:
		m.notice = working("ask what it takes to " + want.Title)
		return m, m.fx.previewAll(want)
	case pane.DoAll:
		m.notice = working("set up")
		return m, m.fx.doAll(want)
	case pane.Copy:
		return m, m.fx.copy(want)
	case pane.Save:
		return m, m.fx.save(want)
	case pane.Agree:
		c := newConfirm(m.key, status.Action{}, want.Plan)
		c.yes = want.Then
		m.over, m.deaf = c, m.cfg.Now().Add(grace)
	case pane.Reveal:
		return m, m.fx.reveal(m.current, want)
	case pane.CopyToken:
		return m, m.fx.copyToken(want)
	case pane.Export:
		m.notice = working("export the whole log")
		return m, m.fx.export(want)
	case pane.Try:
		return m, m.fx.try(m.current, want)
	case pane.Push:
		return m.push(want)
	case pane.Say:
		m.notice = said(want.Text)
	case pane.Open:
		return m.open(want), nil
	}
	return m, nil
}

func (m Model) open(to pane.Open) Model {
	for i, t := range m.tabs {
		if t.name != to.Tab {
			continue
		}
		m.current = i
		if s, ok := t.pane.(pane.Seeker); ok && to.Part != "" {
			m = m.set(i, s.Seek(to.Part))
		}
	}
	return m
}

// push turns to the tab and has the key pressed there. What waits for a person
// is not answered unseen: there it only turns.
func (m Model) push(want pane.Push) (tea.Model, tea.Cmd) {
	if want.Tab == pane.ChangesTab && m.tabs[m.current].name != want.Tab {
		return m.open(pane.Open{Tab: want.Tab}), nil
	}
	if want.Tab != "" {
		m = m.open(pane.Open{Tab: want.Tab})
	}
	return m.press(want.Key)
}

func (m Model) tabNames() []string {
	names := make([]string, len(m.tabs))
	for i, t := range m.tabs {
		names[i] = t.name
	}
	return names
}

func (m Model) confirm(msg planMsg) Model {
	if msg.err != nil {
		return m.failed(msg.action, msg.err)
	}
	m.notice = notice{}
	if msg.plan.Title == "" {
		msg.plan.Title = pane.Deed(msg.action, m.snap)
	}
	m.over, m.deaf = newConfirm(m.key, msg.action, msg.plan), m.cfg.Now().Add(grace)
	return m
}

func (m Model) confirmAll(msg plansMsg) Model {
	if msg.err != nil {
		m.notice = failed("ask what it takes to "+pane.Deed(msg.at, m.snap), msg.err)
		return m
	}
	c := newConfirm(m.key, status.Action{}, msg.plan)
	c.yes = pane.DoAll{Actions: msg.actions}
	m.notice = notice{}
	m.over, m.deaf = c, m.cfg.Now().Add(grace)
	return m
}

func (m Model) doneAll(msg allDoneMsg) Model {
	if msg.err != nil {
		m.notice = failed(pane.Deed(msg.at, m.snap), msg.err)
		return m
	}
	m.notice = succeeded(fmt.Sprintf("done: %s. Start a client that was chosen, and watch here.", many(msg.n, "step")))
	return m
}

func (m Model) done(msg doneMsg) Model {
	for i, t := range m.tabs {
		if a, ok := t.pane.(pane.Actor); ok {
			m = m.set(i, a.Done(msg.action, msg.err))
		}
	}
	if msg.err != nil {
		return m.failed(msg.action, msg.err)
	}
	m.stopped = m.stopped || msg.action.Verb == status.StopHub
	m.notice = succeeded("done: " + pane.Deed(msg.action, m.snap))
	return m
}

func (m Model) start() (tea.Model, tea.Cmd) {
	return m.carryOut(pane.Do{Action: status.Action{Verb: status.StartHub}})
}
