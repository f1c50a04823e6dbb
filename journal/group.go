package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Group joins calls, over all their sources, that happen together or not at
// all: those that one call makes, and that call. An undo of one Change undoes the
// whole group. A group that has not ended when the process dies is taken back by
// the next [Journal.ReconcileInterruptedCalls] of each of its sources.
type Group struct {
	journal *Journal

	// Guarded by mu of the database:
	id      int64    // 0: nothing is recorded yet
	sources []string // of what is recorded
}

// NewGroup makes a group for [CallOrigin].Group. Nothing is on disk before the first
// Change of one of its calls. The owner calls End or TakeBack when all of its
// calls have ended.
func (j *Journal) NewGroup() *Group { return &Group{journal: j} }

// ensureRecorded puts the group on disk with its first Change; 0 for a nil Group.
func (g *Group) ensureRecorded(tx *sql.Tx) (id int64, err error) {
	if g == nil || g.id != 0 {
		return g.recordedID(), nil
	}
	return insertGroup(tx)
}

func (g *Group) recordedID() int64 {
	if g == nil {
		return 0
	}
	return g.id
}

func insertGroup(tx *sql.Tx) (int64, error) {
	res, err := tx.ExecContext(context.Background(), "INSERT INTO groups DEFAULT VALUES")
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// KeepChanges keeps what the calls wrote. After an error nothing is known to be kept: the
// owner calls TakeBack.
func (g *Group) KeepChanges() error {
	d := g.journal.database
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.id == 0 {
		return nil
	}
	if err := d.transact(func(tx *sql.Tx) error { return exec(tx, "DELETE FROM groups WHERE id = ?", g.id) }); err != nil {
		return unavailableError(err)
	}
	delete(d.runningGroups, g.id)
	return nil
}

// TakeBackResult is what [Group.TakeBack] did.
type TakeBackResult struct {
	Changed bool     // something had been written
	Left    []string // what could not be taken back, with the reasons
}

// TakeBack undoes what the calls wrote, source by source. Where that cannot be
// done now, the next Reconcile of the source does it; an edit that somebody made
// since is kept.
func (g *Group) TakeBack(ctx context.Context, from SourceProvider) (done TakeBackResult) {
	j := g.journal
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	sources, err := j.recordGroupIntents(g.recordedID())
	if err != nil {
		for _, source := range g.sources {
			j.markSourceNeedsRecovery(source)
		}
		return TakeBackResult{Changed: true, Left: []string{fmt.Sprintf("what follows when the journal can be written: %v", err)}}
	}
	for _, source := range sources {
		r, release, err := from(ctx, source)
		if err == nil {
			var found Reconciliation
			err = j.resumeUndos(ctx, source, r, false, &found)
			release()
			done.Left = append(done.Left, found.Conflicted...)
			done.Changed = done.Changed || found.Resumed+len(found.Conflicted) > 0
		}
		if err != nil {
			j.markSourceNeedsRecovery(source)
			done.Changed, done.Left = true, append(done.Left, fmt.Sprintf("%s, which follows when the source serves again: %v", source, err))
		}
	}
	return done
}

func (d *database) markSourceNeedsRecovery(source string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.needsRecovery[source] = true
}

// recordGroupIntents turns a group into intents to undo it, one for each of its sources.
func (d *database) recordGroupIntents(id int64) (sources []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id == 0 {
		return nil, nil
	}
	delete(d.runningGroups, id)
	if err = d.openAndFlush(); err != nil {
		return nil, err
	}
	if sources, err = d.sourcesOfGroup(id); err != nil {
		return nil, err
	}
	steps := make([]undoStep, len(sources))
	for i, source := range sources {
		steps[i] = undoStep{group: id, source: source}
	}
	return sources, d.transact(func(tx *sql.Tx) error {
		if err := insertIntents(d, tx, steps, false, CallOrigin{Client: takeBackClientName}); err != nil {
			return err
		}
		return exec(tx, "DELETE FROM groups WHERE id = ?", id)
	})
}

// takeBackClientName is the client in the Changes that take a group back.
const takeBackClientName = "lectern rollback"

func (d *database) sourcesOfGroup(group int64) ([]string, error) {
	return queryAll(d, func(r *sql.Rows) (s string, err error) { return s, r.Scan(&s) },
		"SELECT source FROM changes WHERE group_id = ? GROUP BY source ORDER BY max(seq) DESC", group)
}

// recordInterruptedGroupIntents abandons the groups that a process left when it died.
func (d *database) recordInterruptedGroupIntents() error {
	d.mu.Lock()
	if d.db == nil {
		d.mu.Unlock()
		return nil // nothing was ever recorded
	}
	ids, err := queryAll(d, func(r *sql.Rows) (id int64, err error) { return id, r.Scan(&id) }, "SELECT id FROM groups")
	var interrupted []int64
	for _, id := range ids {
		if !d.runningGroups[id] {
			interrupted = append(interrupted, id)
		}
	}
	d.mu.Unlock()
	for _, id := range interrupted {
		sources, abandonErr := d.recordGroupIntents(id)
		err = errors.Join(err, abandonErr)
		for _, source := range sources {
			d.markSourceNeedsRecovery(source)
		}
	}
	return err
}

// markUndoneInSameTarget follows when seq was undone: an undo of several Changes of one
// target is one Change, which names the oldest.
func markUndoneInSameTarget(tx *sql.Tx, seq int64) error {
	return exec(tx, `UPDATE changes SET outcome = ? WHERE outcome = ? AND seq > ?
		AND EXISTS (SELECT 1 FROM changes o WHERE o.seq = ? AND o.outcome = ? AND o.name = changes.name
			AND (o.call = changes.call OR o.group_id <> 0 AND o.group_id = changes.group_id))`,
		status.Undone, status.Written, seq, seq, status.Undone)
}

// groupID and parseGroupID convert between IDs as people type them and numbers.
func groupID(id int64) string { return fmt.Sprintf("g%d", id) }

func parseGroupID(text string) (id int64, err error) {
	if _, err := fmt.Sscanf(text, "g%d", &id); err != nil || id <= 0 || groupID(id) != text {
		return 0, fmt.Errorf("invalid group ID %.40q; `lectern changes --json` lists the IDs", text)
	}
	return id, nil
}

// isRetryable reports whether an undo that failed with err is tried again.
func isRetryable(err error) bool {
	e := tools.AsError(err)
	return e != nil && (e.Code == tools.Unavailable || e.Code == tools.Timeout)
}
