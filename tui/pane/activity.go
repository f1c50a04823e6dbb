package pane

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Activity shows each call of a tool as it ends, the newest first, and before
// those the calls that are recorded, as far back as a person goes. It keeps
// 10,000 and draws only the visible rows. Drawing is in activity_draw.go.
type Activity struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	ring         *callLog           // shared with copies of this value
	follow       bool               // the newest is selected, whatever comes
	selectedCall uint64             // the number of the selected call, unless it follows
	chosen       status.RunningCall // the call that was selected while it was under way; no Name: none
	errors       bool               // those that failed stand first
	totals       bool
	detailOpen   bool // the selected call has the whole pane

	changes recentValues[recordedChange] // what calls changed
	diffTop int                          // the first visible row of what the selected call changed
	looked  time.Time                    // when the person last looked; zero: never
	now     time.Time                    // zero: as of the snapshot

	filter    widget.FilterInput
	source    string // the only one whose calls are shown; empty: all
	badFilter error  // why the filter selects nothing
	// unknownFilter says that a word of the filter looks like a condition and is none;
	// empty: no word does.
	unknownFilter string
}

// NewActivity returns an Activity that shows times of zone.
func NewActivity(k Keys, zone *time.Location) Pane {
	return Activity{keys: k, zone: zone, ring: newCallLog(), follow: true}
}

// activityHelp lists the keys of [Activity].
func activityHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Filter, "filter by word, client:, target:, is:refused, on:2026-11-21 …"), help(k.Back, "clear the filter"),
		help(k.Follow, "follow or pause"),
		help(k.Enter, "show the call's details"), help(k.Errors, "failed calls first"), help(k.Totals, "totals by tool and client"),
		help(k.NextComponent, "next source only"), help(k.Remove, "cancel the selected call if it is under way"), help(k.Copy, "copy the call"),
		help(k.Export, "export the filtered calls to a file"),
		help(k.Undo, "undo what the call changed"), help(k.UndoSession, "undo all changes of its session"),
		help(k.UndoSince, "undo its agent's changes from here on"),
		help(k.PauseClient, pauseKeyHelp), help(k.ReadOnly, readOnlyKeyHelp),
		help(k.Revoke, blockKeyHelp), help(k.OlderDay, "to the day before"), help(k.NewerDay, "to the day after"),
		help(k.MarkSeen, "mark all as seen"),
	}}}
}

// SetSnapshot implements [Pane].
func (p Activity) SetSnapshot(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// ObserveCalls implements [CallObserver].
func (p Activity) ObserveCalls(calls []status.Call) Pane {
	for _, c := range calls {
		p.ring.add(c)
	}
	return forgetChanges(p, calls)
}

// ShowItem implements [ItemPane]: it shows only the calls of a source, or of a client,
// "client:codex".
func (p Activity) ShowItem(name string) Pane {
	p.source, p.filter = name, widget.FilterInput{}
	if words := strings.Fields(name); strings.HasPrefix(name, "client:") {
		p.source, p.filter = "", widget.NewFilterInput(words[0])
	}
	return p.applyFilter()
}

// SetLastLook implements [LastLookObserver].
func (p Activity) SetLastLook(at time.Time) Pane {
	p.looked = at
	return p
}

// SetTime implements [TimeObserver].
func (p Activity) SetTime(now time.Time) Pane {
	p.now = now
	return p
}

// IsTyping implements [TypingPane].
func (p Activity) IsTyping() bool { return p.filter.Typing }

// Paste implements [TypingPane].
func (p Activity) Paste(text string) Pane {
	if p.filter.Typing {
		p.filter = p.filter.Paste(text)
		return p.applyFilter()
	}
	return p
}

func (p Activity) applyFilter() Activity {
	var search status.CallSearch
	p.unknownFilter = status.UnknownFilterNote(p.filter.Value())
	if search, p.badFilter = status.ParseCallSearch(p.filter.Value(), p.zone); p.badFilter == nil {
		search.Source = p.source
		p.ring.setSearch(search)
	}
	return p
}

// WantedQuery implements [Querier].
func (p Activity) WantedQuery() Query {
	if q := p.ring.nextRecordedQuery(p.selectedEndedIndex()); q != nil {
		return q
	}
	return nextDiffQuery(p)
}

// TakeResult implements [Querier].
func (p Activity) TakeResult(r Result) Pane {
	if q, ok := r.Query.(DiffQuery); ok {
		return cacheChangeDiff(p, q.Change, r)
	}
	if p.ring.more && r.Query == p.ring.olderQuery() {
		p.ring.addRecorded(r.Calls, r.Err)
	}
	return p
}

// selectedEndedIndex is where the selected call stands, or the next older one if it is
// gone or filtered away.
func (p Activity) selectedEndedIndex() int {
	if p.follow {
		return 0
	}
	order := p.ring.orderedCallNumbers(p.errors)
	if i := slices.Index(order, p.selectedCall); i >= 0 {
		return i
	}
	older := slices.IndexFunc(order, func(n uint64) bool { return n < p.selectedCall })
	if older < 0 {
		older = len(order)
	}
	return widget.Clamp(older, len(order))
}

// selectEndedCallAt selects what stands at i; the top means to follow.
func (p Activity) selectEndedCallAt(i int) Activity {
	order := p.ring.orderedCallNumbers(p.errors)
	i = widget.Clamp(i, len(order))
	p.follow = i == 0 && !p.errors || len(order) == 0
	if len(order) > 0 {
		p.selectedCall = order[i]
	}
	return p
}

// HandleKey implements [Pane].
func (p Activity) HandleKey(k Press) (Pane, Intent) {
	if p.filter.Typing {
		p.filter = p.filter.HandleKey(k.KeyPressMsg, p.keys.NavKeys)
		return p.applyFilter(), nil
	}
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if moved, ok := p.handleMoveKey(k); ok {
		return moved, nil
	}
	if want := rowKeyIntent(p, k.KeyPressMsg); want != nil {
		return p, want
	}
	switch {
	case key.Matches(k, p.keys.MarkSeen):
		return p, MarkSeen{}
	case key.Matches(k, p.keys.Filter):
		p.filter = p.filter.StartTyping()
	case key.Matches(k, p.keys.Back) && p.detailOpen:
		p.detailOpen = false
	case key.Matches(k, p.keys.Back) && p.filter.Value() != "":
		p.filter = widget.FilterInput{}
		p = p.applyFilter()
	case key.Matches(k, p.keys.Enter):
		p.detailOpen = !p.detailOpen
		p = p.pauseFollowing()
	case key.Matches(k, p.keys.Errors):
		p.errors = !p.errors
		p = p.selectEndedCallAt(0)
	case key.Matches(k, p.keys.Totals):
		p.totals = !p.totals
	case key.Matches(k, p.keys.NextComponent):
		p.source = p.nextSourceName()
		p = p.applyFilter()
	case key.Matches(k, p.keys.Remove):
		r, _ := p.selectedRunning()
		return p, IntentFor(status.Action{Verb: status.CancelCall, Target: r.Name})
	case key.Matches(k, p.keys.Copy):
		c, _ := p.selectedEndedCall()
		return p, CopyText{What: "the call", Text: p.formatCall(c)}
	case key.Matches(k, p.keys.Export):
		return p, p.intentToExportCalls()
	default:
		return p, Unhandled{}
	}
	return p, nil
}

// pauseFollowing stops following, with the same call selected.
func (p Activity) pauseFollowing() Activity {
	if order := p.ring.orderedCallNumbers(p.errors); p.follow && len(order) > 0 {
		p.selectedCall, p.follow = order[0], false
	}
	return p
}

func (p Activity) handleMoveKey(k Press) (Activity, bool) {
	if key.Matches(k, p.keys.Follow) {
		if p.follow {
			return p.pauseFollowing(), true
		}
		p.follow, p.errors, p.chosen = true, false, status.RunningCall{}
		return p, true
	}
	if moved, ok := moveByDay(p, k); ok {
		return moved, true
	}
	if c, _ := p.selectedEndedCall(); p.detailOpen && len(c.Changes) > 0 && key.Matches(k, p.keys.PageUp, p.keys.PageDown) {
		step := max(1, k.H/3)
		if key.Matches(k, p.keys.PageUp) {
			step = -step
		}
		p.diffTop = max(0, min(p.diffTop+step, callDiffsText(p, c).Height(k.W)-3))
		return p, true
	}
	p.diffTop = 0
	underWay := p.runningCalls()
	if i, ok := p.keys.RowAfterKey(k.KeyPressMsg, p.selectedRowIndex(underWay), len(underWay)+len(p.ring.passing.all()), k.H-4); ok {
		return p.selectRowAt(i), true
	}
	return p, false
}

// nextSourceName is the source after the one that is shown; after the last, all.
func (p Activity) nextSourceName() string {
	return nextInCycle(p.source, append([]string{""}, p.ring.sources...))
}

func (p Activity) intentToExportCalls() Intent {
	order := p.ring.orderedCallNumbers(p.errors)
	var b strings.Builder
	for _, n := range order {
		b.WriteString(p.formatCall(*p.ring.call(n)))
		b.WriteByte('\n')
	}
	return SaveFile{What: widget.CountWithNoun(len(order), "call"), Name: "lectern-calls.log", Text: b.String()}
}

// formatCall is c as it is copied and saved.
func (p Activity) formatCall(c status.Call) string {
	if c.Event != "" {
		return theme.Sanitize(fmt.Sprintf("%s %s %s %s", c.Time.In(p.zone).Format(time.RFC3339), c.Client, c.Event, describeEvent(&c)))
	}
	result := "ok"
	if c.Code != "" {
		result = c.Code
	}
	return theme.Sanitize(fmt.Sprintf("%s %s %s %s %s %s %s targets=%s asked=%d answered=%d waited=%s changes=%s",
		c.Time.In(p.zone).Format(time.RFC3339), c.Client, c.Source,
		c.Tool, c.Effect, c.Worked(), result, strings.Join(c.Targets, ","), c.RequestBytes, c.ResponseBytes, c.Waited,
		strings.Join(c.Changes, ",")))
}

// Bindings implements [Pane].
func (p Activity) Bindings() []key.Binding {
	if p.filter.Typing {
		return p.filter.Bindings(p.keys.NavKeys)
	}
	follow, look := widget.WithHelp(p.keys.Follow, "follow"), widget.WithHelp(p.keys.Enter, "details")
	if p.follow {
		follow = widget.WithHelp(p.keys.Follow, "pause")
	}
	if p.detailOpen {
		look = widget.WithHelp(p.keys.Back, "back to the list")
	}
	if _, ok := p.selectedRunning(); ok {
		return []key.Binding{widget.WithHelp(p.keys.Remove, "cancel the call"), look, follow, p.keys.Filter}
	}
	agent := callAgentBindings(p)
	if c, _ := p.selectedEndedCall(); len(c.Changes) > 0 {
		return append(append([]key.Binding{look, p.keys.Undo}, agent...), follow, p.keys.Filter, p.keys.Copy)
	}
	keys := append(append([]key.Binding{p.keys.Filter, follow, look}, agent...), p.keys.Errors, p.keys.Totals,
		widget.WithHelp(p.keys.NextComponent, "source"), p.keys.Copy, p.keys.Export)
	if p.filter.Value() != "" && !p.detailOpen {
		keys = append([]key.Binding{widget.WithHelp(p.keys.Back, "clear the filter")}, keys...)
	}
	return keys
}

// callAgentBindings are the keys about the agent of the selected call, and since when they act.
func callAgentBindings(p Activity) []key.Binding {
	c, ok := p.selectedEndedCall()
	if !ok || c.Client == "" {
		return nil
	}
	name := truncatedClientName(c.Client)
	pause := widget.WithHelp(p.keys.PauseClient, "pause "+name)
	if !pauseStartTime(p.snap, c.Client).IsZero() {
		pause = widget.WithHelp(p.keys.PauseClient, "let "+name+" write")
	}
	return []key.Binding{pause, undoSinceBinding(p.keys, c.Time, p.snap.Time, p.zone)}
}

// undoSinceBinding is the key that undoes what an agent changed since then.
func undoSinceBinding(k Keys, since, now time.Time, zone *time.Location) key.Binding {
	return widget.WithHelp(k.UndoSince, "undo since "+widget.FormatClockTime(since, now, zone))
}

// KeyDisabledReason implements [Pane].
func (p Activity) KeyDisabledReason(k tea.KeyPressMsg) string {
	_, any := p.selectedEndedCall()
	_, underWay := p.selectedRunning()
	if why := rowDisabledReason(p, k); why != "" && !p.filter.Typing {
		return why
	}
	switch {
	case p.filter.Typing:
		return ""
	case key.Matches(k, p.keys.Remove):
		return reasonUnless(underWay, "This call has ended.")
	case key.Matches(k, p.keys.Enter):
		return reasonUnless(any || underWay, "There are no calls yet.")
	case key.Matches(k, p.keys.Copy) && underWay:
		return "This call has not ended."
	case key.Matches(k, p.keys.Copy):
		return reasonUnless(any, "There are no calls to copy.")
	case key.Matches(k, p.keys.Follow) && p.follow:
		return reasonUnless(any, "There are no calls to pause at.")
	case key.Matches(k, p.keys.Export):
		return reasonUnless(any, "There are no calls to export.")
	case key.Matches(k, p.keys.NextComponent):
		return reasonUnless(p.nextSourceName() != p.source, "No source has been called yet.")
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Activity) SelectRow(i int) (Pane, bool) {
	again := p.selectedRowIndex(p.runningCalls()) == i
	return p.selectRowAt(i), again
}

// savedActivityState is what [Activity] keeps from one panel to the next.
type savedActivityState struct {
	Source string `json:"source,omitempty"`
	Filter string `json:"filter,omitempty"`
	Errors bool   `json:"errors,omitempty"`
	Totals bool   `json:"totals,omitempty"`
}

// StateToSave implements [StateSaver].
func (p Activity) StateToSave() any {
	return savedActivityState{p.source, p.filter.Value(), p.errors, p.totals}
}

// RestoreState implements [StateSaver].
func (p Activity) RestoreState(b json.RawMessage) Pane {
	var m savedActivityState
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.errors, p.totals, p.filter, p.source = m.Errors, m.Totals, widget.NewFilterInput(m.Filter), m.Source
	return p.applyFilter()
}
