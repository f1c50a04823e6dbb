package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// dispatch does what a pane or an overlay intends: it changes the panel, or
// returns the command that takes time.
func (m Model) dispatch(want pane.Intent) (Model, tea.Cmd) {
	switch want := want.(type) {
	case pane.DoActions:
		m.notice = busyNotice(describeActions(want.Title, want.Actions, m.snap))
		if a := want.Actions[0]; isApprovalAnswer(a) {
			m.approvals, m.notice.approval = m.approvals.markAnswered(a.Target), a.Target
			if i := slices.IndexFunc(m.snap.Approvals, func(one status.Approval) bool { return one.ID == a.Target }); i >= 0 &&
				a.Verb == status.Allow {
				m.approvals = m.approvals.markAllowed(m.snap.Approvals[i])
			}
		}
		return m, m.fx.doActions(want)
	case pane.ConfirmActions:
		m.notice = busyNotice("preview: " + describeActions(want.Title, want.Actions, m.snap))
		return m, m.fx.previewActions(want)
	case pane.ConfirmPlan:
		return m.askConfirmation(want.Plan, want.Then), nil
	case pane.CopyText:
		return m, m.fx.runAndReport("copy "+want.What, func() (string, error) {
			how, err := m.cfg.Copy(want.Text)
			return want.What + ": " + how, err
		})
	case pane.CopyToken:
		what := "the token of the " + want.Token
		return m, m.fx.runAndReport("copy "+what, func() (string, error) {
			how, err := m.cfg.CopyToken(want.Token)
			return what + ": " + how, err
		})
	case pane.SaveFile:
		return m, m.fx.runAndReport("save "+want.What, func() (string, error) {
			path, err := m.cfg.Save(want.Name, want.Text)
			return fmt.Sprintf("saved %s to %s", want.What, path), err
		})
	case pane.ExportLog:
		m.notice = busyNotice("export the log")
		return m, m.fx.runAndReport("export the log", func() (string, error) {
			path, lines, err := m.cfg.Export(m.fx.ctx)
			return fmt.Sprintf("exported the whole log (%s) to %s", widget.CountWithNoun(lines, "line"), path), err
		})
	case pane.RevealToken:
		return m, m.fx.revealToken(m.tabs.current, want)
	case pane.RunTool:
		return m, m.fx.runTool(m.tabs.current, want)
	case pane.EditPage:
		return m, m.fx.editPage(m.tabs.current, want)
	case pane.EditText:
		return m, m.fx.loadProposedText(want)
	case pane.SendKey:
		return m.sendKey(want)
	case pane.ShowMessage:
		m.notice = infoNotice(want.Text)
	case pane.MarkSeen:
		m = setLastLook(m, m.snap.Time)
		m.notice = infoNotice("All is marked as seen. What comes from now on is marked with •.")
	case pane.OpenPane:
		m.tabs = m.tabs.showPane(want)
	}
	return m, nil
}

// describeActions names what actions do together, or the only one.
func describeActions(title string, actions []status.Action, s status.Snapshot) string {
	if title != "" {
		return title
	}
	return pane.DescribeAction(actions[0], s)
}

// sendKey opens the pane and presses the key there. In Changes it only opens
// the pane: a person must see what they answer.
func (m Model) sendKey(want pane.SendKey) (Model, tea.Cmd) {
	before := m.tabs.visibleTab().Name
	m.tabs = m.tabs.showPane(pane.OpenPane{Pane: want.Pane})
	if want.Pane == pane.ChangesPane && before != want.Pane {
		return m, nil
	}
	return m.handleKey(want.Key)
}

// askConfirmation shows a Plan, and has then done if a person agrees.
func (m Model) askConfirmation(plan status.Plan, then pane.Intent) Model {
	m.notice = notice{}
	m.over, m.ignoreKeysUntil = newConfirmDialog(m.key, plan, then), m.cfg.Now().Add(keyIgnoreDuration)
	return m
}

func (m Model) showPlan(msg planMsg) Model {
	if msg.err != nil {
		return m.showActionError(msg.failed, msg.err)
	}
	if msg.plan.Title == "" {
		msg.plan.Title = describeActions(msg.want.Title, msg.want.Actions, m.snap)
	}
	return m.askConfirmation(msg.plan, pane.DoActions(msg.want))
}

func (m Model) handleActionsDone(msg actionsDoneMsg) Model {
	for n, a := range msg.want.Actions[:min(msg.done+1, len(msg.want.Actions))] {
		var err error
		if n == msg.done {
			err = msg.err
		}
		m.tabs = changePanes(m.tabs, func(p pane.ActionObserver) pane.Pane { return p.ObserveUserActionOutcome(a, err) })
	}
	if msg.err != nil {
		return m.showActionError(msg.want.Actions[msg.done], msg.err)
	}
	if a := msg.want.Actions[0]; isApprovalAnswer(a) {
		m.notice = m.approvals.answerNotice(a, m.notice)
		m.notice.outcome = m.cfg.Now()
		return m
	}
	m.stopped = m.stopped || msg.want.Actions[0].Verb == status.StopHub
	if msg.want.Title == setupTitle {
		return showSetupResult(m, msg.want.Actions)
	}
	m.notice = successNotice("done: " + describeActions("", msg.want.Actions, m.snap))
	return m
}
