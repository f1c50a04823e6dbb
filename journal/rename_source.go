package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// RenameSource gives the Changes of a source to its new name, so that they can
// still be undone. The source is closed meanwhile, and none of its calls runs.
func (j *Journal) RenameSource(ctx context.Context, from, to string) error {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.transact(func(tx *sql.Tx) error { return renameSourceRows(ctx, j.database, tx, from, to) })
	if err != nil {
		return fmt.Errorf("rename source in the journal: %w", err)
	}
	j.needsRecovery[to] = j.needsRecovery[to] || j.needsRecovery[from]
	delete(j.needsRecovery, from)
	return nil
}

// renameSourceRows renames what has a source in it. The names of targets are hashes
// of the source's name too, so they are made again.
func renameSourceRows(ctx context.Context, d *database, tx *sql.Tx, from, to string) (err error) {
	rows, err := tx.QueryContext(ctx, "SELECT DISTINCT name, target FROM changes WHERE source = ?", from)
	if err != nil {
		return err
	}
	renamed := map[string][]byte{} // target, by its former name
	for rows.Next() {
		var name, sealed []byte
		if err := rows.Scan(&name, &sealed); err != nil {
			return errors.Join(err, rows.Close())
		}
		if renamed[string(name)], err = d.key.decrypt(sealed, "target"); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for name, target := range renamed {
		if err := exec(tx, "UPDATE changes SET name = ? WHERE name = ?", d.targetHash(to, string(target)), []byte(name)); err != nil {
			return err
		}
	}
	if err := exec(tx, "UPDATE changes SET source = ? WHERE source = ?", to, from); err != nil {
		return err
	}
	return exec(tx, "UPDATE intents SET source = ? WHERE source = ?", to, from)
}
