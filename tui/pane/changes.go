package pane

import (
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Changes shows the calls that wait for a person, and below them what agents
// wrote, by session. What the selected one would change, or changed, stands
// beside it; on a small screen a call that waits takes all of it. Drawing is in
// changes_draw.go, what is read of the journal in changes_cache.go, and how a call
// that waits is read in approval_draw.go.
type Changes struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	reader    approvalReadState
	cache     changeCache
	selection changeSelection
	detail    widget.Detail

	day    dayChangesView
	looked time.Time // when the person last looked; zero: never

	chooser  approvalScopeChooser
	refusing string // the approval that is being refused; empty: none
	reason   widget.TextInput
}

// A changeSelection says what is selected: an approval or a Change, by its ID.
type changeSelection struct {
	pending bool
	id      string
}

// NewChanges returns a Changes that shows times of zone.
func NewChanges(k Keys, zone *time.Location) Pane {
	return Changes{keys: k, zone: zone, cache: newChangeCache()}
}

// changesHelp lists the keys of [Changes].
func changesHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Allow, "allow the selected call once"), help(k.AllowScope, "allow for longer: ten minutes, the session"),
		help(k.AllowAlways, "always allow: adds a rule"), help(k.Refuse, "deny; a reason may follow, which the agent reads"),
		help(k.LeaveOut, "leave a hunk out, or take it back"), help(k.NextHunk, "next hunk"), help(k.PreviousHunk, "previous hunk"),
		help(k.EditText, "edit the text in your editor"),
		help(k.Undo, "undo the change"), help(k.UndoSession, "undo all changes of its session"),
		help(k.UndoSince, "undo its agent's changes from here on"),
		help(k.Raw, "show all of a long change"), help(k.Filter, "filter what was written"),
		help(k.Right, "list the changes of a row that stands for several"), help(k.Left, "fold them"), help(k.Enter, "read the diff"),
		help(k.Copy, "copy the diff"), help(k.Refresh, "reload the journal"),
		help(k.History, "from the pending approvals to the journal, and back"),
		help(k.DayChanges, "read all that agents changed on that day, with the diffs; [ and ] change the day"),
		help(k.MarkSeen, "mark all as seen"),
	}}}
}

// SetSnapshot implements [Pane]. The selection stays while its row exists.
func (p Changes) SetSnapshot(s status.Snapshot) Pane {
	hubEnded := hubRestarted(p.snap, s) || !IsHubRunning(s)
	if hubRestarted(p.snap, s) {
		p.cache, p.reader.texts = newChangeCache(), nil
	}
	place := p.selectedIndex()
	before, _ := p.selectedApproval()
	p.reader = p.reader.forgetReplanned(p.snap.Approvals, s.Approvals)
	p.snap = s
	p.reader = p.reader.forgetEnded(func(id string) bool { return p.approvalIndex(id) >= 0 })
	return selectWrittenChange(p.updateSelection(place, before, hubEnded))
}

// hubRestarted reports whether now is of another hub than before, or of the same
// after it was away.
func hubRestarted(before, now status.Snapshot) bool {
	return before.Hub.PID != now.Hub.PID || !before.Hub.Started.Equal(now.Hub.Started) || !IsHubRunning(before) && IsHubRunning(now)
}

// keepSelection selects what there is at position i if the selected is gone.
func (p Changes) keepSelection(i int) Changes {
	if at := p.selectedIndex(); at >= 0 && p.selection.id != "" || p.selectedHasEnded() {
		return p
	}
	return p.selectAt(i)
}

// selectAt selects what there is at position i.
func (p Changes) selectAt(i int) Changes {
	i = widget.Clamp(i, p.itemCount())
	before := p.selection
	switch waiting := len(p.snap.Approvals); {
	case p.itemCount() == 0:
		p.selection = changeSelection{}
	case i < waiting:
		p.selection = changeSelection{true, p.snap.Approvals[i].ID}
	default:
		p.selection = changeSelection{false, p.cache.rowAt(i - waiting).ID}
	}
	if p.selection != before {
		p.detail.Top, p.reader.warned = 0, ""
		if p.selection.pending {
			p.detail.Top = topAtFirstChange
		}
	}
	return p
}

func (p Changes) itemCount() int { return len(p.snap.Approvals) + p.cache.rowCount() }

// selectedIndex is where the selected is among all; -1: nowhere.
func (p Changes) selectedIndex() int {
	if p.selection.pending {
		return p.approvalIndex(p.selection.id)
	}
	if i := p.cache.rowIndex(p.selection.id); i >= 0 {
		return len(p.snap.Approvals) + i
	}
	return -1
}

func (p Changes) approvalIndex(id string) int {
	return slices.IndexFunc(p.snap.Approvals, func(a status.Approval) bool { return a.ID == id })
}

// ShowItem implements [ItemPane]: id is that of an approval; one that is not
// there means the first.
func (p Changes) ShowItem(id string) Pane {
	p.day.open = false
	return p.selectAt(max(0, p.approvalIndex(id)))
}

// SetLastLook implements [LastLookObserver].
func (p Changes) SetLastLook(at time.Time) Pane {
	p.looked = at
	return p
}

// WantedQuery implements [Querier].
func (p Changes) WantedQuery() Query {
	if q := p.day.query(); p.day.open && p.day.read != q && IsHubRunning(p.snap) {
		return q
	}
	if _, waits := p.selectedApproval(); waits {
		if q := p.reader.wantedQuery(p.selection.id); q != nil {
			return q
		}
	}
	if w := p.cache.wantedQuery(p.selection); w != nil && IsHubRunning(p.snap) {
		return w
	}
	return nil
}

// TakeResult implements [Querier].
func (p Changes) TakeResult(f Result) Pane {
	place := p.selectedIndex()
	if q, ok := f.Query.(ApprovalQuery); ok {
		if i := p.approvalIndex(q.Approval); i >= 0 {
			p.reader = p.reader.takeContent(p.snap.Approvals[i], q, f)
		}
		return p
	}
	if q, ok := f.Query.(EditPlanQuery); ok {
		p.reader = p.reader.takeEditPlan(q, f)
		return p
	}
	if q, ok := f.Query.(DayChangesQuery); ok {
		return takeDayChanges(p, q, f)
	}
	p.cache = p.cache.takeResult(f)
	return selectWrittenChange(selectFoldedRow(p.keepSelection(place)))
}

// selectFoldedRow selects the newest Change of the row that the selected one is folded
// into, which is what that row shows.
func selectFoldedRow(p Changes) Changes {
	if i := p.cache.rowIndex(p.selection.id); !p.selection.pending && i >= 0 && p.cache.rowAt(i).ID != p.selection.id {
		return p.selectAt(len(p.snap.Approvals) + i)
	}
	return p
}

// ObserveCalls implements [CallObserver]: a call that wrote makes the cache old.
func (p Changes) ObserveCalls(calls []status.Call) Pane {
	for _, c := range calls {
		if len(c.Changes) > 0 {
			p.cache.refresh++
			p.day.refresh++
			return p
		}
	}
	return p
}

// ObserveUserActionOutcome implements [ActionObserver].
func (p Changes) ObserveUserActionOutcome(a status.Action, err error) Pane {
	if err == nil && (a.Verb == status.UndoChanges || a.Verb == status.Allow) {
		p.cache.refresh++
	}
	return p
}

// IsTyping implements [TypingPane].
func (p Changes) IsTyping() bool { return p.refusing != "" || p.cache.filter.Typing }

// Paste implements [TypingPane].
func (p Changes) Paste(text string) Pane {
	switch {
	case p.refusing != "":
		p.reason = p.reason.Insert(text)
	case p.cache.filter.Typing:
		return applyChangesFilter(p, p.cache.filter.Paste(text))
	}
	return p
}

// applyChangesFilter filters what was written; what waits stays.
func applyChangesFilter(p Changes, f widget.FilterInput) Changes {
	place := p.selectedIndex()
	p.cache = p.cache.withFilter(f)
	return selectFoldedRow(p.keepSelection(place))
}

// HandleKey implements [Pane].
func (p Changes) HandleKey(k Press) (Pane, Intent) {
	switch {
	case p.refusing != "":
		return p.handleReasonKey(k)
	case p.cache.filter.Typing:
		return applyChangesFilter(p, p.cache.filter.HandleKey(k.KeyPressMsg, p.keys.NavKeys)), nil
	case p.day.open:
		return handleDayKey(p, k)
	}
	if a, open := chooserApproval(p); open {
		if next, want, done := handleChooserKey(p, k, a); done {
			return next, want
		}
	}
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	p = p.markRowsSeen(k)
	if !key.Matches(k, p.keys.Allow, p.keys.AllowScope, p.keys.AllowAlways) {
		p.reader.warned = ""
	}
	if next, want, done := handleApprovalEditKey(p, k); done {
		return next, want
	}
	w, h := p.detailSize(k.W, k.H)
	p.detail.Top = p.topRow(w, h)
	if next, i, ok := p.detail.HandleKey(k.KeyPressMsg, p.keys.NavKeys, p.detailText(), w, h, k.H/2, p.selectedIndex(), p.itemCount()); ok {
		p.detail = next
		return p.selectAt(i), nil
	}
	switch {
	case key.Matches(k, p.keys.Filter):
		p.cache.filter = p.cache.filter.StartTyping()
		return p, nil
	case key.Matches(k, p.keys.DayChanges):
		return openDay(p), nil
	case key.Matches(k, p.keys.History):
		return p.selectAt(historyIndex(p)), nil
	case key.Matches(k, p.keys.MarkSeen):
		return p, MarkSeen{}
	case key.Matches(k, p.keys.Back) && p.cache.filter.Value() != "":
		return applyChangesFilter(p, widget.FilterInput{}), nil
	case key.Matches(k, p.keys.Left, p.keys.Right) && !p.selection.pending:
		p.cache, _ = p.cache.foldOrUnfold(p.selection.id, key.Matches(k, p.keys.Left))
		return selectFoldedRow(p), nil
	case key.Matches(k, p.keys.Refresh):
		p.cache.refresh++
		p.reader.texts = nil
		return p, ShowMessage{"Reloading the journal."}
	case key.Matches(k, p.keys.Allow, p.keys.AllowScope, p.keys.AllowAlways, p.keys.Refuse):
		return p.answer(k)
	case key.Matches(k, p.keys.Undo, p.keys.UndoSession, p.keys.UndoSince):
		return p, intentToUndo(p, k)
	case key.Matches(k, p.keys.Raw):
		p.reader = p.reader.wantFullText(p.selection.id)
		return p, nil
	case key.Matches(k, p.keys.Copy):
		return p, CopyText{What: "the diff", Text: p.detailText().String()}
	}
	return p, Unhandled{}
}

// answer is what a person says to the selected approval. A yes to what was not on
// the screen is answered with what is missing; a second yes is meant.
func (p Changes) answer(k Press) (Pane, Intent) {
	a := status.Action{Verb: status.Allow, Target: p.selection.id, Answer: &status.Answer{Scope: status.Once, Shown: true}}
	switch {
	case key.Matches(k, p.keys.Refuse):
		p.refusing, p.reason = p.selection.id, widget.TextInput{}
		return p, nil
	case key.Matches(k, p.keys.AllowAlways):
		a.Answer.Scope = status.Always
	}
	w, h := p.detailSize(k.W, k.H)
	waiting, _ := p.selectedApproval()
	edit, why := p.reader.userEdit(waiting)
	if why = cannotAllowEditReason(p, k, edit, why); why != "" {
		return p, ShowMessage{why}
	}
	a.Answer.Edit = edit
	missing := p.reader.unseenRowsNote(p.selection.id, w, p.topRow(w, h))
	if missing != "" && !p.reader.isEdited(waiting.ID) && !waiting.Shown && p.reader.warned != p.selection.id {
		p.reader.warned = p.selection.id
		again := "allows it unseen"
		if key.Matches(k, p.keys.AllowScope) {
			again = "chooses for how long, without showing the change"
		}
		return p, ShowMessage{fmt.Sprintf("%s, %s again %s.", missing, k.String(), again)}
	}
	if key.Matches(k, p.keys.AllowScope) {
		p.chooser = newApprovalScopeChooser(waiting)
		return p, nil
	}
	p.reader.given = p.selection.id
	return p, IntentFor(a)
}

// handleReasonKey types the reason of a refusal. The line stays when the approval is
// over meanwhile: what is typed must not become keys that answer another.
func (p Changes) handleReasonKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Back):
		p.refusing = ""
	case key.Matches(k, p.keys.Enter):
		id := p.refusing
		p.refusing, p.reader.given = "", id
		if p.approvalIndex(id) < 0 {
			return p, ShowMessage{"This call is no longer pending."}
		}
		return p, IntentFor(status.Action{Verb: status.Refuse, Target: id, Answer: &status.Answer{Reason: p.reason.Value()}})
	default:
		p.reason, _ = p.reason.HandleKey(k.KeyPressMsg)
	}
	return p, nil
}

func intentToUndo(p Changes, k Press) Intent {
	c, _ := p.cache.get(p.selection.id)
	filter := &status.Filter{IDs: []string{c.ID}}
	if i := p.cache.rowIndex(c.ID); i >= 0 && !p.cache.unfolded[foldGroupID(c)] {
		filter.IDs = p.cache.rowAt(i).ids() // what the row stands for
	}
	switch {
	case key.Matches(k, p.keys.UndoSession):
		filter = &status.Filter{Session: c.Session}
	case key.Matches(k, p.keys.UndoSince):
		filter = &status.Filter{Client: c.Client, Since: c.Time}
	}
	return IntentFor(status.Action{Verb: status.UndoChanges, Filter: filter})
}

// detailText is what the selected would change, or changed.
func (p Changes) detailText() widget.TextView {
	if !p.selection.pending {
		return p.cache.diff(p.selection.id)
	}
	if e, shown := p.reader.shownEdit(p.selection.id); shown && e.known {
		return e.view
	} else if text, known := p.reader.texts[p.selection.id]; known && !shown {
		return text.view
	}
	return widget.NewTextView().AppendText(widget.DimLine, "Loading the preview …")
}

// Bindings implements [Pane].
func (p Changes) Bindings() []key.Binding {
	switch {
	case p.refusing != "":
		return []key.Binding{widget.WithHelp(p.keys.Enter, "deny"), widget.WithHelp(p.keys.Back, "cancel")}
	case p.cache.filter.Typing:
		return p.cache.filter.Bindings(p.keys.NavKeys)
	case p.day.open:
		return dayBindings(p)
	case p.itemCount() == 0:
		return []key.Binding{p.keys.Refresh, p.keys.Filter}
	}
	if _, open := chooserApproval(p); open {
		return chooserKeys(p)
	}
	turn := widget.WithHelp(p.keys.Enter, "read")
	if p.detail.Open {
		turn = widget.WithHelp(p.keys.Back, "back to the list")
	}
	if a, waits := p.selectedApproval(); waits {
		allow, edit := allowAndEditBindings(p, a)
		refuse := widget.WithHelp(p.keys.Refuse, "deny, why")
		if p.reader.isEdited(a.ID) { // there is less room
			refuse = p.keys.Refuse
		}
		keys, last := append([]key.Binding{allow, refuse}, edit...), []key.Binding{turn}
		if p.detail.Open {
			keys, last = append([]key.Binding{allow, refuse, turn}, edit...), nil
		}
		if p.reader.isEdited(a.ID) {
			return append(keys, last...)
		}
		keys = append(keys, otherListBindings(p)...)
		if p.reader.texts[a.ID].hidden != "" && !p.reader.wanted[a.ID] {
			keys = append(keys, widget.WithHelp(p.keys.Raw, "show all"))
		}
		if len(approvalScopes(a)) > 1 {
			keys = append(keys, p.keys.AllowScope)
		}
		if !a.OnlyOnce {
			keys = append(keys, p.keys.AllowAlways)
		}
		return append(keys, last...)
	}
	if p.selectedHasEnded() {
		return []key.Binding{widget.WithHelp(p.keys.Down, "select"), p.keys.Refresh}
	}
	return writtenChangeBindings(p, turn)
}

// historyIndex is where the key that changes between the pending approvals and the journal leads.
func historyIndex(p Changes) int {
	if p.selection.pending {
		return len(p.snap.Approvals)
	}
	return 0
}

// otherListBindings are the keys to what stands above or below: the next approval, and the other list.
func otherListBindings(p Changes) (keys []key.Binding) {
	waiting := len(p.snap.Approvals)
	switch {
	case !p.selection.pending && waiting > 0:
		return []key.Binding{widget.WithHelp(p.keys.History, "what waits")}
	case p.selection.pending && waiting > 1 && !p.detail.Open:
		keys = append(keys, widget.WithHelp(p.keys.Down, "next"))
	}
	if p.selection.pending && p.cache.rowCount() > 0 {
		keys = append(keys, p.keys.History)
	}
	return keys
}

// writtenChangeBindings are the keys about the selected Change, with the one that opens or closes it.
func writtenChangeBindings(p Changes, turn key.Binding) []key.Binding {
	keys := append(otherListBindings(p), p.keys.Undo, p.keys.UndoSession, turn)
	if c, ok := p.cache.get(p.selection.id); ok {
		keys = append(keys, undoSinceBinding(p.keys, c.Time, p.snap.Time, p.zone))
	}
	keys = append(keys, p.keys.DayChanges, p.keys.Filter)
	if i := p.cache.rowIndex(p.selection.id); i >= 0 && len(p.cache.rowAt(i).older) > 0 {
		keys = append(keys, widget.WithHelp(p.keys.Right, "list its changes"))
	}
	return append(keys, p.keys.Copy, p.keys.Refresh)
}

func (p Changes) rowTheme(t theme.Theme, c changeSelection) theme.Theme {
	if p.selection == c {
		return t.ForSelectedRow()
	}
	return t
}

// KeyDisabledReason implements [Pane].
func (p Changes) KeyDisabledReason(k tea.KeyPressMsg) string {
	if p.IsTyping() || p.day.open {
		return ""
	}
	a, waits := p.selectedApproval()
	text, read := p.reader.texts[p.selection.id]
	c, written := p.cache.get(p.selection.id)
	written = written && !p.selection.pending
	if _, open := chooserApproval(p); open {
		return chooserKeyDisabledReason(p.keys, k)
	}
	if why := editDisabledReason(p, k, a, waits); why != "" {
		return why
	}
	switch undoes := key.Matches(k, p.keys.Undo, p.keys.UndoSession, p.keys.UndoSince); {
	case key.Matches(k, p.keys.Enter):
		return reasonUnless(p.itemCount() > 0, "There are no changes.")
	case key.Matches(k, p.keys.Copy):
		return reasonUnless(p.itemCount() > 0, "There is nothing to copy.")
	case key.Matches(k, p.keys.Refresh, p.keys.DayChanges):
		return reasonUnless(IsHubRunning(p.snap), hubNotRunning)
	case key.Matches(k, p.keys.Allow, p.keys.AllowScope, p.keys.AllowAlways, p.keys.Refuse) && !waits:
		return "Select a pending approval first."
	case key.Matches(k, p.keys.Allow, p.keys.AllowScope, p.keys.AllowAlways) && (!read || text.failed):
		return "Wait until the change is on the screen."
	case key.Matches(k, p.keys.AllowScope):
		return reasonUnless(len(approvalScopes(a)) > 1, onlyOnceReason(a))
	case key.Matches(k, p.keys.AllowAlways):
		return onlyOnceReason(a)
	case key.Matches(k, p.keys.Raw) && waits && p.reader.isEdited(a.ID):
		return ""
	case key.Matches(k, p.keys.Raw):
		return reasonUnless(waits && text.hidden != "", "There is nothing more to show.")
	case key.Matches(k, p.keys.Left, p.keys.Right) && !p.selection.pending:
		_, folds := p.cache.foldOrUnfold(p.selection.id, key.Matches(k, p.keys.Left))
		return reasonUnless(folds, "There is nothing to fold here.")
	case undoes && !written:
		return "Select a change first."
	case undoes && !IsHubRunning(p.snap):
		return hubNotRunning
	case key.Matches(k, p.keys.UndoSince) && c.Client == "":
		return "The agent of this change has no name."
	case key.Matches(k, p.keys.Undo) && c.Outcome == status.Undone:
		return "This change is already undone."
	case key.Matches(k, p.keys.Undo) && c.CannotUndo != "":
		return "Cannot undo: " + c.CannotUndo
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Changes) SelectRow(i int) (Pane, bool) {
	again := p.selectedIndex() == i
	return p.selectAt(i), again
}

// Scroll implements [Scroller].
func (p Changes) Scroll(n int, k Press) Pane {
	if w, h := widget.InsideSize(k.W, k.H); p.day.open {
		p.day.top = widget.Detail{Top: p.day.top}.Scroll(n, p.day.text, w, h).Top
		return p
	}
	p = p.markRowsSeen(k)
	w, h := p.detailSize(k.W, k.H)
	p.detail.Top = p.topRow(w, h)
	p.detail = p.detail.Scroll(n, p.detailText(), w, h)
	return p
}

// AppendPlanText returns text with what plan would change: its risks first.
func AppendPlanText(text widget.TextView, plan status.Plan) widget.TextView {
	for _, risk := range plan.Risks {
		text = text.AppendText(widget.RiskLine, risk)
	}
	for _, s := range plan.Steps {
		text = text.AppendText(widget.TitleLine, s.Description)
		if s.Diff != "" {
			text = text.AppendText(widget.DiffLine, s.Diff)
		}
	}
	return text
}
