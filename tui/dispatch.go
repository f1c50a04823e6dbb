package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/widget"
)

var errNoTokens = errors.New("this panel has no access to tokens")

// dispatch does what a pane or an overlay intends: it changes the panel, or
// returns the command that takes time.
func (m Model) dispatch(want pane.Intent) (tea.Model, tea.Cmd) {
	switch want := want.(type) {
	case pane.Do:
		m.notice = busyNotice(m.describe(want.Title, want.Actions))
		return m.recordAnswer(want.Actions[0]), m.fx.do(want)
	case pane.Preview:
		m.notice = busyNotice("preview: " + m.describe(want.Title, want.Actions))
		return m, m.fx.preview(want)
	case pane.Confirm:
		return m.ask(want.Plan, want.Then), nil
	case pane.Copy:
		return m, m.fx.report("copy "+want.What, m.cfg.Copy == nil, "there is no clipboard here", func() (string, error) {
			how, err := m.cfg.Copy(want.Text)
			return want.What + ": " + how, err
		})
	case pane.CopyToken:
		what := "the token of the " + want.Token
		return m, m.fx.report("copy "+what, m.cfg.CopyToken == nil, errNoTokens.Error(), func() (string, error) {
			how, err := m.cfg.CopyToken(want.Token)
			return what + ": " + how, err
		})
	case pane.Save:
		return m, m.fx.report("save "+want.What, m.cfg.Save == nil, "there is no folder to save to", func() (string, error) {
			path, err := m.cfg.Save(want.Name, want.Text)
			return fmt.Sprintf("saved %s to %s", want.What, path), err
		})
	case pane.ExportLog:
		m.notice = busyNotice("export the log")
		return m, m.fx.report("export the log", m.cfg.Export == nil, "this panel has no log", func() (string, error) {
			path, lines, err := m.cfg.Export(m.fx.ctx, want.Name)
			return fmt.Sprintf("exported the whole log (%s) to %s", widget.Plural(lines, "line"), path), err
		})
	case pane.RevealToken:
		return m, m.fx.revealToken(m.current, want)
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

// describe names what actions do together, or the only one.
func (m Model) describe(title string, actions []status.Action) string {
	if title != "" {
		return title
	}
	return pane.Describe(actions[0], m.snap)
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

// sendKey opens the pane and presses the key there. In Changes it only opens
// the pane: a person must see what they answer.
func (m Model) sendKey(want pane.SendKey) (tea.Model, tea.Cmd) {
	if want.Pane == pane.ChangesPane && m.tabs[m.current].Name != want.Pane {
		return m.openPane(pane.OpenPane{Pane: want.Pane}), nil
	}
	if want.Pane != "" {
		m = m.openPane(pane.OpenPane{Pane: want.Pane})
	}
	return m.handleKey(want.Key)
}

// ask shows a Plan, and has then done if a person agrees.
func (m Model) ask(plan status.Plan, then pane.Intent) Model {
	m.notice = notice{}
	m.over, m.ignoreKeysUntil = newConfirm(m.key, plan, then), m.cfg.Now().Add(keyGrace)
	return m
}

func (m Model) showPlan(msg planMsg) Model {
	if msg.err != nil {
		return m.actionFailed(msg.failed, msg.err)
	}
	if msg.plan.Title == "" {
		msg.plan.Title = m.describe(msg.want.Title, msg.want.Actions)
	}
	return m.ask(msg.plan, pane.Do(msg.want))
}

func (m Model) actionsDone(msg doneMsg) Model {
	for n, a := range msg.want.Actions[:min(msg.done+1, len(msg.want.Actions))] {
		var err error
		if n == msg.done {
			err = msg.err
		}
		for i, t := range m.tabs {
			if observer, ok := t.pane.(pane.ActionObserver); ok {
				m = m.setPane(i, observer.ActionDone(a, err))
			}
		}
	}
	if msg.err != nil {
		return m.actionFailed(msg.want.Actions[msg.done], msg.err)
	}
	m.stopped = m.stopped || msg.want.Actions[0].Verb == status.StopHub
	m.notice = successNotice("done: " + m.describe("", msg.want.Actions))
	if msg.want.Title != "" {
		m.notice = successNotice(fmt.Sprintf("done: %s. Start one of the clients you chose and watch it connect here.",
			widget.Plural(msg.done, "step")))
	}
	return m
}

func (m Model) start() (tea.Model, tea.Cmd) {
	return m.dispatch(pane.Do{Actions: []status.Action{{Verb: status.StartHub}}})
}

// preview makes one Plan of those of all actions.
func (fx effects) preview(want pane.Preview) tea.Cmd {
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
			msg.plan.Risks = append(msg.plan.Risks, p.Risks...)
		}
		return msg
	}
}

// do does the actions in their order, up to the first that fails.
func (fx effects) do(want pane.Do) tea.Cmd {
	return func() tea.Msg {
		for i, a := range want.Actions {
			if err := fx.cfg.Client.Do(fx.ctx, a); err != nil {
				return doneMsg{want, i, err}
			}
		}
		return doneMsg{want, len(want.Actions), nil}
	}
}

// report does something outside the panel and says how it went, or why it
// cannot be done.
func (fx effects) report(what string, missing bool, why string, do func() (string, error)) tea.Cmd {
	return func() tea.Msg {
		if missing {
			return noticeMsg{errorNotice(what, errors.New(why))}
		}
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
		r := pane.Result{Query: pane.TokenQuery{Of: want.Token}, Err: errNoTokens}
		if fx.cfg.Token != nil {
			r.Token, r.Err = fx.cfg.Token(want.Token)
		}
		return resultMsg{tab: tab, result: r}
	}
}

func (fx effects) runTool(tab int, want pane.RunTool) tea.Cmd {
	return func() tea.Msg {
		r := pane.Result{Query: pane.ToolRunQuery{Source: want.Source, Tool: want.Tool}}
		r.Answer, r.Err = status.Ask(fx.ctx, fx.cfg.Client, status.RunToolQuery,
			status.ToolCall{Source: want.Source, Tool: want.Tool, Args: want.Args})
		return resultMsg{tab: tab, result: r}
	}
}
