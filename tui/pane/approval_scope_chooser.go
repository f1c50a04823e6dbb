package pane

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A approvalScopeChooser asks how far a yes to an approval reaches, below what it would
// change. It is a value.
type approvalScopeChooser struct {
	id     string // of the approval; empty: it is closed
	at     int    // of the scopes
	within int    // of [status.Approval].Within
}

// approvalScopes are how far a yes to a can reach, the least first.
func approvalScopes(a status.Approval) []status.Scope {
	all := []status.Scope{status.Once}
	if len(a.Within) > 0 {
		all = append(all, status.Timed)
	}
	if !a.OnlyOnce {
		all = append(all, status.ForSession, status.Always)
	}
	return all
}

// newApprovalScopeChooser asks how far a yes to a reaches; at first it is the least that is
// more than once.
func newApprovalScopeChooser(a status.Approval) approvalScopeChooser {
	return approvalScopeChooser{id: a.ID, at: min(1, len(approvalScopes(a))-1)}
}

// chooserApproval is the approval that the chooser is about; false: it is closed.
func chooserApproval(p Changes) (status.Approval, bool) {
	a, waits := p.selectedApproval()
	return a, waits && p.chooser.id == a.ID
}

// handleChooserKey answers a key while the chooser is open.
func handleChooserKey(p Changes, k Press, a status.Approval) (Pane, Intent, bool) {
	all, c := approvalScopes(a), p.chooser
	switch {
	case key.Matches(k, p.keys.Up):
		c.at = max(0, c.at-1)
	case key.Matches(k, p.keys.Down):
		c.at = min(len(all)-1, c.at+1)
	case key.Matches(k, p.keys.Right) && all[c.at] == status.Timed:
		c.within = min(len(a.Within)-1, c.within+1)
	case key.Matches(k, p.keys.Left) && all[c.at] == status.Timed:
		c.within = max(0, c.within-1)
	case key.Matches(k, p.keys.Allow):
		answer := &status.Answer{Scope: all[c.at], Shown: true}
		if answer.Scope == status.Timed {
			answer.Within = a.Within[c.within]
		}
		p.chooser, p.reader.given = approvalScopeChooser{}, a.ID
		return p, IntentFor(status.Action{Verb: status.Allow, Target: a.ID, Answer: answer}), true
	case key.Matches(k, p.keys.Back, p.keys.Refuse):
		c = approvalScopeChooser{}
	default:
		return p, nil, false
	}
	p.chooser = c
	return p, nil, true
}

// chooserKeyDisabledReason says why k does nothing while the chooser is open.
func chooserKeyDisabledReason(keys Keys, k tea.KeyPressMsg) string {
	stays := key.Matches(k, keys.Enter, keys.AllowScope, keys.AllowAlways, keys.Undo, keys.UndoSession, keys.UndoSince,
		keys.Raw, keys.Copy, keys.Refresh, keys.PageUp, keys.PageDown, keys.First, keys.Last, keys.LeaveOut, keys.NextHunk,
		keys.PreviousHunk, keys.EditText)
	return reasonUnless(!stays, "Choose with the arrows: y allows what is selected, esc goes back to the question.")
}

func chooserKeys(p Changes) []key.Binding {
	help := widget.WithHelp
	return []key.Binding{
		help(p.keys.Allow, "allow for this long"), help(p.keys.Up, "choose"), help(p.keys.Right, "wider"), help(p.keys.Left, "narrower"),
		help(p.keys.Back, "back to the question"),
	}
}

// drawChooser draws what a yes to a can be, in rows of w cells.
func drawChooser(t theme.Theme, c approvalScopeChooser, a status.Approval, w int) []string {
	const label = 16
	rows := []string{theme.Fit(t.Strong.Text(" Allow ")+t.Text.Text(chosenScopeText(c, a)), w)}
	for i, scope := range approvalScopes(a) {
		row, mark := t, "  "
		if i == c.at {
			row, mark = t.ForSelectedRow(), "▸ "
		}
		name, text := describeApprovalScope(scope, a, c.within)
		rows = append(rows, widget.FillRow(row, row.Strong.Fit(mark+name, label)+row.Text.Text(text), w))
	}
	var notes []string
	if len(a.Within) > 0 && !a.Proven {
		notes = append(notes, "Ten minutes are for session "+a.Session+" only: the client has not proved its name.")
	}
	if why := onlyOnceReason(a); why != "" && len(a.Within) == 0 {
		notes = append(notes, why)
	}
	for _, note := range notes {
		rows = append(rows, theme.Fit(t.Dim.Text("  "+note), w))
	}
	return rows
}

// chosenScopeText says what is allowed if the person says yes now.
func chosenScopeText(c approvalScopeChooser, a status.Approval) string {
	switch scope := approvalScopes(a)[c.at]; scope {
	case status.Timed:
		return "for 10 minutes: " + clientName(a) + " may " + timedPermit(a, c.within).ScopeText()
	case status.ForSession:
		_, text := describeApprovalScope(scope, a, c.within)
		return "for this session: " + text
	default:
		name, text := describeApprovalScope(scope, a, c.within)
		return name + ": " + text
	}
}

// timedPermit is what a yes for ten minutes gives.
func timedPermit(a status.Approval, within int) status.Permit {
	return status.Permit{Effect: a.Effect, Source: a.Source, Within: a.Within[within]}
}

// describeApprovalScope names a scope and says what it lets the client of a do. within is what
// ten minutes are for.
func describeApprovalScope(scope status.Scope, a status.Approval, within int) (name, text string) {
	who := clientName(a)
	switch scope {
	case status.Timed:
		text = timedPermit(a, within).ScopeText()
		if within < len(a.Within)-1 {
			text += "  → " + status.WithinText(a.Within[within+1], a.Source)
		}
		return "10 minutes", who + " may " + text
	case status.ForSession:
		return "this session", fmt.Sprintf("%s may call %s in %s until it disconnects", who, a.Tool, a.Source)
	case status.Always:
		return "always", "a rule in the configuration, which you see first"
	default:
		return "once", "this call only"
	}
}

// sessionPermits are the approvals for ten minutes that calls of a session may use.
func sessionPermits(snap status.Snapshot, s status.Session) []status.Permit {
	var all []status.Permit
	for _, p := range snap.Permits {
		if strings.EqualFold(p.Client, s.Client) && p.Proven == s.Proven && cmp.Or(p.Session, s.Name) == s.Name {
			all = append(all, p)
		}
	}
	return all
}

// FormatPermitTimeLeft is how long p lasts.
func FormatPermitTimeLeft(p status.Permit, now time.Time) string {
	return formatTimeLeft(p.Until.Sub(now))
}
