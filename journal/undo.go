package journal

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// UndoTool is the tool name in the Changes of an undo.
const UndoTool = "undo"

// Undo undoes what p selects, newest first, whole calls. It checks everything
// before it changes anything. What it changes is recorded as Changes too,
// which can be undone. If it is interrupted, the next Reconcile continues it;
// if a source refuses in the middle, the error says how far it got.
func (j *Journal) Undo(ctx context.Context, p status.Filter, by Origin, from OpenSource) error {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	steps, err := j.planUndo(ctx, p, from)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	if err := j.recordIntents(steps, p.Merge, by); err != nil {
		return fmt.Errorf("undo: nothing was changed, because the journal cannot be written: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // an undo that has begun is completed
	for i, s := range steps {
		if err := j.undoCall(ctx, s, by, from); err != nil {
			j.dropIntents(steps[i:])
			return fmt.Errorf("undo: stopped after %s of %d: %w", countNoun(i, "call"), len(steps), err)
		}
	}
	return nil
}

// recordIntents puts on disk which calls are about to be undone.
func (d *database) recordIntents(steps []undoStep, merging bool, by Origin) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.transact(func(tx *sql.Tx) error {
		for _, s := range steps {
			if err := exec(tx, "INSERT INTO intents (source, call, merge, client, session, proven, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
				s.source, s.call, merging, by.Client, by.Session, by.Proven, d.sealReason(by.Reason)); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropIntents removes the intents of steps.
func (d *database) dropIntents(steps []undoStep) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.transact(func(tx *sql.Tx) error {
		for _, s := range steps {
			if err := exec(tx, "DELETE FROM intents WHERE call = ?", s.call); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.opts.Log.Error("could not remove the record of an undo that has ended", "component", "journal", "err", err)
	}
}

func (j *Journal) undoCall(ctx context.Context, s undoStep, by Origin, from OpenSource) error {
	k, release, err := from(ctx, s.source)
	if err != nil {
		return err
	}
	defer release()
	r := j.recordUndo(s, by)
	return j.restoreCall(ctx, s, r, tools.CallContext{Writes: r}, k)
}

func (j *Journal) recordUndo(s undoStep, by Origin) *Recorder {
	by.Source, by.Tool = s.source, UndoTool
	return j.Record(by)
}

// restoreCall undoes one call and marks it so. Writes are reported to c, which
// passes them on to r.
func (j *Journal) restoreCall(ctx context.Context, s undoStep, r *Recorder, c tools.CallContext, k tools.Restorer) error {
	r.undoes = map[string]int64{}
	for _, v := range s.rows {
		r.undoes[v.Target] = v.seq
	}
	err := k.Restore(ctx, c, s.changes)
	r.End(ctx, k, err)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.transact(func(tx *sql.Tx) error {
		for _, v := range s.rows { // also those that needed no write and were not reported
			if err := ensureUndone(tx, v.seq); err != nil {
				return err
			}
		}
		return exec(tx, "DELETE FROM intents WHERE call = ?", s.call)
	})
}

// ensureUndone marks a Change as undone unless the undo reported it already.
func ensureUndone(tx *sql.Tx, seq int64) error {
	var o status.Outcome
	err := tx.QueryRowContext(context.Background(), "SELECT outcome FROM changes WHERE seq = ?", seq).Scan(&o)
	if err != nil || o == status.Undone {
		return err
	}
	return markUndone(tx, seq)
}

// resume continues interrupted undos.
func (j *Journal) resume(ctx context.Context, source string, k tools.Restorer, found *Reconciliation) error {
	todo, err := j.readIntents(source)
	if err != nil {
		return err
	}
	for _, t := range todo {
		s, err := j.readCall(t.call, source)
		if err != nil {
			return err
		}
		if len(s.rows) > 0 {
			err = s.checkPrecondition(ctx, k, t.merge, &precedingUndos{states: map[string]tools.State{}})
			if err == nil {
				r := j.recordUndo(s, t.by)
				err = j.restoreCall(ctx, s, r, tools.CallContext{Writes: r}, k)
			}
		}
		if e := tools.AsError(err); e != nil && (e.Code == tools.Unavailable || e.Code == tools.Timeout) {
			return err // Reconcile tries again later
		}
		j.dropIntents([]undoStep{s})
		if err != nil {
			found.Conflicted = append(found.Conflicted, fmt.Sprintf("%s: %v", s.rows[0].Target, err))
			continue
		}
		found.Resumed++
	}
	return nil
}

// readCall returns a call with those of its Changes that are not undone.
func (d *database) readCall(call int64, source string) (undoStep, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openAndFlush(); err != nil {
		return undoStep{}, err
	}
	return d.loadCall(call, source)
}

// An undoIntent is a call that an undo has begun to undo.
type undoIntent struct {
	call  int64
	merge bool
	by    Origin
}

func (d *database) readIntents(source string) ([]undoIntent, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil, nil // there is no database
	}
	scan := func(found *sql.Rows) (t undoIntent, err error) {
		var reason []byte
		if err := found.Scan(&t.call, &t.merge, &t.by.Client, &t.by.Session, &t.by.Proven, &reason); err != nil {
			return t, err
		}
		t.by.Reason, err = d.openReason(reason)
		return t, err
	}
	return queryAll(d, scan, "SELECT call, merge, client, session, proven, reason FROM intents WHERE source = ? ORDER BY place", source)
}
