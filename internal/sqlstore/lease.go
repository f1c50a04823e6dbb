package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Errors of leases.
var (
	ErrLeaseHeld = errors.New("another holds the lease")
	ErrLeaseLost = errors.New("the lease has expired or is another's")
)

// A Lease is the right to do a job until a moment, even if other processes are
// willing to do it. Whoever holds it renews it well before, or loses it.
type Lease struct {
	Name  string // of the job
	Owner string // for people who look at the table
	// Token grows each time that a job is claimed.
	Token int64
	Until time.Time
}

// Claim takes the lease of a job for ttl, or returns [ErrLeaseHeld]. An expired
// lease is anybody's.
func (s *Store) Claim(ctx context.Context, name, owner string, ttl time.Duration) (Lease, error) {
	l := Lease{Name: name, Owner: owner}
	now := s.now()
	l.Until = now.Add(ttl)
	// The token begins with the time, because a released lease leaves no row that
	// would know the last one.
	found, err := s.writeRow(ctx, &l.Token, `INSERT INTO sqlstore_leases (name, owner, token, expires) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires = excluded.expires,
			token = CASE WHEN excluded.token > sqlstore_leases.token THEN excluded.token ELSE sqlstore_leases.token + 1 END
		WHERE sqlstore_leases.expires <= ? RETURNING token`, name, owner, now.UnixNano(), l.Until.UnixNano(), now.UnixNano())
	switch {
	case err != nil:
		return Lease{}, fmt.Errorf("claim lease %s: %w", name, err)
	case !found:
		return Lease{}, ErrLeaseHeld
	}
	return l, nil
}

// Renew extends a lease to ttl from now, or returns [ErrLeaseLost].
func (s *Store) Renew(ctx context.Context, l Lease, ttl time.Duration) (Lease, error) {
	now := s.now()
	l.Until = now.Add(ttl)
	found, err := s.writeRow(ctx, &l.Token, "UPDATE sqlstore_leases SET expires = ? WHERE name = ? AND token = ? AND expires > ? RETURNING "+
		"token",
		l.Until.UnixNano(), l.Name, l.Token, now.UnixNano())
	switch {
	case err != nil:
		return Lease{}, fmt.Errorf("renew lease %s: %w", l.Name, err)
	case !found:
		return Lease{}, ErrLeaseLost
	}
	return l, nil
}

// Release gives a lease up. One that was lost stays its new owner's.
func (s *Store) Release(ctx context.Context, l Lease) error {
	_, err := s.writeRow(ctx, &l.Token, "DELETE FROM sqlstore_leases WHERE name = ? AND token = ? RETURNING token", l.Name, l.Token)
	if err != nil {
		return fmt.Errorf("release lease %s: %w", l.Name, err)
	}
	return nil
}

// Confirm returns [ErrLeaseLost] unless the lease is still held. Within [Store.Write] it
// stays so until the transaction ends: a job whose result is written together
// with Confirm is done once.
func (s *Store) Confirm(ctx context.Context, c *Conn, l Lease) error {
	query := "SELECT token FROM sqlstore_leases WHERE name = ? AND token = ? AND expires > ?"
	if c.dialect == Postgres {
		query += " FOR UPDATE"
	}
	err := c.QueryRow(ctx, query, l.Name, l.Token, s.now().UnixNano()).Scan(&l.Token)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrLeaseLost
	}
	return err
}
