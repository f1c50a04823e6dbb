package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// storeContent stores a content once, however many States hold it, and returns its
// name; nil if there is nothing to store.
func (k *encryptionKey) storeContent(tx *sql.Tx, s tools.State) ([]byte, error) {
	if !s.Exists {
		return nil, nil
	}
	ctx, hash := context.Background(), k.keyedHash(s.Data)
	res, err := tx.ExecContext(ctx, "UPDATE blobs SET refs = refs + 1 WHERE hash = ?", hash)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return hash, err
	}
	sealed := k.encrypt(s.Data, "content")
	if err := exec(tx, "INSERT INTO blobs VALUES (?, ?, 1)", hash, sealed); err != nil {
		return nil, err
	}
	err = exec(tx, "UPDATE facts SET value = value + ? WHERE name = 'bytes'", len(sealed))
	return hash, err
}

// releaseContent drops one reference to a content, and the content with the
// last one.
func releaseContent(tx *sql.Tx, hash []byte) error {
	if hash == nil {
		return nil
	}
	ctx := context.Background()
	var refs, size int
	err := tx.QueryRowContext(ctx, "UPDATE blobs SET refs = refs - 1 WHERE hash = ? RETURNING refs, length(data)", hash).Scan(&refs, &size)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errors.New("the content that a change refers to is missing")
	case err != nil || refs > 0:
		return err
	}
	if err := exec(tx, "DELETE FROM blobs WHERE hash = ?", hash); err != nil {
		return err
	}
	return exec(tx, "UPDATE facts SET value = value - ? WHERE name = 'bytes'", size)
}

// loadContent reads what store stored.
func (d *database) loadContent(hash []byte) ([]byte, error) {
	if hash == nil {
		return nil, nil
	}
	var sealed []byte
	err := d.db.QueryRowContext(context.Background(), "SELECT data FROM blobs WHERE hash = ?", hash).Scan(&sealed)
	if err != nil {
		return nil, fmt.Errorf("read content: %w", d.closeIfDamaged(err))
	}
	return d.key.decrypt(sealed, "content")
}
