package tui

import (
	"errors"
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
		if t.Name != to.Pane {
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
	if want.Pane == pane.ChangesPane && m.tabs[m.current].Name != want.Pane {
		return m.openPane(pane.OpenPane{Pane: want.Pane}), nil
	}
	if want.Pane != "" {
		m = m.openPane(pane.OpenPane{Pane: want.Pane})
	}
	return m.handleKey(want.Key)
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

func (fx effects) preview(a status.Action) tea.Cmd {
	return func() tea.Msg {
		p, err := fx.cfg.Client.Preview(fx.ctx, a)
		return planMsg{a, p, err}
	}
}

// previewAll makes one Plan of those of all actions.
func (fx effects) previewAll(want pane.PreviewAll) tea.Cmd {
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
				return actionsDoneMsg{i, a, err}
			}
		}
		return actionsDoneMsg{n: len(want.Actions)}
	}
}

func (fx effects) do(a status.Action) tea.Cmd {
	return func() tea.Msg { return actionDoneMsg{a, fx.cfg.Client.Do(fx.ctx, a)} }
}

func (fx effects) copy(c pane.Copy) tea.Cmd {
	if fx.cfg.Copy == nil {
		return notify(errorNotice("copy "+c.What, errors.New("there is no clipboard here")))
	}
	return func() tea.Msg {
		how, err := fx.cfg.Copy(c.Text)
		if err != nil {
			return noticeMsg{errorNotice("copy "+c.What, err)}
		}
		return noticeMsg{successNotice(c.What + ": " + how)}
	}
}

func (fx effects) save(s pane.Save) tea.Cmd {
	if fx.cfg.Save == nil {
		return notify(errorNotice("save "+s.What, errors.New("there is no place to save to")))
	}
	return func() tea.Msg {
		path, err := fx.cfg.Save(s.Name, s.Text)
		if err != nil {
			return noticeMsg{errorNotice("save "+s.What, err)}
		}
		return noticeMsg{successNotice(fmt.Sprintf("saved %s to %s", s.What, path))}
	}
}

func (fx effects) export(e pane.ExportLog) tea.Cmd {
	if fx.cfg.Export == nil {
		return notify(errorNotice("export the log", errors.New("there is none here")))
	}
	return func() tea.Msg {
		path, lines, err := fx.cfg.Export(fx.ctx, e.Name)
		if err != nil {
			return noticeMsg{errorNotice("export the log", err)}
		}
		return noticeMsg{successNotice(fmt.Sprintf("exported the whole log, %s, to %s", many(lines, "line"), path))}
	}
}

// revealToken reads a token for the pane of a tab, and for nobody else.
func (fx effects) revealToken(tab int, r pane.RevealToken) tea.Cmd {
	return func() tea.Msg {
		f := pane.Result{Query: pane.TokenQuery{Of: r.Token}, Err: errNoTokens}
		if fx.cfg.Token != nil {
			f.Token, f.Err = fx.cfg.Token(r.Token)
		}
		return resultMsg{tab: tab, result: f}
	}
}

func (fx effects) copyToken(c pane.CopyToken) tea.Cmd {
	deed := "copy the token of the " + c.Token
	if fx.cfg.CopyToken == nil {
		return notify(errorNotice(deed, errNoTokens))
	}
	return func() tea.Msg {
		how, err := fx.cfg.CopyToken(c.Token)
		if err != nil {
			return noticeMsg{errorNotice(deed, err)}
		}
		return noticeMsg{successNotice("the token of the " + c.Token + ": " + how)}
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

func notify(n notice) tea.Cmd { return func() tea.Msg { return noticeMsg{n} } }
