package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// mostEnded is how many calls are named when several end at once.
const mostEnded = 3

// ended says what became of the calls that wait no more in now; empty: none,
// or this panel has answered them itself.
func (m Model) ended(now status.Snapshot) string {
	var said []string
	for _, a := range missing(m.snap.Approvals, now.Approvals, sameApproval) {
		if !slices.Contains(m.mine, a.ID) {
			said = append(said, a.Client+"'s "+a.Tool+": "+fate(now.Outcomes, a.ID))
		}
	}
	if more := len(said) - mostEnded; more > 0 {
		said = append(said[:mostEnded], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

func sameApproval(a, b status.Approval) bool { return a.ID == b.ID }

// fate is what became of the approval with this ID.
func fate(all []status.ApprovalOutcome, id string) string {
	i := slices.IndexFunc(all, func(e status.ApprovalOutcome) bool { return e.ID == id })
	if i < 0 {
		return "it waits no more"
	}
	switch e := all[i]; {
	case e.By == status.ByClient:
		return string(e.Resolution) + " in the client"
	case e.Resolution == status.TimedOut:
		return "nobody answered in time"
	case e.Resolution == status.ClientLeft:
		return "the client waits no more"
	case e.Resolution == status.AskedAgain:
		return "judged anew, the rules changed"
	default:
		return string(e.Resolution) + " elsewhere"
	}
}

// isAnswer reports whether a answers an approval.
func isAnswer(a status.Action) bool { return a.Verb == status.Allow || a.Verb == status.Refuse }

// answers notes that this panel answers an approval itself.
func (m Model) answers(a status.Action) Model {
	if isAnswer(a) {
		m.mine = append(slices.Clone(m.mine), a.Target)
		m.notice.about = a.Target
	}
	return m
}

// failed says that a was not done. Where somebody else has answered before, how
// they did says more.
func (m Model) failed(a status.Action, err error) Model {
	m.notice = failed(pane.Deed(a, m.snap), err)
	if !isAnswer(a) {
		return m
	}
	m.notice.about = a.Target
	m.mine = slices.DeleteFunc(slices.Clone(m.mine), func(id string) bool { return id == a.Target })
	if slices.ContainsFunc(m.snap.Outcomes, func(e status.ApprovalOutcome) bool { return e.ID == a.Target }) {
		m.notice = notice{text: "This answer was not the first: " + fate(m.snap.Outcomes, a.Target), mood: bad}
	}
	return m
}

// closed takes away the question about an approval that waits no more.
func (m Model) closed(now []status.Approval) Model {
	waits := func(id string) bool {
		return slices.ContainsFunc(now, func(a status.Approval) bool { return a.ID == id })
	}
	if c, ok := m.over.(confirm); ok && isAnswer(c.action) && !waits(c.action.Target) {
		m.over = nil
	}
	m.mine = slices.DeleteFunc(slices.Clone(m.mine), func(id string) bool { return !waits(id) })
	return m
}
