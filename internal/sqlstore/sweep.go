package sqlstore

import (
	"context"
	"errors"
)

// Sweep removes idempotency keys and rate windows that have expired, and
// gives the space of deleted rows back. Nothing depends on when it runs.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.now().UnixNano()
	err := s.Write(ctx, func(c *Conn) error {
		var errs []error
		for _, table := range []string{"sqlstore_idempotency", "sqlstore_rates"} {
			_, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE expires <= ?", now)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, s.vacuum(ctx))
}
