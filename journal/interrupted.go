package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

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
	// shared means that it holds what the call wrote, and that another writer may have made
	// it so: it counts as written and is not taken back.
	shared bool
}

// reconcileCalls finds out what became of the Changes of interrupted calls of a
// source, newest call first, because older ones lie below them.
func (j *Journal) reconcileCalls(ctx context.Context, source string, k tools.Restorer, outlives bool, found *Reconciliation) error {
	rows, err := j.pendingChangeRows(source)
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b changeRow) int { return cmp.Compare(b.call, a.call) })
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
	_, atOnce := k.(tools.RevisionRestorer) // no part of a call is written by itself
	undoes := slices.ContainsFunc(rows, func(v changeRow) bool { return v.undoes != 0 })
	var marks []outcomeUpdate
	n := newNotice(rows)
	if isCallHalfWritten(targets) && !outlives && !atOnce && k != nil {
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
		if len(back) > 0 {
			found.TakenBack++
		}
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
	return j.saveCallOutcomes(rows[0].call, marks, n)
}

// saveCallOutcomes puts the outcomes of a call on disk, with what people have to be told;
// nil: nothing.
func (j *Journal) saveCallOutcomes(call int64, marks []outcomeUpdate, n *Notice) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.leftInPart, call)
	j.queueOutcomes(marks...)
	return j.transact(func(tx *sql.Tx) error { return insertNotice(j.database, tx, n) })
}

// inspectTargets finds out how far a call came with its targets. An error means that the
// source cannot tell now.
func (j *Journal) inspectTargets(ctx context.Context, k tools.Restorer, rows []changeRow) ([]interruptedTarget, error) {
	j.mu.Lock()
	reported, isReported := j.leftInPart[rows[0].call]
	j.mu.Unlock()
	targets := make([]interruptedTarget, len(rows))
	for i, v := range rows {
		t := interruptedTarget{changeRow: v, stage: stageBefore}
		if !isReported || reported[v.Target] {
			if err := j.inspectTarget(ctx, &t, k, rows); err != nil {
				return nil, err
			}
		}
		targets[i] = t
	}
	return targets, nil
}

// inspectTarget finds out how far a call came with t: by the revision that it made, or
// where t has none by what it holds.
func (j *Journal) inspectTarget(ctx context.Context, t *interruptedTarget, k tools.Restorer, call []changeRow) error {
	revisions, keepsRevisions := k.(tools.RevisionRestorer)
	if keepsRevisions && t.After.Revision != "" {
		return t.findRevision(ctx, k, revisions)
	}
	var err error
	if k != nil {
		t.now, err = k.State(ctx, t.Target)
	}
	if k != nil && err == nil && !t.AfterUnknown && !isContainer(t.Target) && sameState(t.Target, t.now, t.After) {
		if t.shared, err = isWrittenByOthersToo(j.database, t.changeRow); err != nil || t.shared || keepsRevisions {
			t.stage, t.shared = stageAfter, true
			return err
		}
	}
	if before, known, readErr := j.stateBeforeNextChange(t.changeRow); readErr != nil {
		return readErr
	} else if known {
		t.now, t.superseded, err = before, true, nil
	}
	switch {
	case isRetryable(err):
		return err
	case err != nil || !t.superseded && k == nil: // such as a link or a huge file in its place
		t.stage = stageEdited
	case sameState(t.Target, t.now, t.Before):
		t.stage = stageBefore
	case t.AfterUnknown || sameState(t.Target, t.now, t.After):
		t.stage = stageAfter
	case !t.Before.Exists && holdsMovedContent(t.now, t.changeRow, call):
		t.stage = stageMoved
	default:
		t.stage = stageEdited
	}
	return nil
}

// findRevision is inspectTarget by the revision that the call was to make.
func (t *interruptedTarget) findRevision(ctx context.Context, k tools.Restorer, revisions tools.RevisionRestorer) error {
	made, err := revisions.HasRevision(ctx, t.Target, t.After.Revision)
	if err == nil && made {
		t.stage = stageAfter
		t.now, err = k.State(ctx, t.Target)
		t.superseded = t.now.Revision != t.After.Revision
	}
	if err != nil && !isRetryable(err) {
		t.stage = stageEdited
		return nil
	}
	return err
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
		case t.stage == stageAfter && t.shared:
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
	switch {
	case t.stage == stageBefore:
		return outcomeUpdate{seq: t.seq, dropped: true}
	case t.stage == stageAfter && t.AfterUnknown:
		return outcomeUpdate{seq: t.seq, outcome: status.Written, after: &t.now}
	case t.stage == stageAfter:
		return outcomeUpdate{seq: t.seq, outcome: status.Written, leavesGroup: t.shared}
	}
	return t.newOutcomeUpdate(status.OutcomeUnknown)
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
		if now, err := k.State(ctx, t.Target); err == nil && isContainer(t.Target) && !t.superseded && t.stage == stageBefore {
			if t.now = now; sameState(t.Target, now, t.After) {
				t.stage = stageAfter
			}
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
// somebody has written since is left, whatever it holds now, and its names are returned.
func (j *Journal) planTakeBack(ctx context.Context, s *undoStep, k tools.Restorer) (kept []string, err error) {
	revisions := map[string]string{} // that the group has made last
	var others []string
	for _, v := range s.rows {
		if _, seen := revisions[v.Target]; seen {
			continue
		}
		revisions[v.Target] = v.After.Revision
		last, err := j.isLastWrite(ctx, v, k)
		if err != nil {
			return nil, err
		}
		if !last {
			others = append(others, v.Target)
		}
	}
	kept = s.dropEdited(&ConflictError{targets: others})
	for {
		err := s.planChanges(ctx, k, false, newPrecedingUndos())
		conflict, ok := errors.AsType[*ConflictError](err)
		if !ok {
			for i := range s.changes {
				if before := &s.changes[i].Before; before.Exists {
					before.Revision = revisions[s.changes[i].Target]
				}
			}
			return kept, err
		}
		kept = append(kept, s.dropEdited(conflict)...)
	}
}

// isLastWrite reports whether v is known to be the last write of its target, as far as
// revisions and the journal tell. That it holds the same contents is not enough: another
// may have written those since.
func (j *Journal) isLastWrite(ctx context.Context, v changeRow, k tools.Restorer) (bool, error) {
	if v.outcome == status.OutcomeUnknown {
		return false, nil
	}
	if v.After.Revision != "" && k != nil {
		now, err := k.State(ctx, v.Target)
		if err != nil || now.Exists || v.After.Exists {
			return now.Revision == v.After.Revision, err
		}
	}
	return hasNoLaterWrite(j.database, v)
}

// hasNoLaterWrite reports whether nobody else has written the target of a row of a group since.
func hasNoLaterWrite(d *database, v changeRow) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return false, err
	}
	later, err := d.readChangeRows("name = ? AND seq > ? AND group_id <> ? AND outcome = 'written' LIMIT 1",
		d.targetHash(v.origin.Source, v.Target), v.seq, v.group)
	return len(later) == 0, err
}
