package journal

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Reconciliation is what [Journal.ReconcileInterruptedCalls] found out about interrupted
// calls.
type Reconciliation struct {
	Written   int // Changes that were written after all
	Dropped   int // Changes that were not written
	Unknown   int // Changes whose target somebody has edited since
	TakenBack int // calls that had stopped half-way; what they had written was taken back
	Resumed   int // calls that an interrupted undo had begun with, undone now
	// Conflicted lists the targets at which such an undo could not continue, and
	// what could not be taken back, with the reasons.
	Conflicted []string
}

// HasFindings reports whether there was anything to reconcile.
func (f Reconciliation) HasFindings() bool {
	return f.Written+f.Dropped+f.Unknown+f.TakenBack+f.Resumed+len(f.Conflicted) > 0
}

func (f *Reconciliation) countOutcome(m outcomeUpdate) {
	switch {
	case m.dropped:
		f.Dropped++
	case m.outcome == status.OutcomeUnknown:
		f.Unknown++
	default:
		f.Written++
	}
}

// SourceNeedsRecovery reports whether a source may have something to reconcile since
// the last time. It is cheap.
func (j *Journal) SourceNeedsRecovery(source string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.needsRecovery[source]
}

// ReconcileInterruptedCalls settles the Changes of a source whose calls were interrupted, by a
// crash or because the source was unavailable: a call that stopped half-way is
// taken back, but for what somebody has edited since, and an interrupted undo is
// completed. What a person should know of that is a [Notice]. outlives means that
// an application that is still running writes for the source, so that nothing is
// taken back. k answers already; it is Unavailable while an undo is under way.
// After an error, call it again; what it found so far counts.
func (j *Journal) ReconcileInterruptedCalls(
	ctx context.Context, source string, k tools.Restorer, outlives bool,
) (found Reconciliation, err error) {
	j.reconcileLock.Lock()
	defer j.reconcileLock.Unlock()
	if !j.undoLock.TryLock() { // it may be waiting for this source
		return found, tools.Errorf(tools.Unavailable, "reconcile changes: an undo is under way")
	}
	defer j.undoLock.Unlock()
	err = j.reconcileCalls(ctx, source, k, outlives, &found)
	if err == nil {
		err = j.recordInterruptedGroupIntents()
	}
	if err == nil {
		err = j.resumeUndos(ctx, source, k, true, &found)
	}
	j.mu.Lock()
	j.needsRecovery[source] = err != nil
	j.mu.Unlock()
	if err != nil {
		return found, fmt.Errorf("reconcile changes: %w", err)
	}
	return found, nil
}

// pendingChangeRows returns the Changes of ended calls without an outcome, newest first.
func (d *database) pendingChangeRows(source string) (ended []changeRow, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil && !d.wasEverCreated() {
		return nil, nil
	}
	if err := d.openAndFlush(); err != nil {
		return nil, err
	}
	all, err := d.readChangeRows("outcome = '' AND source = ? ORDER BY seq DESC", source)
	if err != nil {
		return nil, err
	}
	ended = all[:0]
	for _, v := range all {
		if d.running[v.call] || v.unreadable {
			continue
		}
		if err := d.loadContents(&v); err != nil {
			return nil, err
		}
		ended = append(ended, v)
	}
	return ended, nil
}

// wasEverCreated reports whether anything was ever recorded. The key without the
// database means that the database was lost.
func (d *database) wasEverCreated() bool {
	return fileExists(filepath.Join(d.opts.Dir, databaseName)) || fileExists(filepath.Join(d.opts.Dir, keyFileName))
}

// stateBeforeNextChange returns what the next Change of v's target found there, if that
// was made: one that was not may have looked before v was made.
func (d *database) stateBeforeNextChange(v changeRow) (now tools.State, known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return now, false, err
	}
	next, err := d.readChangeRows("name = ? AND seq > ? AND fixed = '' AND outcome IN ('written', 'undone') ORDER BY seq LIMIT 1",
		d.targetHash(v.origin.Source, v.Target), v.seq)
	if err != nil || len(next) == 0 {
		return now, false, err
	}
	err = d.loadContents(&next[0])
	return next[0].Before, err == nil, err
}

// isWrittenByOthersToo reports whether the Change of its target before or after v, by
// another call, is the same as v: they were under way together, and what the target holds
// does not tell which of them was made.
func isWrittenByOthersToo(d *database, v changeRow) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return false, err
	}
	twins, err := queryAll(d, func(r *sql.Rows) (seq int64, err error) { return seq, r.Scan(&seq) },
		`SELECT o.seq FROM changes v JOIN changes o ON o.name = v.name AND o.call <> v.call
		WHERE v.seq = ? AND o.outcome IN ('', 'written') AND o.open = 0
			AND o.b_there = v.b_there AND o.b_mode = v.b_mode AND o.b_blob IS v.b_blob
			AND o.a_there = v.a_there AND o.a_mode = v.a_mode AND o.a_blob IS v.a_blob
			AND o.seq IN ((SELECT max(seq) FROM changes WHERE name = v.name AND seq < v.seq),
				(SELECT min(seq) FROM changes WHERE name = v.name AND seq > v.seq))`, v.seq)
	return len(twins) > 0, err
}
