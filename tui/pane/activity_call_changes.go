package pane

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A recordedChange is a Change of the journal with its diff as text.
type recordedChange struct {
	parts  []widget.TextBlock
	text   widget.TextView // of parts
	undone bool
}

// maxShownCallChanges is how many Changes of a call are shown with their diffs.
const maxShownCallChanges = 10

// nextDiffQuery asks for the next Change of the selected call, and then of the calls beside it,
// so that a key shows them at once; nil: all are known.
func nextDiffQuery(p Activity) Query {
	if c, ok := p.selectedEndedCall(); ok {
		if id := firstUnknownChange(p, c.Changes, maxShownCallChanges); id != "" {
			return DiffQuery{Change: id}
		}
	}
	order := p.ring.orderedCallNumbers(p.errors)
	for at, i := p.selectedEndedIndex(), 0; i < 4; i++ {
		row := at + []int{1, -1, 2, -2}[i]
		if row < 0 || row >= len(order) {
			continue
		}
		if id := firstUnknownChange(p, p.ring.call(order[row]).Changes, maxReadAheadChanges); id != "" {
			return DiffQuery{Change: id, Prefetch: true}
		}
	}
	return nil
}

// maxReadAheadChanges is how many Changes of a call are read before it is selected.
const maxReadAheadChanges = 2

// firstUnknownChange is the first of ids whose diff is not known, of the first most; empty: none.
func firstUnknownChange(p Activity, ids []string, most int) string {
	for _, id := range ids[:min(len(ids), most)] {
		if _, known := p.changes.get(id); !known {
			return id
		}
	}
	return ""
}

// cacheChangeDiff returns p with a Change of a call. It forgets others when there are many.
func cacheChangeDiff(p Activity, id string, r Result) Activity {
	one, movedAway := recordedChange{}, false
	add := func(kind widget.LineKind, text string) {
		one.parts = append(one.parts, widget.TextBlock{Kind: kind, Text: text})
	}
	if i := slices.IndexFunc(r.Changes.Changes, func(c status.Change) bool { return c.ID == id }); i >= 0 {
		c := r.Changes.Changes[i]
		title := fmt.Sprintf("%s, %s → %s, change %s", c.Summary(), widget.FormatBytes(c.Before), widget.FormatBytes(c.After), c.ID)
		if c.MovedFrom+c.MovedTo != "" {
			title = c.Summary() + ", change " + c.ID
		}
		add(widget.TitleLine, title)
		add(widget.DimLine, changeStateText(c))
		movedAway, one.undone = c.MovedTo != "", c.Outcome == status.Undone
	}
	switch diff := r.Changes.Diffs[id]; {
	case movedAway:
		add(widget.DimLine, "The change that created it there has the diff.")
	case r.Err != nil:
		add(widget.RiskLine, "Cannot load the diff: "+r.Err.Error())
	case diff == "":
		add(widget.DimLine, "There is no diff for this change.")
	default:
		const most = 256 << 10 // bytes
		if add(widget.DiffLine, theme.TruncateBytes(diff, most)); len(diff) > most {
			add(widget.RiskLine, "… the rest is too long to show here")
		}
	}
	one.text = widget.NewTextView().AppendBlocks(one.parts...)
	p.changes = p.changes.put(id, one, 4*maxCachedDiffs)
	return p
}

// forgetChanges has the Changes read again, because what became of them may have
// changed.
func forgetChanges(p Activity, calls []status.Call) Activity {
	if slices.ContainsFunc(calls, func(c status.Call) bool { return c.Event == string(status.UndoChanges) || len(c.Changes) > 0 }) {
		p.changes = recentValues[recordedChange]{}
	}
	return p
}

// callDiffsText are the Changes of a call as text: for each what it did and whether it
// stands, and its diff.
func callDiffsText(p Activity, c status.Call) widget.TextView {
	if one, known := p.changes.get(c.Changes[0]); known && len(c.Changes) == 1 {
		return one.text
	}
	var parts []widget.TextBlock
	for _, id := range c.Changes[:min(len(c.Changes), maxShownCallChanges)] {
		one, known := p.changes.get(id)
		if !known {
			one.parts = []widget.TextBlock{{Kind: widget.DimLine, Text: "Loading the diff …"}}
		}
		parts = append(parts, one.parts...)
	}
	if more := len(c.Changes) - maxShownCallChanges; more > 0 {
		parts = append(parts, widget.TextBlock{Kind: widget.DimLine, Text: widget.CountWithNoun(more, "change") + " more; Changes has them."})
	}
	return widget.NewTextView().AppendBlocks(parts...)
}

// changeStateText says whether a Change stands.
func changeStateText(c status.Change) string {
	switch {
	case c.Undoes != "":
		return "It undid change " + c.Undoes + "."
	case c.Outcome == status.Undone:
		return "It has been undone."
	case c.Outcome == status.OutcomeUnknown:
		return "It is not known whether it was written."
	case c.CannotUndo != "":
		return "It has not been undone, and cannot be: " + c.CannotUndo
	default:
		return "It has not been undone. u undoes it."
	}
}

// callChangesSection is what the selected call changed.
func callChangesSection(p Activity, t theme.Theme, c status.Call) widget.Section {
	text := callDiffsText(p, c)
	return widget.Section{
		Title: "Changed", Note: widget.CountWithNoun(len(c.Changes), "target"), Min: 3, Preferred: 1 << 20,
		Rows: func(w, h int) []string {
			detail := widget.Detail{Top: max(0, min(p.diffTop, text.Height(w)-h))}
			return widget.MarkScrollRegions(t, detail.Draw(t, text, w, h), w)
		},
	}
}

// isCallUndone reports whether all that a call changed is known to be undone.
func isCallUndone(p Activity, c status.Call) bool {
	return !slices.ContainsFunc(c.Changes, func(id string) bool {
		one, known := p.changes.get(id)
		return !known || !one.undone
	})
}

// rowKeyIntent is what a key does to the selected call and its agent; nil: nothing.
func rowKeyIntent(p Activity, k tea.KeyPressMsg) Intent {
	c, ok := p.selectedEndedCall()
	r, underWay := p.selectedRunning()
	if underWay {
		c, ok = status.Call{Client: r.Client, Session: r.Session, Time: r.Began}, true
	}
	switch {
	case !ok:
		return nil
	case key.Matches(k, p.keys.Undo):
		return IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{IDs: c.Changes}})
	case key.Matches(k, p.keys.UndoSession):
		return IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: c.Session}})
	case key.Matches(k, p.keys.UndoSince):
		return IntentFor(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Client: c.Client, Since: c.Time}})
	}
	return agentKeyIntent(p.keys, k, p.snap, c.Client)
}

// rowDisabledReason is why such a key can do nothing; empty: it can, or it is
// another key.
func rowDisabledReason(p Activity, k tea.KeyPressMsg) string {
	c, any := p.selectedEndedCall()
	if r, underWay := p.selectedRunning(); underWay {
		c.Client, c.Session, any = r.Client, r.Session, true
	}
	undoes := key.Matches(k, p.keys.Undo, p.keys.UndoSession, p.keys.UndoSince)
	switch acts := key.Matches(k, p.keys.PauseClient, p.keys.ReadOnly, p.keys.Revoke); {
	case key.Matches(k, p.keys.NewerDay) && p.selectedEndedIndex() == 0:
		return "This is the newest row."
	case key.Matches(k, p.keys.OlderDay) && p.selectedEndedIndex() >= len(p.ring.passing.all())-1:
		return "This is the oldest row that is read so far."
	case !undoes && !acts:
		return ""
	case !IsHubRunning(p.snap):
		return hubNotRunning
	case !any:
		return "There are no calls yet."
	case key.Matches(k, p.keys.Undo) && len(c.Changes) == 0:
		return "This row changed nothing that can be undone."
	case key.Matches(k, p.keys.Undo) && isCallUndone(p, c):
		return "What this call changed is already undone."
	case key.Matches(k, p.keys.UndoSession) && c.Session == "":
		return "This row does not name a session."
	case c.Client == "":
		return "This row does not name an agent."
	case key.Matches(k, p.keys.PauseClient) && !p.snap.Hub.WritesPaused.IsZero():
		return "The writes of all agents are paused. Press H to end that."
	default:
		return ""
	}
}
