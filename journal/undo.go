package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// UndoToolName is the tool name in the Changes of an undo.
const UndoToolName = "undo"

// Undo undoes what p selects, newest first, whole calls. It checks everything
// before it changes anything. What it changes is recorded as Changes too,
// which can be undone. If it is interrupted, the next Reconcile continues it;
// if a source refuses in the middle, the error says how far it got.
func (j *Journal) Undo(ctx context.Context, p status.Filter, by CallOrigin, from SourceProvider) error {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	steps, err := j.planUndo(ctx, p, from)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	steps = slices.DeleteFunc(steps, func(s undoStep) bool { return s.cannot != nil })
	if err := j.recordIntents(steps, p.Merge, by); err != nil {
		return fmt.Errorf("undo: nothing was changed, because the journal cannot be written: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // an undo that has begun is completed
	for i, s := range steps {
		if err := j.undoCall(ctx, s, by, from); err != nil {
			j.dropIntents(steps[i:])
			return fmt.Errorf("undo: stopped after %s of %d: %w", english.Plural(i, "call", ""), len(steps), err)
		}
	}
	return nil
}

// recordIntents puts on disk which calls are about to be undone.
func (d *database) recordIntents(steps []undoStep, merging bool, by CallOrigin) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.transact(func(tx *sql.Tx) error { return insertIntents(d, tx, steps, merging, by) })
}

// insertIntents gives what undoes a group a group of its own, so that it can be
// undone as one too.
func insertIntents(d *database, tx *sql.Tx, steps []undoStep, merging bool, by CallOrigin) error {
	groups := map[int64]int64{}
	for i := range steps {
		s := &steps[i]
		if s.group != 0 && groups[s.group] == 0 {
			id, err := insertGroup(tx)
			if err == nil {
				err = exec(tx, "DELETE FROM groups WHERE id = ?", id) // the intents say what has not ended
			}
			if err != nil {
				return err
			}
			groups[s.group] = id
		}
		s.undoGroup = groups[s.group]
		if err := exec(tx, "INSERT INTO intents (source, call, group_id, undo_group, merge, client, session, proven, reason) VALUES (?, ?, ?, "+
			"?, ?, ?, ?, ?, ?)",
			s.source, s.call, s.group, s.undoGroup, merging, by.Client, by.Session, by.Proven, d.encryptReason(by.Reason)); err != nil {
			return err
		}
	}
	return nil
}

// dropIntents removes the intents of steps.
func (d *database) dropIntents(steps []undoStep) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.transact(func(tx *sql.Tx) error {
		for _, s := range steps {
			if err := s.deleteIntent(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.opts.Log.Error("could not remove the record of an undo that has ended", "component", "journal", "err", err)
	}
}

func (s *undoStep) deleteIntent(tx *sql.Tx) error {
	return exec(tx, "DELETE FROM intents WHERE call = ? AND group_id = ? AND source = ?", s.call, s.group, s.source)
}

func (j *Journal) undoCall(ctx context.Context, s undoStep, by CallOrigin, from SourceProvider) error {
	k, release, err := from(ctx, s.source)
	if err != nil {
		return err
	}
	defer release()
	r := j.newUndoRecorder(s, by)
	return j.applyUndoStep(ctx, s, r, tools.CallContext{Writes: r}, k)
}

func (j *Journal) newUndoRecorder(s undoStep, by CallOrigin) *Recorder {
	by.Source, by.Tool = s.source, UndoToolName
	if s.undoGroup != 0 {
		by.Group = &Group{journal: j, id: s.undoGroup}
	}
	return j.NewRecorder(by)
}

// applyUndoStep undoes one call and marks it so. Writes are reported to c, which
// passes them on to r.
func (j *Journal) applyUndoStep(ctx context.Context, s undoStep, r *Recorder, c tools.CallContext, k tools.Restorer) error {
	undoes := map[string]int64{}
	for _, v := range s.rows {
		undoes[v.Target] = v.seq
	}
	r.recordedWrites().undoes = undoes
	err := k.Restore(ctx, c, s.changes)
	r.End(err)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.transact(func(tx *sql.Tx) error {
		for _, v := range s.rows { // also those that needed no write and were not reported
			if err := ensureMarkedUndone(tx, v.seq); err != nil {
				return err
			}
		}
		return errors.Join(insertNotice(j.database, tx, s.notice), s.deleteIntent(tx))
	})
}

// ensureMarkedUndone marks a Change as undone unless the undo reported it already.
func ensureMarkedUndone(tx *sql.Tx, seq int64) error {
	var o status.Outcome
	err := tx.QueryRowContext(context.Background(), "SELECT outcome FROM changes WHERE seq = ?", seq).Scan(&o)
	if err != nil || o == status.Undone {
		return err
	}
	return markUndone(tx, seq)
}

// resumeUndos continues interrupted undos, and takes back groups. noticing means that
// nobody is told of the latter in another way.
func (j *Journal) resumeUndos(ctx context.Context, source string, k tools.Restorer, noticing bool, found *Reconciliation) error {
	todo, err := j.readIntents(source)
	if err != nil {
		return err
	}
	for _, t := range todo {
		s, kept, err := j.resumeIntent(ctx, t, k, noticing)
		if isRetryable(err) {
			return err // Reconcile tries again later
		}
		if err != nil {
			found.Conflicted = append(found.Conflicted, fmt.Sprintf("%s: %v", s.firstTarget(), err))
		} else {
			found.Resumed++
		}
		if !noticing {
			found.Conflicted = append(found.Conflicted, kept...)
		}
		j.dropIntents([]undoStep{s})
	}
	return nil
}

// resumeIntent returns what it leaves as it is because somebody has edited it, if
// it takes back a group; an undo that a person began is not resumed over edits.
func (j *Journal) resumeIntent(ctx context.Context, t undoIntent, k tools.Restorer, noticing bool) (s undoStep, kept []string, err error) {
	s, err = j.readStep(t.step)
	if stands, ok := errors.AsType[*cannotUndoError](err); err != nil && (!ok || stands.pending) {
		err = tools.Errorf(tools.Unavailable, "%w", err)
	}
	if err != nil || len(s.rows) == 0 {
		return s, nil, err
	}
	if t.by.Client == takeBackClientName {
		n := newNotice(s.rows)
		if kept, err = j.planTakeBack(ctx, &s, k); noticing {
			n.Kept, n.TakenBack = kept, s.targets()
			s.notice = n
		}
	} else {
		err = s.planChanges(ctx, k, t.merge, newPrecedingUndos())
	}
	if err != nil {
		return s, kept, err
	}
	r := j.newUndoRecorder(s, t.by)
	return s, kept, j.applyUndoStep(ctx, s, r, tools.CallContext{Writes: r}, k)
}

// targets are those of the Changes of s, oldest first.
func (s *undoStep) targets() []string {
	var names []string
	for _, v := range slices.Backward(s.rows) {
		if !slices.Contains(names, v.Target) {
			names = append(names, v.Target)
		}
	}
	return names
}

// firstTarget names what a step is about.
func (s *undoStep) firstTarget() string {
	if len(s.rows) == 0 {
		return s.source
	}
	return s.rows[0].Target
}

// readStep returns a step with those of its Changes that are not undone.
func (d *database) readStep(s undoStep) (undoStep, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openAndFlush(); err != nil {
		return s, err
	}
	return d.loadStep(s)
}

// An undoIntent is a step that an undo has begun with.
type undoIntent struct {
	step  undoStep
	merge bool
	by    CallOrigin
}

func (d *database) readIntents(source string) ([]undoIntent, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil, nil // there is no database
	}
	scan := func(found *sql.Rows) (t undoIntent, err error) {
		var reason []byte
		t.step.source = source
		if err := found.Scan(&t.step.call, &t.step.group, &t.step.undoGroup, &t.merge, &t.by.Client, &t.by.Session, &t.by.Proven,
			&reason); err != nil {
			return t, err
		}
		t.by.Reason, err = d.decryptReason(reason)
		return t, err
	}
	return queryAll(d, scan, "SELECT call, group_id, undo_group, merge, client, session, proven, reason FROM intents WHERE source = ? ORDER "+
		"BY place", source)
}
