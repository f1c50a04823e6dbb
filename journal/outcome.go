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
}

func (v changeRow) withOutcome(o status.Outcome) outcomeUpdate {
	return outcomeUpdate{seq: v.seq, outcome: o}
}

// inferOutcome derives the outcome of a Change from what its target holds now.
func (v changeRow) inferOutcome(now tools.State) outcomeUpdate {
	switch {
	case v.AfterUnknown && !sameState(v.Target, now, v.Before):
		return outcomeUpdate{seq: v.seq, outcome: status.Written, after: &now}
	case sameState(v.Target, now, v.Before):
		return outcomeUpdate{seq: v.seq, dropped: true}
	case sameState(v.Target, now, v.After):
		return v.withOutcome(status.Written)
	}
	return v.withOutcome(status.OutcomeUnknown)
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
	ctx := context.Background()
	var undoes int64
	var before, after []byte
	err := tx.QueryRowContext(ctx, "SELECT undoes, b_blob, a_blob FROM changes WHERE seq = ?", m.seq).Scan(&undoes, &before, &after)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // dropped already
	}
	if err != nil {
		return err
	}
	if m.dropped {
		if err := errors.Join(releaseContent(tx, before), releaseContent(tx, after)); err != nil {
			return err
		}
		return exec(tx, "DELETE FROM changes WHERE seq = ?", m.seq)
	}
	if m.after != nil {
		blob, err := d.key.store(tx, *m.after)
		if err != nil {
			return err
		}
		if err := releaseContent(tx, after); err != nil {
			return err
		}
		if err := exec(tx, "UPDATE changes SET open = 0, a_there = ?, a_mode = ?, a_size = ?, a_blob = ? WHERE seq = ?",
			m.after.Exists, m.after.Mode, len(m.after.Data), blob, m.seq); err != nil {
			return err
		}
	}
	if err := exec(tx, "UPDATE changes SET outcome = ? WHERE seq = ?", m.outcome, m.seq); err != nil {
		return err
	}
	if m.outcome == status.Written && undoes != 0 {
		if err := markUndone(tx, undoes); err != nil {
			return err
		}
		return markSameTarget(tx, undoes)
	}
	return nil
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
