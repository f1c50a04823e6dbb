package sqlstore

import (
	"context"
	"fmt"
	"time"
)

// A RateLimit is how much may be taken in each window of time. Windows are
// fixed, so that twice the limit fits into the end of one and the beginning of
// the next.
type RateLimit struct {
	Limit  int64
	Window time.Duration
}

// Take counts n against the limit of this name, over all processes. If n does
// not fit it counts nothing and returns how long to wait for the next window.
func (s *Store) Take(ctx context.Context, name string, n int64, r RateLimit) (wait time.Duration, err error) {
	if n > r.Limit {
		return 0, fmt.Errorf("take %d of %s: more than the limit of %d", n, name, r.Limit)
	}
	now := s.now()
	start := now.Truncate(r.Window)
	end := start.Add(r.Window)
	// A process whose clock is behind counts in the window that others have begun.
	var taken int64
	found, err := s.writeRow(ctx, &taken, `INSERT INTO sqlstore_rates (name, begins, expires, taken) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET
			taken = CASE WHEN sqlstore_rates.begins < excluded.begins THEN excluded.taken ELSE sqlstore_rates.taken + excluded.taken END,
			begins = CASE WHEN sqlstore_rates.begins < excluded.begins THEN excluded.begins ELSE sqlstore_rates.begins END,
			expires = CASE WHEN sqlstore_rates.begins < excluded.begins THEN excluded.expires ELSE sqlstore_rates.expires END
		WHERE sqlstore_rates.begins < excluded.begins OR sqlstore_rates.taken + excluded.taken <= ? RETURNING taken`,
		name, start.UnixNano(), end.UnixNano(), n, r.Limit)
	switch {
	case err != nil:
		return 0, fmt.Errorf("take %d of %s: %w", n, name, err)
	case !found:
		return end.Sub(now), nil
	}
	return 0, nil
}
