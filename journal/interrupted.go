package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/internal/order"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A interruptedTargetStage is how far an interrupted call came with one target.
type interruptedTargetStage int

const (
	stageBefore interruptedTargetStage = iota // it holds what it held before the call
	stageMoved                                // it holds what another target of the call held: the file was moved, and not rewritten yet
	stageAfter                                // it holds what the call wrote
	stageEdited                               // it holds something else
)

// An interruptedTarget is a Change of an interrupted call, with what its target
// holds now.
type interruptedTarget struct {
	changeRow

	now        tools.State
	stage      interruptedTargetStage
	superseded bool // a later call has written it
}

// reconcileCalls finds out what became of the Changes of interrupted calls of a
// source, newest call first, because older ones lie below them.
func (j *Journal) reconcileCalls(ctx context.Context, source string, k tools.Restorer, outlives bool, found *Reconciliation) error {
	rows, err := j.pendingChangeRows(source)
	if err != nil {
		return err
	}
	order.SortStable(rows, func(a, b changeRow) int { return cmp.Compare(b.call, a.call) })
	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(v changeRow) bool { return v.call != rows[0].call })
		if end < 0 {
			end = len(rows)
		}
		if err := j.reconcileCall(ctx, k, rows[:end], outlives, found); err != nil {
			return err
		}
		rows = rows[end:]
	}
	return nil
}

// reconcileCall settles one call: what stopped half-way is taken back. Until that is
// on disk its Changes stay pending, so that a crash on the way is followed by
// another attempt.
func (j *Journal) reconcileCall(ctx context.Context, k tools.Restorer, rows []changeRow, outlives bool, found *Reconciliation) error {
	targets, err := j.inspectTargets(ctx, k, rows)
	if err != nil {
		return err
	}
	undoes := slices.ContainsFunc(rows, func(v changeRow) bool { return v.undoes != 0 })
	var marks []outcomeUpdate
	n := newNotice(rows)
	if isCallHalfWritten(targets) && !outlives && k != nil {
		back, kept := selectTakeBackTargets(targets, func(c tools.Change) bool { return checkUndo(k, c) != nil })
		err := k.Restore(ctx, tools.CallContext{}, inverseChanges(back))
		if isRetryable(err) {
			return err
		}
		if err != nil {
			found.Conflicted = append(found.Conflicted, fmt.Sprintf("%s: %v", rows[0].Target, err)) // the next start tries again
			return nil
		}
		for _, t := range targets {
			marks = append(marks, t.outcomeAfterTakeBack(slices.ContainsFunc(back, t.isSameChange), undoes))
		}
		n.TakenBack, n.Kept = targetNames(back), targetNames(kept)
		found.TakenBack++
	} else {
		j.finishFolderRemoval(ctx, k, targets)
		for _, t := range targets {
			m := t.finalOutcome()
			marks = append(marks, m)
			found.countOutcome(m)
			if t.stage == stageEdited {
				n.Kept = append(n.Kept, t.Target)
			}
		}
	}
	if undoes || len(n.TakenBack)+len(n.Kept) == 0 {
		n = nil // an interrupted undo is resumed, which says what is in its way
	}
	return j.saveCallOutcomes(marks, n)
}

// saveCallOutcomes puts the outcomes of a call on disk, with what people have to be told;
// nil: nothing.
func (j *Journal) saveCallOutcomes(marks []outcomeUpdate, n *Notice) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queueOutcomes(marks...)
	return j.transact(func(tx *sql.Tx) error { return insertNotice(j.database, tx, n) })
}

// inspectTargets looks at what the targets of a call hold. An error means that the
// source cannot tell now.
func (j *Journal) inspectTargets(ctx context.Context, k tools.Restorer, rows []changeRow) ([]interruptedTarget, error) {
	targets := make([]interruptedTarget, len(rows))
	for i, v := range rows {
		t := interruptedTarget{changeRow: v, stage: stageEdited}
		var err error
		if t.now, t.superseded, err = j.stateBeforeNextChange(v); err != nil {
			return nil, err
		}
		if !t.superseded && k != nil {
			t.now, err = k.State(ctx, v.Target)
		}
		switch {
		case isRetryable(err):
			return nil, err
		case err != nil || !t.superseded && k == nil: // such as a link or a huge file in its place
		case sameState(v.Target, t.now, v.Before):
			t.stage = stageBefore
		case v.AfterUnknown || sameState(v.Target, t.now, v.After):
			t.stage = stageAfter
		case !v.Before.Exists && holdsMovedContent(t.now, v, rows):
			t.stage = stageMoved
		}
		targets[i] = t
	}
	return targets, nil
}

// holdsMovedContent reports whether now is what another target of v's call held before
// the call.
func holdsMovedContent(now tools.State, v changeRow, call []changeRow) bool {
	return now.Exists && slices.ContainsFunc(call, func(o changeRow) bool {
		return o.Target != v.Target && o.Before.Exists && !isContainer(o.Target) && sameState(o.Target, now, o.Before)
	})
}

// isCallHalfWritten reports whether a part of a call was written and another not.
// Of containers only a new one tells something: one that must stay is as it was
// after a complete call. Nothing is known of a call whose result only another
// application knows.
func isCallHalfWritten(targets []interruptedTarget) bool {
	some, all := false, true
	for _, t := range targets {
		if t.AfterUnknown {
			return false
		}
		if isContainer(t.Target) {
			some = some || t.stage == stageAfter && !t.Before.Exists
			continue
		}
		some = some || t.stage == stageAfter || t.stage == stageMoved
		all = all && t.stage != stageBefore && t.stage != stageMoved
	}
	return some && !all
}

// selectTakeBackTargets returns the targets of a half call that go back to what they held,
// and those that are left because somebody has edited them. Those that the System refuses
// to take back are in neither. Where the place that a
// file came from was edited, nothing that the call created is deleted: it may be all
// that is left of the file.
func selectTakeBackTargets(targets []interruptedTarget, refused func(tools.Change) bool) (back, kept []interruptedTarget) {
	sourceEdited := false
	for _, t := range targets {
		sourceEdited = sourceEdited || t.stage == stageEdited && t.Before.Exists && !t.After.Exists
	}
	for _, t := range targets {
		switch {
		case t.stage == stageEdited, t.stage != stageBefore && sourceEdited && !t.Before.Exists:
			kept = append(kept, t)
		case t.stage != stageBefore && !t.superseded && !refused(t.inverseChange()):
			back = append(back, t)
		}
	}
	return back, kept
}

func inverseChanges(targets []interruptedTarget) []tools.Change {
	changes := make([]tools.Change, len(targets))
	for i, t := range targets {
		changes[i] = t.inverseChange()
	}
	return changes
}

func (t *interruptedTarget) inverseChange() tools.Change {
	return tools.Change{Target: t.Target, Before: t.now, After: t.Before}
}

func (t *interruptedTarget) isSameChange(o interruptedTarget) bool { return o.seq == t.seq }

// outcomeAfterTakeBack is for a target of a call that was taken back. Of an undo
// that was, nothing is left: it is done again.
func (t *interruptedTarget) outcomeAfterTakeBack(takenBack, undoes bool) outcomeUpdate {
	switch {
	case undoes:
		return outcomeUpdate{seq: t.seq, dropped: true}
	case takenBack:
		return t.newOutcomeUpdate(status.Undone)
	case t.stage == stageMoved:
		return outcomeUpdate{seq: t.seq, outcome: status.Written, after: &t.now}
	}
	return t.finalOutcome()
}

func (t *interruptedTarget) finalOutcome() outcomeUpdate {
	if t.stage == stageEdited {
		return t.newOutcomeUpdate(status.OutcomeUnknown)
	}
	return t.inferOutcome(t.now)
}

// finishFolderRemoval completes a call that was cut short when only folders were left to
// remove. It looks at them again afterwards.
func (j *Journal) finishFolderRemoval(ctx context.Context, k tools.Restorer, targets []interruptedTarget) {
	var left []tools.Change
	for _, t := range targets {
		if isContainer(t.Target) && t.stage == stageBefore && !t.After.Exists && !t.superseded {
			left = append(left, t.Change)
		} else if !isContainer(t.Target) && t.stage != stageAfter {
			return
		}
	}
	if len(left) == 0 || len(left) == len(targets) {
		return
	}
	if err := k.Restore(ctx, tools.CallContext{}, left); err != nil {
		j.opts.Log.Warn("could not remove empty folders of an interrupted call", "component", "journal", "err", err)
	}
	for i := range targets {
		t := &targets[i]
		if now, err := k.State(ctx, t.Target); err == nil && isContainer(t.Target) && !t.superseded {
			t.now = now
		}
	}
}

func targetNames(targets []interruptedTarget) []string {
	var names []string
	for _, t := range slices.Backward(targets) { // as the call reported them
		names = append(names, t.Target)
	}
	return names
}

// dropEdited leaves out of s the targets of conflict, and what selectTakeBackTargets
// spares. It returns their names.
func (s *undoStep) dropEdited(conflict *ConflictError) (kept []string) {
	sourceEdited := false
	for _, v := range s.rows {
		sourceEdited = sourceEdited || slices.Contains(conflict.targets, v.Target) && v.Before.Exists && !v.After.Exists
	}
	s.rows = slices.DeleteFunc(s.rows, func(v changeRow) bool {
		edited := slices.Contains(conflict.targets, v.Target) || sourceEdited && !v.Before.Exists && !isContainer(v.Target)
		if edited && !slices.Contains(kept, v.Target) {
			kept = append(kept, v.Target)
		}
		return edited
	})
	return kept
}

// planTakeBack is planChanges of a step that takes back a group: what
// somebody has edited since is left, and its names are returned.
func (s *undoStep) planTakeBack(ctx context.Context, k tools.Restorer) (kept []string, err error) {
	for {
		err := s.planChanges(ctx, k, false, newPrecedingUndos())
		conflict, ok := errors.AsType[*ConflictError](err)
		if !ok {
			return kept, err
		}
		kept = append(kept, s.dropEdited(conflict)...)
	}
}
