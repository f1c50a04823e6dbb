package pane

import (
	"fmt"
	"maps"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A hunkChoice is which hunks of a change to the text of one page a person leaves
// out. It is a value.
type hunkChoice struct {
	at   int          // the hunk that the keys are about, from 0
	left map[int]bool // those that are left out; replaced, never changed
}

// labels are what stands above each of n hunks.
func (c hunkChoice) labels(n int) []widget.HunkOption {
	all := make([]widget.HunkOption, n)
	for i := range all {
		cursor, mark, end := " ", "[x]", ""
		if i == c.at {
			cursor = "▸"
		}
		if c.left[i] {
			mark, end = "[ ]", ", left out"
		}
		all[i] = widget.HunkOption{Label: fmt.Sprintf("%s%s hunk %d of %d%s", cursor, mark, i+1, n, end), LeftOut: c.left[i]}
	}
	return all
}

// chosen are the numbers of those of n hunks that are not left out, from 1.
func (c hunkChoice) chosen(n int) (numbers []int) {
	for i := range n {
		if !c.left[i] {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func (c hunkChoice) toggle() hunkChoice {
	left := maps.Clone(c.left)
	if left == nil {
		left = map[int]bool{}
	}
	if left[c.at] {
		delete(left, c.at)
	} else {
		left[c.at] = true
	}
	c.left = left
	return c
}

// An approvalEdit is what a person has written in place of what a call would write.
type approvalEdit struct {
	text     string // of the page
	edit     *status.TextEdit
	known    bool // the difference has come
	view     widget.TextView
	proposed bool // what the call would write is shown instead

	hunkLines []lineCount
}

// userEdit is what a person has made of a; nil: it is as the call wants it. why says that
// it cannot be allowed so.
func (r approvalReadState) userEdit(a status.Approval) (edit *status.TextEdit, why string) {
	if e, edited := r.edits[a.ID]; edited {
		if !e.known {
			return nil, "Wait until your version is on the screen."
		}
		return e.edit, ""
	}
	choice := r.hunks[a.ID]
	switch chosen := choice.chosen(a.Hunks); {
	case len(choice.left) == 0:
		return nil, ""
	case len(chosen) == 0:
		return nil, "Every hunk is left out. Do you want to deny the call? n denies it."
	default:
		return &status.TextEdit{Plan: a.Plan, Hunks: chosen}, ""
	}
}

// cannotAllowEditReason says why a person cannot allow so what they have edited; empty: they can.
func cannotAllowEditReason(p Changes, k Press, edit *status.TextEdit, why string) string {
	if edit != nil && !key.Matches(k, p.keys.Allow) {
		return "An edited call can be allowed only once: y allows it."
	}
	return why
}

// handleApprovalEditKey answers the keys with which a person edits what the selected call would
// write; false: k is none of them.
func handleApprovalEditKey(p Changes, k Press) (Pane, Intent, bool) {
	a, _ := p.selectedApproval()
	choice := p.reader.hunks[a.ID]
	switch {
	case key.Matches(k, p.keys.EditText):
		e, edited := p.reader.edits[a.ID]
		return p, EditText{Approval: a, Text: e.text, Edited: edited}, true
	case key.Matches(k, p.keys.LeaveOut):
		choice = choice.toggle()
	case key.Matches(k, p.keys.NextHunk):
		choice.at = min(a.Hunks-1, choice.at+1)
	case key.Matches(k, p.keys.PreviousHunk):
		choice.at = max(0, choice.at-1)
	case key.Matches(k, p.keys.Raw) && p.reader.isEdited(a.ID):
		e := p.reader.edits[a.ID]
		e.proposed = !e.proposed
		p.reader = p.reader.withEdit(a.ID, e)
		p.detail.Top = topAtFirstChange
		return p, nil, true
	default:
		return p, nil, false
	}
	p.reader = p.reader.withHunkChoice(a, choice)
	text := p.reader.texts[a.ID].view
	if w, h := p.detailSize(k.W, k.H); !key.Matches(k, p.keys.LeaveOut) {
		p.detail.Top = max(0, min(text.FirstRowOfLine(text.LineOfHunk(choice.at+1), w), text.Height(w)-h))
	}
	return p, nil, true
}

// withHunkChoice lays out the text of a with other hunks chosen.
func (r approvalReadState) withHunkChoice(a status.Approval, choice hunkChoice) approvalReadState {
	hunks, texts := map[string]hunkChoice{}, map[string]approvalText{}
	maps.Copy(hunks, r.hunks)
	maps.Copy(texts, r.texts)
	text := texts[a.ID]
	hunks[a.ID], texts[a.ID] = choice, newApprovalText(a, ApprovalQuery{Approval: a.ID, All: text.all}, text.result, choice)
	r.hunks, r.texts = hunks, texts
	return r
}

func (r approvalReadState) isEdited(id string) bool {
	_, edited := r.edits[id]
	return edited
}

func (r approvalReadState) withEdit(id string, e approvalEdit) approvalReadState {
	edits := map[string]approvalEdit{}
	maps.Copy(edits, r.edits)
	edits[id] = e
	r.edits = edits
	return r
}

// ObserveEdit implements [EditObserver].
func (p Changes) ObserveEdit(a status.Approval, proposed, text string) Pane {
	if p.approvalIndex(a.ID) < 0 {
		return p
	}
	replace := status.ReplaceText(proposed, text)
	p.reader = p.reader.withEdit(a.ID, approvalEdit{text: text, edit: &status.TextEdit{Plan: a.Plan, Replace: &replace}})
	p.detail.Top = topAtFirstChange
	return p
}

// takeEditPlan shows what a person has written, or why that cannot be.
func (r approvalReadState) takeEditPlan(q EditPlanQuery, res Result) approvalReadState {
	e, edited := r.edits[q.Approval]
	if !edited || e.edit != q.Edit {
		return r
	}
	if res.Err != nil {
		r.edits = maps.Clone(r.edits)
		delete(r.edits, q.Approval)
		return r
	}
	e.known, e.view = true, widget.NewTextView()
	e.hunkLines = nil
	for _, step := range res.Plan.Steps {
		e.hunkLines = append(e.hunkLines, countHunkLines(trimDiffFileNames(step.Diff))...)
		e.view = e.view.AppendBlocks(widget.TextBlock{Kind: widget.DiffLine, Text: trimDiffFileNames(step.Diff)})
	}
	if res.Plan.Cut {
		e.view = e.view.AppendText(widget.RiskLine, "Not all of your version is shown here.")
	}
	return r.withEdit(q.Approval, e)
}

// shownEdit is the person's version of a, if that is what is shown.
func (r approvalReadState) shownEdit(id string) (approvalEdit, bool) {
	e, edited := r.edits[id]
	return e, edited && !e.proposed
}

// editDisabledReason says why k does not edit a now; empty: it does, or is no such key.
func editDisabledReason(p Changes, k tea.KeyPressMsg, a status.Approval, waits bool) string {
	choosing := key.Matches(k, p.keys.LeaveOut, p.keys.NextHunk, p.keys.PreviousHunk)
	text := p.reader.texts[a.ID]
	switch {
	case !choosing && !key.Matches(k, p.keys.EditText):
		return ""
	case !waits:
		return "Select a pending approval first."
	case a.Plan == "":
		return "Only a change to the text of one page can be edited, or allowed in part."
	case !choosing:
		return ""
	case p.reader.isEdited(a.ID):
		return "You have edited the text: e edits it again."
	case a.Hunks < 2:
		return "The change has only one hunk: y allows it, n denies it, e edits the text."
	case text.failed || text.view.LineOfHunk(1) < 0 && text.hidden == "":
		return "Wait until the change is on the screen."
	case text.hidden != "":
		return "Not all of the change is on the screen: z shows all, and then hunks can be left out."
	}
	return ""
}

// allowAndEditBindings are the keys for a at the foot of the screen: what y does, and how to edit.
func allowAndEditBindings(p Changes, a status.Approval) (allow key.Binding, more []key.Binding) {
	help, allow := widget.WithHelp, p.keys.Allow
	choice := p.reader.hunks[a.ID]
	switch edited := p.reader.isEdited(a.ID); {
	case edited:
		shows := "the agent's text"
		if p.reader.edits[a.ID].proposed {
			shows = "your text"
		}
		return help(allow, "allow your text"), []key.Binding{help(p.keys.EditText, "edit again"), help(p.keys.Raw, shows)}
	case len(choice.left) > 0:
		allow = help(allow, fmt.Sprintf("allow %d of %d hunks", len(choice.chosen(a.Hunks)), a.Hunks))
	}
	switch {
	case a.Hunks > 1 && choice.left[choice.at]:
		more = append(more, help(p.keys.LeaveOut, "take hunk back in"))
	case a.Hunks > 1:
		more = append(more, p.keys.LeaveOut)
	}
	if a.Plan != "" {
		more = append(more, p.keys.EditText)
	}
	if a.Hunks > 1 {
		more = append(more, help(p.keys.NextHunk, "next hunk"))
	}
	return allow, more
}

// editSummaryText says in the title of a text what a person has made of it; empty: nothing.
func (r approvalReadState) editSummaryText(a status.Approval) string {
	if e, edited := r.edits[a.ID]; edited {
		if e.proposed {
			return "as the agent wants it"
		}
		return "edited by you; " + strings.Trim(clientName(a), `"`) + " is told"
	}
	if choice := r.hunks[a.ID]; len(choice.left) > 0 {
		return fmt.Sprintf("%d of %s chosen", len(choice.chosen(a.Hunks)), widget.CountWithNoun(a.Hunks, "hunk"))
	}
	return ""
}
