package pane

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// An approvalReadState is what the pane knows of the calls that wait: what they
// would do, and how much of that a person has seen. It is a value.
type approvalReadState struct {
	texts  map[string]approvalText // by the ID of the approval; replaced, never changed
	seen   map[string]seenRows     // likewise
	wanted map[string]bool         // of these all is wanted
	hunks  map[string]hunkChoice   // by the ID of the approval; replaced, never changed
	edits  map[string]approvalEdit // likewise
	warned string                  // the approval whose yes was answered with what is unseen; empty: none
	given  string                  // the approval that the pane answered last; empty: none
	moves  int                     // that the selection made by itself
	now    time.Time               // zero: the time that is left is not counted down
	ended  status.Approval         // that was selected and no longer waits; no ID: none
	// endedWithHub: the hub ended, and took ended with it.
	endedWithHub bool
}

// topAtFirstChange is the top row of a text that was not scrolled yet.
const topAtFirstChange = -1

// SetTime implements [TimeObserver].
func (p Changes) SetTime(now time.Time) Pane {
	p.reader.now = now
	return p
}

// forgetEnded forgets all approvals but those that wait.
func (r approvalReadState) forgetEnded(waits func(id string) bool) approvalReadState {
	r.texts, r.seen, r.hunks, r.edits = maps.Clone(r.texts), maps.Clone(r.seen), maps.Clone(r.hunks), maps.Clone(r.edits)
	maps.DeleteFunc(r.hunks, func(id string, _ hunkChoice) bool { return !waits(id) })
	maps.DeleteFunc(r.edits, func(id string, _ approvalEdit) bool { return !waits(id) })
	maps.DeleteFunc(r.texts, func(id string, _ approvalText) bool { return !waits(id) })
	maps.DeleteFunc(r.seen, func(id string, _ seenRows) bool { return !waits(id) })
	return r
}

// forgetReplanned forgets what was read of calls that wait with a shorter plan now: a step that
// another call made meanwhile is no part of it any more.
func (r approvalReadState) forgetReplanned(before, now []status.Approval) approvalReadState {
	for _, a := range now {
		i := slices.IndexFunc(before, func(b status.Approval) bool { return b.ID == a.ID })
		if i < 0 || before[i].Bytes == a.Bytes && len(before[i].Targets) == len(a.Targets) && before[i].More == a.More {
			continue
		}
		r.texts, r.seen = maps.Clone(r.texts), maps.Clone(r.seen)
		delete(r.texts, a.ID)
		delete(r.seen, a.ID)
	}
	return r
}

// wantedQuery asks for what is missing of an approval; nil: nothing.
func (r approvalReadState) wantedQuery(id string) Query {
	if e, edited := r.edits[id]; edited && !e.known {
		return EditPlanQuery{Approval: id, Edit: e.edit}
	}
	text, known := r.texts[id]
	if known && (text.all || !r.wanted[id]) {
		return nil
	}
	return ApprovalQuery{Approval: id, All: r.wanted[id]}
}

func (r approvalReadState) takeContent(a status.Approval, q ApprovalQuery, res Result) approvalReadState {
	texts := map[string]approvalText{}
	maps.Copy(texts, r.texts)
	texts[a.ID] = newApprovalText(a, q, res, r.hunks[a.ID])
	r.texts = texts
	if q.All { // the rows are others
		r.seen = maps.Clone(r.seen)
		delete(r.seen, a.ID)
	}
	return r
}

// wantFullText asks for all of an approval.
func (r approvalReadState) wantFullText(id string) approvalReadState {
	wanted := map[string]bool{id: true}
	maps.Copy(wanted, r.wanted)
	r.wanted = wanted
	return r
}

// markRowsSeen notes that the rows from top on of an approval were on the screen.
func (r approvalReadState) markRowsSeen(id string, w, top, h int) approvalReadState {
	text, known := r.texts[id]
	if !known {
		return r
	}
	n := text.view.Height(w)
	seen := map[string]seenRows{}
	maps.Copy(seen, r.seen)
	seen[id] = seen[id].withRows(w, max(0, min(top, n-h)), h, n)
	r.seen = seen
	return r
}

// unseenRowsNote says what a person was not shown of an approval, and which key shows
// it where the row top is on top; empty: nothing.
func (r approvalReadState) unseenRowsNote(id string, w, top int) string {
	text := r.texts[id]
	if text.hidden != "" {
		return text.hidden + " not shown: z shows all"
	}
	seen := r.seen[id]
	above, below, changed := 0, 0, 0
	for row := range text.view.Height(w) {
		if !isChangedLine(text.view.Row(row, w)) {
			continue
		}
		changed++
		switch {
		case seen.w == w && seen.rows[row]:
		case row < top:
			above++
		default:
			below++
		}
	}
	next := "pgdn reads on"
	switch {
	case above+below == 0:
		return ""
	case below == 0:
		next = "pgup shows them"
	}
	return fmt.Sprintf("%s of %s not seen: %s", widget.FormatCount(above+below), widget.CountWithNoun(changed, "changed row"), next)
}

// onlyOnceReason says why a may be allowed only once; empty: it need not be.
func onlyOnceReason(a status.Approval) string {
	switch {
	case !a.OnlyOnce:
		return ""
	case a.Proven:
		return "This call makes other calls, so it can be allowed only once at a time."
	}
	return "The client has not proved its name, so it can be allowed only once at a time."
}

// selectedApproval is the approval that is selected and waits.
func (p Changes) selectedApproval() (status.Approval, bool) {
	i := -1
	if p.selection.pending {
		i = p.approvalIndex(p.selection.id)
	}
	if i < 0 {
		return status.Approval{}, false
	}
	return p.snap.Approvals[i], true
}

// markRowsSeen notes what is on the screen now.
func (p Changes) markRowsSeen(k Press) Changes {
	if _, waits := p.selectedApproval(); waits {
		w, h := p.detailSize(k.W, k.H)
		p.reader = p.reader.markRowsSeen(p.selection.id, w, p.topRow(w, h), h)
	}
	return p
}

// topRow is the first visible row of the selected's text in w by h cells.
func (p Changes) topRow(w, h int) int {
	if p.detail.Top != topAtFirstChange {
		return p.detail.Top
	}
	if e, shown := p.reader.shownEdit(p.selection.id); shown && e.known {
		return 0
	}
	return p.reader.texts[p.selection.id].initialTopRow(w, h)
}

// updateSelection selects what is to be selected when the snapshot has changed: what was
// selected as long as it is there. An approval that ended leaves nothing
// selected, so that no key acts on something else; only behind an answer of this
// pane comes the next one.
func (p Changes) updateSelection(place int, before status.Approval, hubEnded bool) Changes {
	if !p.selection.pending || p.approvalIndex(p.selection.id) >= 0 {
		return p.keepSelection(place)
	}
	if p.reader.given == p.selection.id && len(p.snap.Approvals) > 0 {
		return p.selectAt(min(place, len(p.snap.Approvals)-1))
	}
	if before.ID == p.selection.id {
		p.reader.ended, p.reader.endedWithHub = before, hubEnded
	}
	p.detail = widget.Detail{}
	return p
}

// AutoSelectCount implements [AutoSelector].
func (p Changes) AutoSelectCount() int { return p.reader.moves }

// selectWrittenChange selects what the call has written that this pane has allowed last, once
// nothing waits any more and the journal shows it: undo is at hand, for that and for
// nothing else.
func selectWrittenChange(p Changes) Changes {
	if !p.selectedHasEnded() || p.reader.given != p.reader.ended.ID || len(p.snap.Approvals) > 0 {
		return p
	}
	for _, o := range p.snap.Outcomes {
		if o.ID != p.reader.given || o.Call == nil || len(o.Call.Changes) == 0 {
			continue
		}
		at := -1
		for _, id := range o.Call.Changes { // what moved rather than what links to it, a page rather than its folder
			i := p.cache.rowIndex(id)
			if i >= 0 && (at < 0 || strings.HasSuffix(p.cache.rowAt(at).Target, "/") || p.cache.rowAt(i).MovedFrom != "") {
				at = i
			}
		}
		if at >= 0 {
			p = p.selectAt(at)
			p.reader.moves++
		}
	}
	return p
}

// selectedHasEnded reports whether the selected approval no longer waits.
func (p Changes) selectedHasEnded() bool {
	return p.selection.pending && p.selection.id == p.reader.ended.ID && p.selection.id != "" && p.approvalIndex(p.selection.id) < 0
}

// approvalEndText says how the approval ended that was selected.
func approvalEndText(r approvalReadState, outcomes []status.ApprovalOutcome) string {
	a, text := r.ended, "no longer waits"
	if r.endedWithHub && r.given != a.ID { // else it may have been written
		text = "was lost when the hub ended: nothing was written, and the next hub asks again if the agent still wants it"
	}
	if i := slices.IndexFunc(outcomes, func(o status.ApprovalOutcome) bool { return o.ID == a.ID }); i >= 0 {
		text = map[status.Resolution]string{
			status.Allowed: "was allowed", status.Refused: "was denied", status.TimedOut: "was denied, because nobody answered in time",
			status.ClientLeft: "was withdrawn: its call ended before an answer", status.AskedAgain: "is judged again, because the rules changed",
			status.Permitted: "goes on: what was allowed for ten minutes covers it",
		}[outcomes[i].Resolution]
	}
	return fmt.Sprintf("%s of %s %s. Nothing is selected now.", a.Tool, clientName(a), text)
}
