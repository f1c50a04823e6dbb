package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A person who looks elsewhere learns of calls that wait from the title of the
// terminal, and from a notification that the terminal shows.

// windowTitle says how many calls wait, where a list of windows shows it.
func windowTitle(m Model) string {
	if n := len(m.snap.Approvals); n > 0 {
		return fmt.Sprintf("(%d) Lectern", n)
	}
	return "Lectern"
}

// notifyNewApprovals has the terminal show what now waits that did not before, unless the
// person looks at it.
func notifyNewApprovals(m Model, now status.Snapshot) tea.Cmd {
	added := itemsNotIn(now.Approvals, m.snap.Approvals, sameApproval)
	if m.focused || len(added) == 0 || m.cfg.Notify == nil {
		return nil
	}
	a := added[0]
	what := a.Effect + " " + summarizeTargets(a)
	if a.Move != nil {
		what = a.Move.Describe(func(name string) string { return name })
	}
	text := status.ClientLabel(a.Client, a.Proven) + " wants to " + what
	if left := a.Until.Sub(m.cfg.Now()); left < 10*time.Minute {
		text += fmt.Sprintf(" (%d s)", int(left.Seconds()))
	}
	if len(added) > 1 {
		text = widget.CountWithNoun(len(added), "call") + " wait for you"
	}
	sequence := m.cfg.Notify(text)
	if sequence == "" {
		return nil
	}
	return tea.Raw(sequence)
}

// ignoresDecidingKeys reports whether the keys that decide something are not taken, because what
// they would answer has only just come.
func ignoresDecidingKeys(m Model) bool {
	return m.over == nil && m.tabs.visibleTab().Name == pane.ChangesPane && !m.tabs.isTyping() &&
		m.cfg.Now().Before(m.approvals.ignoreKeysUntil)
}

// updateKeyGuard has the keys drawn again when they are taken again, and guards them when the
// selection has moved by itself.
func updateKeyGuard(m Model) (Model, tea.Cmd) {
	if p, ok := m.tabs.visibleTab().pane.(pane.AutoSelector); ok && p.AutoSelectCount() != m.approvals.moves {
		m.approvals.moves, m.approvals.ignoreKeysUntil = p.AutoSelectCount(), m.cfg.Now().Add(keyIgnoreDuration)
	}
	if !ignoresDecidingKeys(m) || m.spoken || m.approvals.guardTick || m.fx.ctx.Err() != nil {
		return m, nil
	}
	m.approvals.guardTick = true
	return m, tea.Tick(m.approvals.ignoreKeysUntil.Sub(m.cfg.Now()), func(time.Time) tea.Msg { return keyGuardOverMsg{} })
}
