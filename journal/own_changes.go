package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Ownership says which Changes are an agent's own. A name that a client only
// claims proves nothing.
type Ownership struct {
	Client  string    // whose name is proven; empty if it is not
	Session string    // that only this agent can be in; empty if there is none
	Since   time.Time // when the session began
}

// sqlCondition returns o as a condition of a WHERE clause.
func (o Ownership) sqlCondition() (string, []any) {
	switch {
	case o.Client == "" && o.Session == "":
		return "0", nil
	case o.Client == "":
		return "session = ? AND time >= ?", []any{o.Session, o.Since.UnixNano()}
	case o.Session == "":
		return "client = ? AND proven = 1", []any{o.Client}
	}
	return "(client = ? AND proven = 1 OR session = ? AND time >= ?)", []any{o.Client, o.Session, o.Since.UnixNano()}
}

// An OwnChangesQuery selects what one agent may know of its Changes in one
// source.
type OwnChangesQuery struct {
	Source string
	Own    Ownership
	// Visible reports whether the agent may know of all Changes that one call,
	// or the calls of one group, made to a source. whole is false if their
	// contents are no longer kept. Nil means always.
	Visible func(ctx context.Context, source string, changes []tools.Change, whole bool) (bool, error)
}

// OwnChanges returns an agent's Changes in a source, newest first: at most
// limit of those before the ID before, or only the one with id, with its diff.
// A call with a Change that the agent must not know is left out completely.
func (j *Journal) OwnChanges(ctx context.Context, see OwnChangesQuery, id, before string, limit int) (status.Changes, error) {
	all, more, err := j.agentOwnChangeRows(ctx, see, id, before, limit)
	if err != nil {
		return status.Changes{}, err
	}
	answer := status.Changes{Changes: []status.Change{}, More: more}
	for _, v := range all {
		answer.Changes = append(answer.Changes, v.toStatus(j.key))
	}
	if id == "" {
		return answer, nil
	}
	if len(all) == 0 {
		return status.Changes{}, noOwnChangeError(id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err = j.ensureOpen() // it may have been closed since
	if err == nil {
		err = j.loadContents(&all[0])
	}
	if err != nil {
		return status.Changes{}, fmt.Errorf("list changes: %w", err)
	}
	answer.Diffs = map[string]string{id: all[0].diff(maxOwnDiffBytes)}
	return answer, nil
}

// maxOwnDiffBytes bounds the diffs of one answer to an agent, in bytes.
const maxOwnDiffBytes = 64 << 10

// noOwnChangeError is the answer for every ID that is not one of the agent's
// Changes, so that it does not reveal other people's.
func noOwnChangeError(id string) error {
	return tools.Errorf(tools.NotFound, "you have made no change %.40q in this source", id).WithHint("List your changes first.")
}

// ownBatchSize is how many rows are read at a time.
const ownBatchSize = 128

func (j *Journal) agentOwnChangeRows(
	ctx context.Context, see OwnChangesQuery, id, before string, limit int,
) (found []changeRow, more bool, err error) {
	p := status.Filter{Source: see.Source, Before: before}
	if id != "" {
		p.IDs = []string{id}
	}
	shown := map[[2]int64]bool{} // by call and group
	for {
		batch, err := j.readOwnBatch(ctx, see.Own, p)
		if err != nil {
			return nil, false, err
		}
		for _, v := range batch {
			if err := j.cacheUndoUnitVisibility(ctx, see, v, shown); err != nil {
				return nil, false, err
			}
			switch {
			case !shown[v.undoUnit()]:
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, v)
			}
		}
		if len(batch) < ownBatchSize {
			return found, false, nil
		}
		p.Before = batch[len(batch)-1].id
	}
}

func (j *Journal) readOwnBatch(ctx context.Context, own Ownership, p status.Filter) ([]changeRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openAndFlush(); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	where, args, err := j.filterCondition(p)
	if err != nil { // one of the IDs is none
		return nil, noOwnChangeError(strings.Join(append(slices.Clone(p.IDs), p.Before), ""))
	}
	mine, more := own.sqlCondition()
	all, err := j.readChangeRows(where+" AND "+mine+" ORDER BY seq DESC LIMIT ?", append(append(args, more...), ownBatchSize)...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return all, nil
}

// undoUnit is what v is undone with: its group, or else its call.
func (v changeRow) undoUnit() [2]int64 {
	if v.group != 0 {
		return [2]int64{0, v.group}
	}
	return [2]int64{v.call, 0}
}

// cacheUndoUnitVisibility records in shown whether all that v is undone with may be known.
func (j *Journal) cacheUndoUnitVisibility(ctx context.Context, see OwnChangesQuery, v changeRow, shown map[[2]int64]bool) error {
	unit := v.undoUnit()
	if _, known := shown[unit]; known {
		return nil
	}
	shown[unit] = true
	if see.Visible == nil {
		return nil
	}
	steps, err := j.listUndoUnitSteps(v)
	if err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	for _, s := range steps {
		changes, whole, err := j.loadStepChanges(s)
		if err != nil {
			return fmt.Errorf("list changes: %w", err)
		}
		if shown[unit], err = see.Visible(ctx, s.source, changes, whole); err != nil || !shown[unit] {
			return err
		}
	}
	return nil
}

func (d *database) listUndoUnitSteps(v changeRow) ([]undoStep, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return nil, err
	}
	return d.unloadedSteps(v)
}

func (d *database) loadStepChanges(s undoStep) (changes []tools.Change, whole bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return nil, false, err
	}
	where, args := s.sqlCondition()
	rows, err := d.readChangeRows(where, args...)
	if err != nil {
		return nil, false, err
	}
	whole = true
	for i := range rows {
		v := &rows[i]
		if v.cannotUndo != "" { // its contents are gone
			changes, whole = append(changes, tools.Change{Target: v.Target}), false
			continue
		}
		if err := d.loadContents(v); err != nil {
			return nil, false, err
		}
		changes = append(changes, v.Change)
	}
	return changes, whole, nil
}

// An OwnUndoRequest is an agent's request to undo the whole call or group that one of
// its own Changes belongs to.
type OwnUndoRequest struct {
	OwnChangesQuery

	ID    string
	Merge bool
	// Open lends the sources of the call; its error refuses the undo.
	Open SourceProvider
}

// OwnUndoResult is what an OwnUndoRequest changes.
type OwnUndoResult struct {
	Sources []string // of the changes, which are in this order
	Changes []tools.Change
	Merged  []string // targets whose later edits are kept
}

// Diff returns the diff of one of the changes, in at most about limit bytes.
func (r OwnUndoResult) Diff(c tools.Change, limit int) string {
	return unifiedDiff(c.Target, c.Before, c.After, limit)
}

func (r *OwnUndoResult) add(s undoStep) {
	for _, c := range s.changes {
		r.Sources, r.Changes = append(r.Sources, s.source), append(r.Changes, c)
	}
	r.Merged = append(r.Merged, s.merged...)
}

// OwnUndoScope returns the sources that the undo changes, and whether it deletes
// something that the call created. The error is NotFound for an ID that is not
// one of the agent's Changes.
func (j *Journal) OwnUndoScope(ctx context.Context, r OwnUndoRequest) (sources []string, deletes bool, err error) {
	steps, err := j.ownUndoSteps(ctx, r)
	for _, s := range steps {
		sources = append(sources, s.source)
		deletes = deletes || slices.ContainsFunc(s.rows, func(v changeRow) bool {
			return v.After.Exists && !v.Before.Exists && !isContainer(v.Target)
		})
	}
	return sources, deletes, err
}

// PlanUndoOwn returns what UndoOwn would do.
func (j *Journal) PlanUndoOwn(ctx context.Context, r OwnUndoRequest) (done OwnUndoResult, err error) {
	if err := j.undoLock.LockContext(ctx); err != nil {
		return OwnUndoResult{}, err
	}
	defer j.undoLock.Unlock()
	steps, err := j.planOwnUndo(ctx, r)
	for _, s := range steps {
		done.add(s)
	}
	return done, err
}

// An OwnUndoObserver is told what an OwnUndoRequest writes to one source.
type OwnUndoObserver struct {
	Writes   tools.WriteObserver // its error stops the undo
	Recorder *Recorder           // to which Writes passes; nil: nothing is to be written, only reported
}

// UndoOwn undoes the call or group, as Undo does.
func (j *Journal) UndoOwn(ctx context.Context, r OwnUndoRequest, observe func(source string) OwnUndoObserver) (done OwnUndoResult,
	err error,
) {
	if err := j.undoLock.LockContext(ctx); err != nil {
		return OwnUndoResult{}, err
	}
	defer j.undoLock.Unlock()
	steps, err := j.planOwnUndo(ctx, r)
	if err != nil {
		return OwnUndoResult{}, err
	}
	observers := make([]OwnUndoObserver, len(steps))
	for i, s := range steps {
		observers[i] = observe(s.source)
	}
	if observers[0].Recorder == nil {
		return OwnUndoResult{}, j.dryRunUndo(ctx, r, steps, observers)
	}
	if err := j.recordIntents(steps, r.Merge, observers[0].Recorder.origin); err != nil {
		return OwnUndoResult{}, unavailableError(err)
	}
	ctx = context.WithoutCancel(ctx) // an undo that has begun is completed
	for i, s := range steps {
		recorder := observers[i].Recorder
		if s.undoGroup != 0 {
			recorder.origin.Group = &Group{journal: j, id: s.undoGroup}
		}
		if err := j.applyOwnUndoStep(ctx, s, r, observers[i]); err != nil {
			j.dropIntents(steps[i:])
			return OwnUndoResult{}, err
		}
		done.add(s)
	}
	return done, nil
}

func (j *Journal) applyOwnUndoStep(ctx context.Context, s undoStep, r OwnUndoRequest, o OwnUndoObserver) error {
	k, release, err := r.Open(ctx, s.source)
	if err != nil {
		return err
	}
	defer release()
	return j.applyUndoStep(ctx, s, o.Recorder, tools.CallContext{Writes: o.Writes}, k)
}

// dryRunUndo reports what steps would write, and writes nothing.
func (j *Journal) dryRunUndo(ctx context.Context, r OwnUndoRequest, steps []undoStep, observers []OwnUndoObserver) error {
	for i, s := range steps {
		k, release, err := r.Open(ctx, s.source)
		if err != nil {
			return err
		}
		var dryRun tools.DryRun
		err = k.Restore(ctx, tools.CallContext{Writes: &dryRun}, s.changes)
		release()
		changes, writes := dryRun.Changes()
		if writes {
			err = observers[i].Writes.BeforeWrite(ctx, changes...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) planOwnUndo(ctx context.Context, r OwnUndoRequest) ([]undoStep, error) {
	steps, err := j.ownUndoSteps(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if err := j.planStep(ctx, &steps[i], r.Merge, r.Open, newPrecedingUndos()); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// ownUndoSteps are those of the call or group to undo, with those of its Changes that
// are not undone yet.
func (j *Journal) ownUndoSteps(ctx context.Context, r OwnUndoRequest) ([]undoStep, error) {
	found, _, err := j.agentOwnChangeRows(ctx, r.OwnChangesQuery, r.ID, "", 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noOwnChangeError(r.ID)
	}
	if found[0].outcome == status.Undone {
		return nil, tools.Errorf(tools.Conflict, "%s has been undone already", r.ID)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openAndFlush(); err != nil {
		return nil, err
	}
	steps, err := j.stepsOfWholeCall(found[0])
	if stands, ok := errors.AsType[*cannotUndoError](err); ok {
		return nil, tools.Errorf(tools.Conflict, "%s", stands.reason)
	}
	return steps, err
}
