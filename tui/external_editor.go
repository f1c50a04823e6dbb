package tui

import (
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// A person edits what a waiting call would write in an editor of their own, which has
// the terminal meanwhile.

// loadProposedText loads the text that a person is to edit.
func (fx effects) loadProposedText(want pane.EditText) tea.Cmd {
	return func() tea.Msg {
		msg := proposedTextMsg{want: want}
		var b strings.Builder
		for from := 0; ; {
			part, err := status.Ask(fx.ctx, fx.cfg.Client, status.ProposedTextQuery, status.ApprovalRange{ID: want.Approval.ID, From: from})
			if err != nil {
				msg.err = err
				return msg
			}
			b.WriteString(part.Text)
			if from = part.Next; from == 0 {
				break
			}
		}
		if msg.proposed = b.String(); !want.Edited {
			msg.want.Text = msg.proposed
		}
		return msg
	}
}

// openEditor has the person edit a text that was loaded.
func openEditor(m Model, msg proposedTextMsg) (Model, tea.Cmd) {
	if msg.err != nil {
		m.notice = errorNotice("edit the text", msg.err)
		return m, nil
	}
	a := msg.want.Approval
	name := "page"
	if len(a.Targets) > 0 {
		name = path.Base(a.Targets[0])
	}
	return m, m.cfg.Edit(name, msg.want.Text, func(text string, err error) tea.Msg {
		return editedTextMsg{approval: a, proposed: msg.proposed, before: msg.want.Text, text: text, err: err}
	})
}

// takeEditedText shows what the person has written, before they allow it. Of a call
// that waits no longer their text is kept in a file.
func takeEditedText(m Model, msg editedTextMsg) (Model, tea.Cmd) {
	m.approvals.ignoreKeysUntil = m.cfg.Now().Add(keyIgnoreDuration)
	switch {
	case msg.err != nil:
		m.notice = errorNotice("edit the text", msg.err)
	case msg.text == msg.before || !strings.HasSuffix(msg.before, "\n") && msg.text == msg.before+"\n": // which an editor adds by itself
		m.notice = infoNotice("You changed nothing. The call still waits.")
	case !isPending(m.snap.Approvals, msg.approval.ID):
		return m, m.fx.runAndReport("keep your text", func() (string, error) {
			path, err := m.cfg.Save("edited-page", msg.text)
			return "Too late: the call no longer waits (" + approvalOutcomeText(m.snap.Outcomes, msg.approval.ID) + "). Your text is in " + path, err
		})
	default:
		m.notice = notice{}
		m.tabs = changePanes(m.tabs, func(p pane.EditObserver) pane.Pane { return p.ObserveEdit(msg.approval, msg.proposed, msg.text) })
	}
	return m, nil
}
