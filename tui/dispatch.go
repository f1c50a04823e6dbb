package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// dispatch turns what a pane or an overlay intends into a command.
func (m Model) dispatch(want pane.Intent) (tea.Model, tea.Cmd) {
	switch want := want.(type) {
	case pane.Do:
		m.notice = busyNotice(pane.Describe(want.Action, m.snap))
		return m.recordAnswer(want.Action), m.fx.do(want.Action)
	case pane.Preview:
		m.notice = busyNotice("ask what it takes to " + pane.Describe(want.Action, m.snap))
		return m, m.fx.preview(want.Action)
	case pane.PreviewAll:
		m.notice = busyNotice("ask what it takes to " + want.Title)
		return m, m.fx.previewAll(want)
	case pane.DoAll:
		m.notice = busyNotice("set up")
		return m, m.fx.doAll(want)
	case pane.Copy:
		return m, m.fx.copy(want)
	case pane.Save:
		return m, m.fx.save(want)
	case pane.Confirm:
		c := newConfirm(m.key, status.Action{}, want.Plan)
		c.yes = want.Then
		m.over, m.ignoreKeysUntil = c, m.cfg.Now().Add(keyGrace)
	case pane.RevealToken:
		return m, m.fx.revealToken(m.current, want)
	case pane.CopyToken:
		return m, m.fx.copyToken(want)
	case pane.ExportLog:
		m.notice = busyNotice("export the whole log")
		return m, m.fx.export(want)
	case pane.RunTool:
		return m, m.fx.runTool(m.current, want)
	case pane.SendKey:
		return m.sendKey(want)
	case pane.ShowMessage:
		m.notice = infoNotice(want.Text)
	case pane.OpenPane:
		return m.openPane(want), nil
	}
	return m, nil
}

func (m Model) openPane(to pane.OpenPane) Model {
	for i, t := range m.tabs {
		if t.name != to.Pane {
			continue
		}
		m.current = i
		if s, ok := t.pane.(pane.Focuser); ok && to.Focus != "" {
			m = m.setPane(i, s.Focus(to.Focus))
		}
	}
	return m
}

// sendKey turns to the tab and has the key pressed there. What waits for a person
// is not answered unseen: there it only turns.
func (m Model) sendKey(want pane.SendKey) (tea.Model, tea.Cmd) {
	if want.Pane == pane.ChangesTab && m.tabs[m.current].name != want.Pane {
		return m.openPane(pane.OpenPane{Pane: want.Pane}), nil
	}
	if want.Pane != "" {
		m = m.openPane(pane.OpenPane{Pane: want.Pane})
	}
	return m.handleKey(want.Key)
}

func (m Model) tabNames() []string {
	names := make([]string, len(m.tabs))
	for i, t := range m.tabs {
		names[i] = t.name
	}
	return names
}

func (m Model) showPlan(msg planMsg) Model {
	if msg.err != nil {
		return m.actionFailed(msg.action, msg.err)
	}
	m.notice = notice{}
	if msg.plan.Title == "" {
		msg.plan.Title = pane.Describe(msg.action, m.snap)
	}
	m.over, m.ignoreKeysUntil = newConfirm(m.key, msg.action, msg.plan), m.cfg.Now().Add(keyGrace)
	return m
}

func (m Model) showPlans(msg plansMsg) Model {
	if msg.err != nil {
		m.notice = errorNotice("ask what it takes to "+pane.Describe(msg.at, m.snap), msg.err)
		return m
	}
	c := newConfirm(m.key, status.Action{}, msg.plan)
	c.yes = pane.DoAll{Actions: msg.actions}
	m.notice = notice{}
	m.over, m.ignoreKeysUntil = c, m.cfg.Now().Add(keyGrace)
	return m
}

func (m Model) actionsDone(msg actionsDoneMsg) Model {
	if msg.err != nil {
		m.notice = errorNotice(pane.Describe(msg.at, m.snap), msg.err)
		return m
	}
	m.notice = successNotice(fmt.Sprintf("done: %s. Start a client that was chosen, and watch here.", many(msg.n, "step")))
	return m
}

func (m Model) actionDone(msg actionDoneMsg) Model {
	for i, t := range m.tabs {
		if a, ok := t.pane.(pane.ActionObserver); ok {
			m = m.setPane(i, a.ActionDone(msg.action, msg.err))
		}
	}
	if msg.err != nil {
		return m.actionFailed(msg.action, msg.err)
	}
	m.stopped = m.stopped || msg.action.Verb == status.StopHub
	m.notice = successNotice("done: " + pane.Describe(msg.action, m.snap))
	return m
}

func (m Model) start() (tea.Model, tea.Cmd) {
	return m.dispatch(pane.Do{Action: status.Action{Verb: status.StartHub}})
}
