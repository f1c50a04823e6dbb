package journal

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Reconciliation is what [Journal.Reconcile] found out about interrupted
// calls.
type Reconciliation struct {
	Written int // Changes that were written after all
	Dropped int // Changes that were not written
	Unknown int // Changes whose target holds something else by now
	Resumed int // calls that an interrupted undo had begun with, undone now
	// Conflicted lists the targets at which such an undo could not continue, with
	// the reason.
	Conflicted []string
}

// HasFindings reports whether there was anything to reconcile.
func (f Reconciliation) HasFindings() bool {
	return f.Written+f.Dropped+f.Unknown+f.Resumed+len(f.Conflicted) > 0
}

// NeedsRecovery reports whether a source may have something to reconcile since
// the last time. It is cheap.
func (j *Journal) NeedsRecovery(source string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.needsRecovery[source]
}

// Reconcile finds out what became of the Changes of a source whose calls were
// interrupted, by a crash or because the source was unavailable, and completes
// an interrupted undo. The source must be open. After an error, call it again;
// what it found so far counts.
func (j *Journal) Reconcile(ctx context.Context, source string, k tools.Restorer) (Reconciliation, error) {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	pending, err := j.pending(source)
	if err != nil {
		return Reconciliation{}, fmt.Errorf("reconcile changes: %w", err)
	}
	var found Reconciliation
	marks, err := j.findOutcomes(ctx, k, pending)
	for _, m := range marks {
		switch {
		case m.dropped:
			found.Dropped++
		case m.outcome == status.OutcomeUnknown:
			found.Unknown++
		default:
			found.Written++
		}
	}
	j.mu.Lock()
	j.queueOutcomes(marks...)
	if err == nil && len(marks) > 0 {
		err = j.flush()
	}
	j.mu.Unlock()
	if err == nil {
		err = j.abandonInterrupted()
	}
	if err == nil {
		err = j.resume(ctx, source, k, &found)
	}
	j.mu.Lock()
	j.needsRecovery[source] = err != nil
	j.mu.Unlock()
	if err != nil {
		return found, fmt.Errorf("reconcile changes: %w", err)
	}
	return found, nil
}

// pending returns the Changes of ended calls without an outcome, newest first.
func (d *database) pending(source string) (ended []changeRow, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil && !d.hasDatabase() {
		return nil, nil
	}
	if err := d.openAndFlush(); err != nil {
		return nil, err
	}
	all, err := d.rows("outcome = '' AND source = ? ORDER BY seq DESC", source)
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

// hasDatabase reports whether anything was ever recorded.
func (d *database) hasDatabase() bool { return exists(filepath.Join(d.opts.Dir, databaseName)) }

// findOutcomes compares rows with what their targets hold, or with what a
// later Change of the same target found there.
func (j *Journal) findOutcomes(ctx context.Context, k tools.Restorer, rows []changeRow) ([]outcomeUpdate, error) {
	var marks []outcomeUpdate
	for _, v := range rows {
		now, known, err := j.stateFoundByNext(v)
		if err == nil && !known {
			if k == nil {
				marks = append(marks, v.withOutcome(status.OutcomeUnknown))
				continue
			}
			now, err = k.State(ctx, v.Target)
		}
		if err != nil {
			return marks, err
		}
		marks = append(marks, v.inferOutcome(now))
	}
	return marks, nil
}

// stateFoundByNext returns what the next Change of v's target found there.
func (d *database) stateFoundByNext(v changeRow) (now tools.State, known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ensureOpen(); err != nil {
		return now, false, err
	}
	next, err := d.rows("name = ? AND seq > ? AND fixed = '' ORDER BY seq LIMIT 1", d.targetName(v.origin.Source, v.Target), v.seq)
	if err != nil || len(next) == 0 {
		return now, false, err
	}
	err = d.loadContents(&next[0])
	return next[0].Before, err == nil, err
}
