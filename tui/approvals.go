package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// maxEnded is how many calls are named when several end at once.
const maxEnded = 3

// endedApprovals says how the approvals ended that are no longer pending in now;
// empty: none ended, or this panel answered them itself.
func (m Model) endedApprovals(now status.Snapshot) string {
	var said []string
	for _, a := range difference(m.snap.Approvals, now.Approvals, sameApproval) {
		if !slices.Contains(m.answeredHere, a.ID) {
			said = append(said, a.Client+"'s "+a.Tool+": "+outcomeText(now.Outcomes, a.ID))
		}
	}
	if more := len(said) - maxEnded; more > 0 {
		said = append(said[:maxEnded], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

func sameApproval(a, b status.Approval) bool { return a.ID == b.ID }

// outcomeText says how the approval with this ID ended.
func outcomeText(all []status.ApprovalOutcome, id string) string {
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
		return "the client gave up waiting"
	case e.Resolution == status.AskedAgain:
		return "re-evaluated, the rules changed"
	default:
		return string(e.Resolution) + " elsewhere"
	}
}

// isApprovalAnswer reports whether a answers an approval.
func isApprovalAnswer(a status.Action) bool { return a.Verb == status.Allow || a.Verb == status.Refuse }

// recordAnswer notes that this panel answers an approval itself.
func (m Model) recordAnswer(a status.Action) Model {
	if isApprovalAnswer(a) {
		m.answeredHere = append(slices.Clone(m.answeredHere), a.Target)
		m.notice.approval = a.Target
	}
	return m
}

// actionFailed says that a failed. If an approval was answered elsewhere before,
// it says how.
func (m Model) actionFailed(a status.Action, err error) Model {
	m.notice = errorNotice(pane.Describe(a, m.snap), err)
	if !isApprovalAnswer(a) {
		return m
	}
	m.notice.approval = a.Target
	m.answeredHere = slices.DeleteFunc(slices.Clone(m.answeredHere), func(id string) bool { return id == a.Target })
	if slices.ContainsFunc(m.snap.Outcomes, func(e status.ApprovalOutcome) bool { return e.ID == a.Target }) {
		m.notice = notice{text: "Already answered: " + outcomeText(m.snap.Outcomes, a.Target), kind: noticeError}
	}
	return m
}

// closeStaleConfirm closes the question about an approval that is no longer
// pending.
func (m Model) closeStaleConfirm(now []status.Approval) Model {
	waits := func(id string) bool {
		return slices.ContainsFunc(now, func(a status.Approval) bool { return a.ID == id })
	}
	if c, ok := m.over.(confirm); ok {
		if do, ok := c.then.(pane.Do); ok && isApprovalAnswer(do.Actions[0]) && !waits(do.Actions[0].Target) {
			m.over = nil
		}
	}
	m.answeredHere = slices.DeleteFunc(slices.Clone(m.answeredHere), func(id string) bool { return !waits(id) })
	return m
}

// announceApprovals says which approvals are new and how others ended. For a
// moment keys do not answer approvals: they were meant for the list as it was.
func (m Model) announceApprovals(now status.Snapshot) Model {
	id := func(a status.Approval) string { return a.ID }
	before := idsOf(m.snap.Approvals, id)
	if slices.Equal(before, idsOf(now.Approvals, id)) {
		return m
	}
	m.ignoreAnswersUntil = m.cfg.Now().Add(keyGrace)
	if text := m.endedApprovals(now); text != "" && (!m.notice.sticky || m.notice.approval != "") {
		m.notice = infoNotice(text)
	}
	m = m.closeStaleConfirm(now.Approvals)
	for _, a := range difference(now.Approvals, m.snap.Approvals, sameApproval) {
		if !m.notice.sticky && m.tabs[m.current].Name != pane.ChangesPane {
			m.notice = notice{
				text: a.Client + " wants " + a.Tool + " in " + a.Source + ": press ! to review", kind: noticeBusy,
				approval: a.ID,
			}
		}
	}
	return m
}

func idsOf[T any](all []T, id func(T) string) []string {
	var ids []string
	for _, one := range all {
		ids = append(ids, id(one))
	}
	return ids
}

// approvalsJustChanged reports whether the approvals changed a moment ago while a
// person looks at them and does not type.
func (m Model) approvalsJustChanged() bool {
	if m.over != nil || m.tabs[m.current].Name != pane.ChangesPane || !m.cfg.Now().Before(m.ignoreAnswersUntil) {
		return false
	}
	p, ok := m.tabs[m.current].pane.(pane.TextEditor)
	return !ok || !p.Typing()
}
