package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// ErrKeyReused means that an idempotency key came with another request than the
// first time.
var ErrKeyReused = errors.New("the idempotency key was used for another request")

// An IdempotencyKey says that requests are the same one, sent again.
type IdempotencyKey struct {
	Scope  string // whose keys: a client, a source
	Key    string
	Digest []byte // of the request
}

// Once runs fn in the transaction of c and keeps its answer there. For the same key it
// returns that answer, for keep after the first, and does not run fn again; for the
// same key with another digest it returns [ErrKeyReused]. If fn fails and the
// transaction with it, the key is free.
func (s *Store) Once(
	ctx context.Context, c *Conn, k IdempotencyKey, keep time.Duration, fn func() ([]byte, error),
) (answer []byte, replayed bool, err error) {
	now := s.now()
	if _, err := c.Exec(ctx, "DELETE FROM sqlstore_idempotency WHERE scope = ? AND key = ? AND expires <= ?", k.Scope, k.Key,
		now.UnixNano()); err != nil {
		return nil, false, err
	}
	n, err := c.Exec(ctx, "INSERT INTO sqlstore_idempotency (scope, key, digest, expires) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		k.Scope, k.Key, k.Digest, now.Add(keep).UnixNano())
	if err != nil {
		return nil, false, err
	}
	if n == 0 {
		var digest []byte
		err := c.QueryRow(ctx, "SELECT digest, answer FROM sqlstore_idempotency WHERE scope = ? AND key = ?", k.Scope, k.Key).
			Scan(&digest, &answer)
		if err == nil && !bytes.Equal(digest, k.Digest) {
			err = ErrKeyReused
		}
		return answer, true, err
	}
	if answer, err = fn(); err != nil {
		return nil, false, err
	}
	_, err = c.Exec(ctx, "UPDATE sqlstore_idempotency SET answer = ? WHERE scope = ? AND key = ?", answer, k.Scope, k.Key)
	return answer, false, err
}
