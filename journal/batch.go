package journal

import (
	"context"
	"database/sql"
)

// The statements that every write runs. They are prepared when the database is
// opened: to parse them took a third of a small write.
const (
	addReference = "UPDATE blobs SET refs = refs + 1 WHERE hash = ?"
	addBlob      = "INSERT INTO blobs VALUES (?, ?, 1)"
	addBytes     = "UPDATE facts SET value = value + ? WHERE name = 'bytes'"
	addChange    = `INSERT INTO changes (call, time, client, session, source, tool, name, target, reason, outcome, open, undoes, fixed,
		b_there, b_mode, b_size, b_blob, a_there, a_mode, a_size, a_blob, proven) VALUES (?,?,?,?,?,?,?,?,?,'',?,?,'',?,?,?,?,?,?,?,?,?)`
	startCall  = "UPDATE changes SET call = seq WHERE seq = ?"
	oldestKept = `SELECT c.call, c.time, (SELECT value FROM facts WHERE name = 'bytes')
			FROM changes c WHERE c.fixed = '' AND c.call <> ? AND c.outcome <> ''
			AND NOT EXISTS (SELECT 1 FROM changes p WHERE p.call = c.call AND p.outcome = '')
			AND c.call NOT IN (SELECT call FROM intents) ORDER BY c.call LIMIT 1`
	findMarked = "SELECT undoes, b_blob, a_blob FROM changes WHERE seq = ?"
	setOutcome = "UPDATE changes SET outcome = ? WHERE seq = ?"
)

func prepared(ctx context.Context, db *sql.DB) (map[string]*sql.Stmt, error) {
	all := map[string]*sql.Stmt{}
	for _, query := range []string{addReference, addBlob, addBytes, addChange, startCall, oldestKept, findMarked, setOutcome} {
		s, err := db.PrepareContext(ctx, query)
		if err != nil {
			return nil, err // closing the database closes the others
		}
		all[query] = s
	}
	return all, nil
}

// A batch is a transaction that uses what is prepared.
type batch struct {
	*sql.Tx

	prepared map[string]*sql.Stmt
}

// ExecContext is the transaction's.
func (b batch) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := b.prepared[query]; s != nil {
		return b.StmtContext(ctx, s).ExecContext(ctx, args...)
	}
	return b.Tx.ExecContext(ctx, query, args...)
}

// QueryRowContext is the transaction's.
func (b batch) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := b.prepared[query]; s != nil {
		return b.StmtContext(ctx, s).QueryRowContext(ctx, args...)
	}
	return b.Tx.QueryRowContext(ctx, query, args...)
}
