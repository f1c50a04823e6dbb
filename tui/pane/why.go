package pane

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// An Excuser is a Pane some of whose keys cannot always be obeyed. It answers
// such a key with why, and the help says beforehand that it is so.
type Excuser interface {
	// Why says in a sentence why k can do nothing now; empty: it can, or it
	// means nothing here.
	Why(k tea.KeyPressMsg) string
}

const noHub = "The hub is not running. Press s to start it."

// without says why v cannot be done as things are with the hub; empty: it can.
func without(s status.Snapshot, v status.Verb) string {
	return unless(v.Info().WithoutHub || Running(s), noHub)
}

// Why implements [Excuser].
func (p Overview) Why(k tea.KeyPressMsg) string {
	switch n := len(p.snap.Problems); {
	case key.Matches(k, p.keys.Enter) && n == 0:
		return "There is no problem to mend."
	case key.Matches(k, p.keys.Enter):
		return noMending(p.snap, p.snap.Problems[p.problem].Action, p.snap.Problems[p.problem].Fix)
	case key.Matches(k, p.keys.Copy):
		return noSnippet(p.snap)
	case key.Matches(k, p.keys.Left, p.keys.Right):
		return unless(len(p.snap.Snippets) > 1, "There is no snippet for another client.")
	case key.Matches(k, p.keys.Install) && newer(p.snap) != "" && p.snap.Update.Note != "":
		return "Not from here: " + p.snap.Update.Note + " " + p.snap.Update.URL
	default:
		return ""
	}
}

func noMending(s status.Snapshot, a *status.Action, fix string) string {
	if a == nil {
		return "No key can mend this. " + fix
	}
	return without(s, a.Verb)
}

func noSnippet(s status.Snapshot) string {
	return unless(len(s.Snippets) > 0, "There is no snippet yet: the hub has not said how to connect.")
}

// Why implements [Excuser].
func (p Sources) Why(k tea.KeyPressMsg) string {
	if p.adding || p.grant != nil || p.browse != nil {
		return ""
	}
	_, any := p.selected()
	asks := key.Matches(k, p.keys.Add, p.keys.Grant, p.keys.Remove, p.keys.Reopen, p.keys.Browse, p.keys.Enter, p.keys.Search)
	switch {
	case !asks && !key.Matches(k, p.keys.SeeLogs, p.keys.SeeCalls, p.keys.Copy, p.keys.Run):
		return ""
	case !Running(p.snap) && (!any || asks):
		return noHub
	case !any && !key.Matches(k, p.keys.Add):
		return "No source is open yet. Press a to add one."
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Activity) Why(k tea.KeyPressMsg) string {
	_, any := p.selected()
	switch {
	case p.typing:
		return ""
	case key.Matches(k, p.keys.Enter):
		return unless(any, "There is no call to look into.")
	case key.Matches(k, p.keys.Copy):
		return unless(any, "There is no call to copy.")
	case key.Matches(k, p.keys.Follow) && p.follow:
		return unless(any, "There is no call yet to stay at.")
	case p.keys.saves(Press{KeyPressMsg: k}, Running(p.snap)):
		return unless(any, "There is no call to save.")
	case key.Matches(k, p.keys.Part):
		return unless(p.nextSource() != p.ring.sieve.source, "No source has been called yet.")
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Changes) Why(k tea.KeyPressMsg) string {
	if p.refusing != "" {
		return ""
	}
	waits := p.at.waits && p.approval(p.at.id) >= 0
	_, read := p.plans[p.at.id]
	c, written := p.book.get(p.at.id)
	written = written && !p.at.waits
	switch undoes := key.Matches(k, p.keys.Undo, p.keys.UndoSession); {
	case key.Matches(k, p.keys.Enter):
		return unless(p.len() > 0, "There is nothing to read.")
	case key.Matches(k, p.keys.Copy):
		return unless(p.len() > 0, "There is nothing to copy.")
	case key.Matches(k, p.keys.Refresh):
		return unless(Running(p.snap), noHub)
	case key.Matches(k, p.keys.Allow, p.keys.AllowSession, p.keys.AllowAlways, p.keys.Refuse) && !waits:
		return "Nothing that waits is selected."
	case key.Matches(k, p.keys.Allow, p.keys.AllowSession, p.keys.AllowAlways):
		return unless(read, "What it would change is not on the screen yet.")
	case undoes && !written:
		return "No change is selected."
	case undoes && !Running(p.snap):
		return noHub
	case key.Matches(k, p.keys.Undo) && c.Outcome == status.Undone:
		return "It is undone already."
	case key.Matches(k, p.keys.Undo) && c.CannotUndo != "":
		return "It cannot be undone: " + c.CannotUndo
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Clients) Why(k tea.KeyPressMsg) string {
	one := p.selected()
	puts, takes := key.Matches(k, p.keys.Install), key.Matches(k, p.keys.Remove)
	switch {
	case (puts || takes) && one.title == "":
		return "There is no place to put Lectern into."
	case (puts || takes) && one.install.ID == "":
		return "Only by hand: this client has no file here that a key could edit. c copies the snippet."
	case takes && one.install.State == status.Stopped:
		return "Lectern is not in " + one.title + "."
	case !key.Matches(k, p.keys.Copy) && !p.keys.saves(Press{KeyPressMsg: k}, Running(p.snap)):
		return ""
	case one.title == "":
		return noSnippet(p.snap)
	default:
		return unless(one.snippet.Text != "", "There is no snippet for it; i puts Lectern in.")
	}
}

// Why implements [Excuser].
func (p Tools) Why(k tea.KeyPressMsg) string {
	if p.typing || p.form != nil {
		return ""
	}
	_, any := p.selected()
	switch {
	case key.Matches(k, p.keys.Run):
		return unless(any, "There is no tool to run.")
	case key.Matches(k, p.keys.Copy):
		return unless(any, "There is no tool to copy.")
	case key.Matches(k, p.keys.Enter):
		return unless(any, "There is no tool to read.")
	case key.Matches(k, p.keys.Refresh):
		return unless(Running(p.snap), noHub)
	case key.Matches(k, p.keys.Part):
		return unless(len(p.sources()) > 1, "No source is open.")
	case key.Matches(k, p.keys.Left, p.keys.Right):
		return unless(len(p.clients()) > 1, "No client is attached, so these are the tools of any.")
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Logs) Why(k tea.KeyPressMsg) string {
	if p.mode != reading {
		return ""
	}
	any := p.view.len() > 0
	switch s := p.view.search; {
	case key.Matches(k, p.keys.NextHit, p.keys.PreviousHit) && s.pattern == nil:
		return "Nothing is looked for. Press F to find something."
	case key.Matches(k, p.keys.NextHit, p.keys.PreviousHit):
		return unless(len(p.view.found()) > 0, "Nothing was found.")
	case key.Matches(k, p.keys.Copy):
		return unless(any, "There is no line to copy.")
	case key.Matches(k, p.keys.Mark):
		return unless(any || p.from != 0, "There is no line to mark.")
	case p.keys.saves(Press{KeyPressMsg: k}, Running(p.snap)):
		return unless(any, "There is no line to save.")
	case key.Matches(k, p.keys.ScrollEnd):
		return unless(p.left > 0, "The lines are at their start.")
	case key.Matches(k, p.keys.Part):
		return unless(p.nextPart() != p.view.lens, "No part has said anything yet.")
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Doctor) Why(k tea.KeyPressMsg) string {
	c, any := p.selected()
	switch {
	case key.Matches(k, p.keys.Enter, p.keys.Run) && !any:
		return "No check is selected."
	case key.Matches(k, p.keys.Enter) && c.Result == status.CheckOK:
		return "There is nothing to mend."
	case key.Matches(k, p.keys.Enter):
		return noMending(p.snap, c.Action, c.Fix)
	case key.Matches(k, p.keys.Copy) || p.keys.saves(Press{KeyPressMsg: k}, Running(p.snap)):
		return unless(len(p.checks) > 0, "Nothing has been looked at yet.")
	default:
		return ""
	}
}

// Why implements [Excuser].
func (p Settings) Why(k tea.KeyPressMsg) string {
	if p.Typing() || !key.Matches(k, p.keys.Enter, p.keys.Remove) {
		return ""
	}
	rows := p.rows()
	if len(rows) == 0 {
		return "No setting passes the filter."
	}
	r := rows[p.position(rows)]
	switch resets := key.Matches(k, p.keys.Remove); {
	case resets && r.deed.title != "":
		return "There is nothing to put back."
	case resets && !r.setting.Set:
		return "It has its default already."
	case r.deed.off != "":
		return r.deed.off
	case r.deed.press != 0, r.deed.token != "":
		return "" // the panel knows
	case r.deed.title != "":
		return without(p.snap, r.deed.action.Verb)
	default:
		return without(p.snap, status.SetOption)
	}
}
