package journal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An outcomeUpdate records what became of a Change.
type outcomeUpdate struct {
	seq     int64
	outcome status.Outcome
	dropped bool         // it did not happen
	after   *tools.State // of a Change whose result was unknown before the write
	// revision is what the writer has made of the target; empty: as it was recorded.
	revision string
	// leavesGroup means that nobody can tell this call from another one that wrote the same:
	// the target stays as it is when the group is taken back.
	leavesGroup bool
}

func (v changeRow) newOutcomeUpdate(o status.Outcome) outcomeUpdate {
	return outcomeUpdate{seq: v.seq, outcome: o}
}

// reportedOutcome is what became of a Change as its writer has told.
func (v changeRow) reportedOutcome() outcomeUpdate {
	switch {
	case v.report == unknownOutcome:
		return v.newOutcomeUpdate(status.OutcomeUnknown)
	case v.report == notWritten, v.AfterUnknown && sameState(v.Target, v.After, v.Before):
		return outcomeUpdate{seq: v.seq, dropped: true}
	case v.AfterUnknown:
		return outcomeUpdate{seq: v.seq, outcome: status.Written, after: &v.After, revision: v.After.Revision}
	}
	return outcomeUpdate{seq: v.seq, outcome: status.Written, revision: v.After.Revision}
}

// sameState reports whether two States of a target are equal. Of a container,
// such as a folder, only its existence counts.
func sameState(target string, a, b tools.State) bool {
	if isContainer(target) {
		return a.Exists == b.Exists
	}
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

// writeOutcomes writes the queued outcomes.
func (d *database) writeOutcomes(tx *sql.Tx) error {
	for _, m := range d.queued {
		if err := d.applyOutcome(tx, m); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) applyOutcome(tx *sql.Tx, m outcomeUpdate) error {
	if m.dropped {
		return dropChange(tx, m.seq)
	}
	if m.after != nil {
		if err := storeAfterState(d, tx, m.seq, *m.after); err != nil {
			return err
		}
	}
	var undoes int64
	err := tx.QueryRowContext(context.Background(), "UPDATE changes SET outcome = ?, a_revision = coalesce(nullif(?, ''), a_revision), "+
		"group_id = CASE WHEN ? THEN 0 ELSE group_id END WHERE seq = ? RETURNING undoes", m.outcome, m.revision, m.leavesGroup, m.seq).
		Scan(&undoes)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // dropped already
	}
	if err == nil && m.outcome == status.Written && undoes != 0 {
		if err = markUndone(tx, undoes); err == nil {
			err = markUndoneInSameTarget(tx, undoes)
		}
	}
	return err
}

// dropChange removes a Change that did not happen, if it is there.
func dropChange(tx *sql.Tx, seq int64) error {
	var before, after []byte
	err := tx.QueryRowContext(context.Background(), "DELETE FROM changes WHERE seq = ? RETURNING b_blob, a_blob", seq).Scan(&before, &after)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return errors.Join(err, releaseContent(tx, before), releaseContent(tx, after))
}

// storeAfterState stores what a Change, if it is there, has made of its target, which
// was not known before the write.
func storeAfterState(d *database, tx *sql.Tx, seq int64, result tools.State) error {
	var former []byte
	err := tx.QueryRowContext(context.Background(), "SELECT a_blob FROM changes WHERE seq = ?", seq).Scan(&former)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	hash, err := d.key.storeContent(tx, result)
	if err != nil {
		return err
	}
	d.nextCheck.room -= int64(len(result.Data)) + sealOverhead
	if err := releaseContent(tx, former); err != nil {
		return err
	}
	return exec(tx, "UPDATE changes SET open = 0, a_there = ?, a_mode = ?, a_size = ?, a_blob = ? WHERE seq = ?",
		result.Exists, result.Mode, len(result.Data), hash, seq)
}

// markUndone marks a Change as undone. If it was an undo itself, what it undid
// is written again, and so on.
func markUndone(tx *sql.Tx, seq int64) error {
	next := map[status.Outcome]status.Outcome{status.Undone: status.Written, status.Written: status.Undone}
	for o := status.Undone; seq != 0; o = next[o] {
		err := tx.QueryRowContext(context.Background(), "UPDATE changes SET outcome = ? WHERE seq = ? RETURNING undoes", o, seq).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
