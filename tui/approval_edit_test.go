package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

const threeHunks = "--- before\n+++ after\n@@ -1,4 +1,4 @@\n-one\n+1\n same\n same\n same\n@@ -20,7 +20,7 @@\n same\n same\n same\n-two\n+2\n same\n same\n same\n" +
	"@@ -40,4 +40,4 @@\n same\n same\n same\n-three\n+3\n"

// withHunks is a hub where one call waits that changes the text of one page, with three
// hunks.
func withHunks() status.Snapshot {
	s := asked()
	s.Approvals = s.Approvals[1:]
	s.Approvals[0].Plan, s.Approvals[0].Hunks, s.Approvals[0].Targets = "p1", 3, []string{"Home.md"}
	return s
}

// editable opens the call of [withHunks].
func editable(r *testPanel) {
	r.t.Helper()
	s := withHunks()
	s.Seq = 0
	r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "change Home.md", Diff: threeHunks}}})
	r.hub.Set(s)
	r.settle()
	r.press("!")
	r.wait(keyIgnoreDuration)
	r.shows("▸[x] hunk 1 of 3", " [x] hunk 2 of 3 ⋯ 15 lines are the same", "space leave hunk out", "e edit", "-two", "+2")
}

// allowedWith is that a2 is allowed with an edit.
func allowedWith(edit status.TextEdit) status.Action {
	a := allowed("a2", status.Once)
	edit.Plan, a.Answer.Edit = "p1", &edit
	return a
}

// A person leaves hunks out by keys: what y allows is on the screen before it is
// pressed, and all hunks are the call itself.
func TestHunksAreLeftOut(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		editable(r)
		r.m.snap.Approvals[0].Added, r.m.snap.Approvals[0].Removed = 3, 3 // as the call wants it
		r.m = r.m.showSnapshot(r.m.snap)
		r.shows(" +3 −3 ")
		r.press("]", "space")
		r.shows(" +2 −2 ", "▸[ ] hunk 2 of 3, left out", "2 of 3 hunks chosen", "y allow 2 of 3 hunks")
		r.press("Y")
		r.shows("An edited call can be allowed only once: y allows it.")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.did(allowedWith(status.TextEdit{Hunks: []int{1, 3}}))
	})
	runPanel(t, crowded(), func(r *testPanel) {
		editable(r)
		r.press("space", "]", "space", "]", "]", "space", "y")
		r.shows("0 of 3 hunks chosen", "Every hunk is left out. Do you want to deny the call? n denies it.")
		r.did()
		r.wait(keyIgnoreDuration)
		r.press("space", "[", "space", "[", "[", "space")
		r.hides("left out")
		r.hides("chosen")
		r.press("y")
		r.did(allowed("a2", status.Once))
	})
}

// Where nothing can be left out, the keys say why.
func TestWhatCannotBeEdited(t *testing.T) {
	runPanel(t, asked(), func(r *testPanel) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.hides("e edit")
		for _, k := range []string{"e", "space", "]"} {
			r.press(k)
			r.shows("Only a change to the text of one page can be edited, or allowed in part.")
		}
	})
	runPanel(t, crowded(), func(r *testPanel) {
		s := asked()
		s.Seq, s.Approvals = 0, s.Approvals[1:]
		s.Approvals[0].Plan, s.Approvals[0].Hunks = "p1", 1
		r.hub.SetPlan(longChange(3))
		r.hub.Set(s)
		r.settle()
		r.press("!")
		r.wait(keyIgnoreDuration)
		r.hides("hunk 1 of 1")
		r.press("space")
		r.shows("The change has only one hunk")
	})
}

// edits has the person's editor make text of what it gets.
func (r *testPanel) edits(text string, err error) {
	r.m.cfg.Edit = func(name, before string, done func(string, error) tea.Msg) tea.Cmd {
		r.edited = append(r.edited, name+": "+before)
		return func() tea.Msg { return done(text, err) }
	}
	r.m.fx.cfg = r.m.cfg
}

// The text is edited in the person's editor, shown as it would be written, and allowed
// so; it can be edited again, and what the agent wants can be looked at.
func TestTextIsEdited(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		editable(r)
		r.queries.proposed = "1\n2\n3\n"
		r.edits("1\n2, at noon\n3\n", nil)
		r.press("space") // is forgotten
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "change Home.md", Diff: "--- before\n+++ after\n@@ -1,1 +1,1 @@\n-two\n+2, at noon\n"}}})
		r.press("e")
		r.shows(" +1 −1 ", "edited by you; codex-mcp-client is told", "+2, at noon", "y allow your text", "e edit again", "z the agent's text")
		r.press("y") // typed in the editor
		r.shows("y was not taken")
		r.did()
		r.wait(keyIgnoreDuration)
		r.press("z")
		r.shows("as the agent wants it", "hunk 3 of 3", "z your text")
		r.press("z")
		r.shows("+2, at noon")
		r.edits("1\n2 at night\n3\n", nil)
		r.press("e")
		r.wait(keyIgnoreDuration)
		r.press("A")
		r.shows("can be allowed only once")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.did(allowedWith(status.TextEdit{Replace: &status.TextReplacement{From: 3, To: 3, Text: " at night"}}))
		if d := strings.Join(r.edited, "|"); d != "Home.md: 1\n2\n3\n|Home.md: 1\n2, at noon\n3\n" {
			t.Errorf("edited %q", d)
		}
	})
}

// An editor that fails or changes nothing answers nothing, and what was written for a
// call that waits no longer is kept.
func TestEditorThatChangesNothing(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		editable(r)
		r.queries.proposed = "1\n2\n3"
		for want, edit := range map[string]struct {
			text string
			err  error
		}{
			"You changed nothing. The call still waits.": {"1\n2\n3\n", nil},
			"vi: not found": {"", errors.New("vi: not found")},
		} {
			r.edits(edit.text, edit.err)
			r.press("e")
			r.shows(want, "▸[x] hunk 1 of 3")
			r.wait(keyIgnoreDuration)
		}
		late := withOutcome(status.ApprovalOutcome{Resolution: status.TimedOut})
		late.Approvals = nil
		late.Outcomes = append(late.Outcomes, status.ApprovalOutcome{ID: "a2", Resolution: status.TimedOut})
		a := r.m.snap.Approvals[0]
		r.hub.Set(late)
		r.settle()
		r.send(editedTextMsg{approval: a, proposed: "1\n", before: "1\n", text: "mine\n"})
		r.shows("Too late: the call no longer waits (timed out, nobody answered).", "is in /tmp/edited-page")
		if r.saved["edited-page"] != "mine\n" {
			t.Errorf("saved %q", r.saved)
		}
		r.press("y")
		r.did()
	})
}

// What the hub does not take as an edit is said, and what the agent wants is shown
// again.
func TestEditThatTheHubRefuses(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		editable(r)
		r.queries.proposed = "1\n"
		r.edits("one\n", nil)
		r.hub.SetErr(errors.New("that leaves the page as it is. Do you want to deny the call?"))
		r.press("e")
		r.shows("cannot take your version: that leaves the page as it is.")
		r.hub.SetErr(nil)
		r.shows("▸[x] hunk 1 of 3")
		r.did()
	})
}
