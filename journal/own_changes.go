package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// condition returns o as a condition of a WHERE clause.
func (o Ownership) condition() (string, []any) {
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
	// Visible reports whether the agent may know of all Changes of one call.
	// whole is false if their contents are no longer kept. Nil means always.
	Visible func(ctx context.Context, changes []tools.Change, whole bool) (bool, error)
}

// OwnChanges returns an agent's Changes in a source, newest first: at most
// limit of those before the ID before, or only the one with id, with its diff.
// A call with a Change that the agent must not know is left out completely.
func (j *Journal) OwnChanges(ctx context.Context, see OwnChangesQuery, id, before string, limit int) (status.Changes, error) {
	all, more, err := j.ownRows(ctx, see, id, before, limit)
	if err != nil {
		return status.Changes{}, err
	}
	answer := status.Changes{Changes: []status.Change{}, More: more}
	for _, v := range all {
		answer.Changes = append(answer.Changes, v.toStatus())
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

func (j *Journal) ownRows(ctx context.Context, see OwnChangesQuery, id, before string, limit int) (found []changeRow, more bool, err error) {
	p := status.Filter{Source: see.Source, Before: before}
	if id != "" {
		p.IDs = []string{id}
	}
	shown := map[int64]bool{} // by call
	for {
		batch, err := j.readOwnBatch(ctx, see.Own, p)
		if err != nil {
			return nil, false, err
		}
		for _, v := range batch {
			if err := j.checkVisible(ctx, see, v.call, shown); err != nil {
				return nil, false, err
			}
			switch {
			case !shown[v.call]:
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, v)
			}
		}
		if len(batch) < ownBatchSize {
			return found, false, nil
		}
		p.Before = changeID(batch[len(batch)-1].seq)
	}
}

func (j *Journal) readOwnBatch(ctx context.Context, own Ownership, p status.Filter) ([]changeRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, id := range append(slices.Clone(p.IDs), p.Before) {
		if _, err := parseChangeID(id); id != "" && err != nil {
			return nil, noOwnChangeError(id)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openAndFlush(); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	where, args, err := j.filterCondition(p)
	if err != nil {
		return nil, err
	}
	mine, more := own.condition()
	all, err := j.rows(where+" AND "+mine+" ORDER BY seq DESC LIMIT ?", append(append(args, more...), ownBatchSize)...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return all, nil
}

// checkVisible records in shown whether all of a call may be known.
func (j *Journal) checkVisible(ctx context.Context, see OwnChangesQuery, call int64, shown map[int64]bool) error {
	if _, known := shown[call]; known {
		return nil
	}
	if see.Visible == nil {
		shown[call] = true
		return nil
	}
	changes, whole, err := j.changesOf(call)
	if err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	shown[call], err = see.Visible(ctx, changes, whole)
	return err
}

func (d *database) changesOf(call int64) (changes []tools.Change, whole bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return nil, false, err
	}
	rows, err := d.rows("call = ?", call)
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

// An OwnUndo is an agent's request to undo the whole call that one of its own
// Changes belongs to.
type OwnUndo struct {
	OwnChangesQuery

	ID       string
	Merge    bool
	Restorer tools.Restorer
}

// OwnUndoResult is what an OwnUndo changes.
type OwnUndoResult struct {
	Changes []tools.Change
	Merged  []string // targets whose later edits are kept
}

// Diff returns the diff of one of the changes, in at most about limit bytes.
func (r OwnUndoResult) Diff(c tools.Change, limit int) string {
	return unifiedDiff(c.Target, c.Before, c.After, limit)
}

// UndoOwnDeletes reports whether the undo deletes something that the call
// created. The error is NotFound for an ID that is not one of the agent's
// Changes.
func (j *Journal) UndoOwnDeletes(ctx context.Context, r OwnUndo) (bool, error) {
	s, err := j.ownCall(ctx, r)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(s.rows, func(v changeRow) bool { return v.After.Exists && !v.Before.Exists && !isContainer(v.Target) }), nil
}

// PlanUndoOwn returns what UndoOwn would do.
func (j *Journal) PlanUndoOwn(ctx context.Context, r OwnUndo) (OwnUndoResult, error) {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	s, err := j.planOwnUndo(ctx, r)
	return OwnUndoResult{s.changes, s.merged}, err
}

// UndoOwn undoes the call, as Undo does. Each write is reported to c first,
// whose error stops it, and recorded by recorder. A nil recorder is for a c
// that lets nothing be written; then no intent is recorded either.
func (j *Journal) UndoOwn(ctx context.Context, r OwnUndo, c tools.CallContext, recorder *Recorder) (OwnUndoResult, error) {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	s, err := j.planOwnUndo(ctx, r)
	if err != nil {
		return OwnUndoResult{}, err
	}
	if recorder == nil {
		return OwnUndoResult{}, r.Restorer.Restore(ctx, c, s.changes)
	}
	if err := j.recordIntents([]undoStep{s}, r.Merge, recorder.origin); err != nil {
		return OwnUndoResult{}, unavailableError(err)
	}
	ctx = context.WithoutCancel(ctx) // an undo that has begun is completed
	if err := j.restoreCall(ctx, s, recorder, c, r.Restorer); err != nil {
		j.dropIntents([]undoStep{s})
		return OwnUndoResult{}, err
	}
	return OwnUndoResult{s.changes, s.merged}, nil
}

func (j *Journal) planOwnUndo(ctx context.Context, r OwnUndo) (undoStep, error) {
	s, err := j.ownCall(ctx, r)
	if err != nil {
		return undoStep{}, err
	}
	if r.Restorer == nil {
		return undoStep{}, tools.Errorf(tools.Unavailable, "%s does not support undo", r.Source)
	}
	if err := s.checkPrecondition(ctx, r.Restorer, r.Merge, &precedingUndos{states: map[string]tools.State{}}); err != nil {
		return undoStep{}, err
	}
	return s, nil
}

// ownCall returns the call to undo, with those of its Changes that are not
// undone yet.
func (j *Journal) ownCall(ctx context.Context, r OwnUndo) (undoStep, error) {
	found, _, err := j.ownRows(ctx, r.OwnChangesQuery, r.ID, "", 1)
	if err != nil {
		return undoStep{}, err
	}
	if len(found) == 0 {
		return undoStep{}, noOwnChangeError(r.ID)
	}
	if found[0].outcome == status.Undone {
		return undoStep{}, tools.Errorf(tools.Conflict, "%s has been undone already", r.ID)
	}
	s, err := j.readCall(found[0].call, r.Source)
	if stands, ok := errors.AsType[*cannotUndoError](err); ok {
		return undoStep{}, tools.Errorf(tools.Conflict, "%s", stands.reason)
	}
	return s, err
}
