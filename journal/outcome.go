package journal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A mark is what became of a Change.
type mark struct {
	seq     int64
	outcome status.Outcome
	dropped bool         // it did not happen
	after   *tools.State // of one that was open
}

func (v row) mark(o status.Outcome) mark { return mark{seq: v.seq, outcome: o} }

// judged is the mark of a Change whose target holds now.
func (v row) judged(now tools.State) mark {
	switch {
	case v.AfterUnknown && !alike(v.Target, now, v.Before):
		return mark{seq: v.seq, outcome: status.Written, after: &now}
	case alike(v.Target, now, v.Before):
		return mark{seq: v.seq, dropped: true}
	case alike(v.Target, now, v.After):
		return v.mark(status.Written)
	}
	return v.mark(status.OutcomeUnknown)
}

// alike says whether a target holds the same in two States.
func alike(target string, a, b tools.State) bool {
	if holdsOthers(target) {
		return a.Exists == b.Exists
	}
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

// markAll writes the outcomes that wait.
func (j *Journal) markAll(tx batch) error {
	for _, m := range j.marks {
		if err := j.apply(tx, m); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) apply(tx batch, m mark) error {
	ctx := context.Background()
	var undoes int64
	var before, after []byte
	err := tx.QueryRowContext(ctx, findMarked, m.seq).Scan(&undoes, &before, &after)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // dropped before
	}
	if err != nil {
		return err
	}
	if m.dropped {
		if err := errors.Join(release(tx, before), release(tx, after)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM changes WHERE seq = ?", m.seq)
		return err
	}
	if m.after != nil {
		blob, err := j.key.keep(tx, *m.after)
		if err != nil {
			return err
		}
		if err := release(tx, after); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE changes SET open = 0, a_there = ?, a_mode = ?, a_size = ?, a_blob = ? WHERE seq = ?",
			m.after.Exists, m.after.Mode, len(m.after.Data), blob, m.seq); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, setOutcome, m.outcome, m.seq); err != nil {
		return err
	}
	if m.outcome == status.Written && undoes != 0 {
		return takeBack(tx, undoes)
	}
	return nil
}

// takeBack marks a Change as undone. If that was an undo itself, what it took
// back stands again, and so on.
func takeBack(tx batch, seq int64) error {
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
