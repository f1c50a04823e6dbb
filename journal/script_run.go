package journal

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// runsSchema is of every format: a Lectern that does not know it leaves it alone.
const runsSchema = `
CREATE TABLE IF NOT EXISTS runs (run TEXT NOT NULL, call INTEGER NOT NULL, PRIMARY KEY (run, call)) WITHOUT ROWID;
DELETE FROM runs WHERE call NOT IN (SELECT call FROM changes);
`

// ScriptRunID names a call that makes others by its seed. A person can undo by it what all
// of these have changed.
func ScriptRunID(seed uint64) string { return fmt.Sprintf("%s%016x", runIDPrefix, seed) }

const runIDPrefix = "run-"

// createScriptRunsTable makes the table of runs, without those whose Changes are gone.
func createScriptRunsTable(db *sql.DB) error {
	_, err := db.ExecContext(context.Background(), runsSchema)
	return err
}

// insertScriptRunCall keeps that a call, named by its first Change, was made by a run.
func insertScriptRunCall(tx *sql.Tx, run string, call int64) error {
	if run == "" {
		return nil
	}
	return exec(tx, "INSERT INTO runs VALUES (?, ?)", run, call)
}

// expandScriptRunIDs is ids with those of runs replaced by a Change of each of their calls.
// Calls that were undone by themselves, or that another undo of the run has undone, are
// left out, unless all were.
func expandScriptRunIDs(d *database, ids []string) (changes []string, err error) {
	for _, id := range ids {
		if !strings.HasPrefix(id, runIDPrefix) {
			changes = append(changes, id)
			continue
		}
		find := func(where string) ([]string, error) {
			return queryAll(d, func(r *sql.Rows) (string, error) {
				var call int64
				err := r.Scan(&call)
				return d.key.changeID(call), err
			}, "SELECT call FROM runs WHERE run = ? AND EXISTS (SELECT 1 FROM changes WHERE changes.call = runs.call"+where+")", id)
		}
		found, err := find(fmt.Sprintf(" AND outcome = '%s'", status.Written))
		if err == nil && len(found) == 0 {
			found, err = find("")
		}
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no run %.40q has changed anything that the journal still has; `lectern script runs` lists the newest runs", id)
		}
		changes = append(changes, found...)
	}
	return changes, nil
}
