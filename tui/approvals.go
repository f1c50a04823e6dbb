package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// An approvalWatch tells the approvals that this panel answers from those that
// end elsewhere.
type approvalWatch struct {
	answered        []string          // by this panel, while they are pending
	running         []status.Approval // that this panel allowed, until their calls have ended
	ignoreKeysUntil time.Time         // they have just changed
	warned          bool              // the last key was a yes that was answered with a sentence
	guardTick       bool              // a message comes when ignoreKeysUntil is over
	moves           int               // of the pane's selection by itself, until now
}

// markAnswered notes that this panel answers an approval.
func (w approvalWatch) markAnswered(id string) approvalWatch {
	w.answered = append(slices.Clone(w.answered), id)
	return w
}

// markAnswerFailed notes that an answer of this panel failed.
func (w approvalWatch) markAnswerFailed(id string) approvalWatch {
	w.answered = slices.DeleteFunc(slices.Clone(w.answered), func(one string) bool { return one == id })
	w.running = slices.DeleteFunc(slices.Clone(w.running), func(one status.Approval) bool { return one.ID == id })
	return w
}

// markAllowed notes that the call of a goes on if this panel allows it.
func (w approvalWatch) markAllowed(a status.Approval) approvalWatch {
	w.running = append(slices.Clone(w.running), a)
	return w
}

// maxEndedCallsNamed is how many calls are named when several end at once.
const maxEndedCallsNamed = 3

// endedText says how the approvals ended that are pending in before and no longer in
// now; empty: none ended, or this panel answered them itself.
func (w approvalWatch) endedText(before, now status.Snapshot) string {
	var said []string
	for _, a := range itemsNotIn(before.Approvals, now.Approvals, sameApproval) {
		if !slices.Contains(w.answered, a.ID) {
			said = append(said, a.Tool+" of "+status.ClientLabel(a.Client, a.Proven)+": "+approvalOutcomeText(now.Outcomes, a.ID))
		}
	}
	if more := len(said) - maxEndedCallsNamed; more > 0 {
		said = append(said[:maxEndedCallsNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

func sameApproval(a, b status.Approval) bool { return a.ID == b.ID }

// isPending reports whether the approval with this ID is among all.
func isPending(all []status.Approval, id string) bool {
	return slices.ContainsFunc(all, func(a status.Approval) bool { return a.ID == id })
}

// approvalOutcomeText says how the approval with this ID ended.
func approvalOutcomeText(all []status.ApprovalOutcome, id string) string {
	i := slices.IndexFunc(all, func(e status.ApprovalOutcome) bool { return e.ID == id })
	if i < 0 {
		return "no longer pending"
	}
	switch e := all[i]; {
	case e.By == status.ByClient:
		return string(e.Resolution) + " in the client"
	case e.Resolution == status.TimedOut:
		return "timed out, nobody answered"
	case e.Resolution == status.ClientLeft:
		return "the call ended before an answer"
	case e.Resolution == status.AskedAgain:
		return "re-evaluated, the rules changed"
	case e.Resolution == status.Permitted:
		return "goes on, the approval for ten minutes covers it"
	case e.Resolution == status.Displaced:
		return "refused, too many calls waited"
	default:
		return string(e.Resolution) + " elsewhere"
	}
}

// isApprovalAnswer reports whether a answers an approval.
func isApprovalAnswer(a status.Action) bool { return a.Verb == status.Allow || a.Verb == status.Refuse }

// showActionError says that a failed. If an approval was answered elsewhere before,
// it says how.
func (m Model) showActionError(a status.Action, err error) Model {
	m.notice = errorNotice(pane.DescribeAction(a, m.snap), err)
	if !isApprovalAnswer(a) {
		return m
	}
	m.notice.approval = a.Target
	m.approvals = m.approvals.markAnswerFailed(a.Target)
	if slices.ContainsFunc(m.snap.Outcomes, func(e status.ApprovalOutcome) bool { return e.ID == a.Target }) {
		m.notice = notice{text: "Already answered: " + approvalOutcomeText(m.snap.Outcomes, a.Target), kind: noticeError}
	}
	return m
}

// handleApprovalChanges says which approvals are new and how others ended, and
// closes the question about one that ended. For a moment keys do not answer
// approvals: they were meant for the list as it was.
func (m Model) handleApprovalChanges(now status.Snapshot) Model {
	watch, ended := m.approvals.takeEndNotice(m.snap, now)
	if m.approvals = watch; ended.text != "" {
		m.notice = ended
		m.notice.outcome = m.cfg.Now()
	}
	if slices.EqualFunc(m.snap.Approvals, now.Approvals, sameApproval) {
		return m
	}
	m.approvals.warned, m.approvals.ignoreKeysUntil = false, m.cfg.Now().Add(keyIgnoreDuration)
	if text := m.approvals.endedText(m.snap, now); text != "" && (!m.notice.sticky || m.notice.approval != "") {
		m.notice = infoNotice(text)
	}
	if c, ok := m.over.(confirmDialog); ok {
		if do, ok := c.then.(pane.DoActions); ok && isApprovalAnswer(do.Actions[0]) && !isPending(now.Approvals, do.Actions[0].Target) {
			m.over = nil
		}
	}
	m.approvals.answered = slices.DeleteFunc(slices.Clone(m.approvals.answered), func(id string) bool { return !isPending(now.Approvals, id) })
	for _, a := range itemsNotIn(now.Approvals, m.snap.Approvals, sameApproval) {
		if !m.notice.sticky && m.tabs.visibleTab().Name != pane.ChangesPane {
			m.notice = notice{
				text: status.ClientLabel(a.Client, a.Proven) + " wants " + a.Tool + " in " + a.Source + ": press ! to review", kind: noticeBusy,
				approval: a.ID,
			}
		}
	}
	return m
}

// tickWhileWaiting has the time that is left of the calls that wait, and that the others are under
// way, drawn every second; while there are none, or none is to be seen, nothing ticks.
func (m Model) tickWhileWaiting() (Model, tea.Cmd) {
	_, shows := m.tabs.visibleTab().pane.(pane.TimeObserver)
	now := m.cfg.Now()
	lasts := slices.ContainsFunc(m.snap.Permits, func(p status.Permit) bool { return p.Until.After(now) })
	waits := slices.ContainsFunc(m.snap.Approvals, func(a status.Approval) bool { return a.Until.After(now) })
	works := pane.IsHubRunning(m.snap) && len(m.snap.Running) > 0
	if m.ticking || m.spoken || !(lasts || shows && (waits || works)) || m.fx.ctx.Err() != nil {
		return m, nil
	}
	m.ticking = true
	return m, tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// updatePaneTimes is m as the panes show it at this time, unless they are read aloud: a
// time that is counted down would be read out every second.
func updatePaneTimes(m Model) Model {
	if !m.spoken {
		m.tabs = changePanes(m.tabs, func(p pane.TimeObserver) pane.Pane { return p.SetTime(m.cfg.Now()) })
	}
	return m
}
