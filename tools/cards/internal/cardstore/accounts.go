package cardstore

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// An account is a row of its own beside the card of its name. It ends with the card, and a
// card that comes back brings none back.

// AccountSubject is whom the tokens of an account name.
func AccountSubject(name string) string { return "user:" + name }

// EndAccount keeps an account from logging in and ends its tokens; false: there is none.
func EndAccount(ctx context.Context, q *sqlstore.Conn, name string, now time.Time) (found bool, err error) {
	n, err := q.Exec(ctx, "UPDATE account SET active = 0 WHERE name = ?", name)
	if err != nil || n == 0 {
		return false, err
	}
	return true, RevokeTokens(ctx, q, AccountSubject(name), now)
}

// RevokeTokens ends every token of a subject, or the one with this jti, that was issued
// until now.
func RevokeTokens(ctx context.Context, q *sqlstore.Conn, subject string, now time.Time) error {
	_, err := q.Exec(ctx, "INSERT INTO revoked (subject, before) VALUES (?, ?) ON CONFLICT (subject) DO UPDATE SET before = excluded.before",
		subject, now.Unix()+1)
	return err
}

// IsServiceAccount reports whether API keys act as the account: it does not end.
func IsServiceAccount(name string) bool {
	for _, role := range Roles() {
		if name == ServiceAccount(role) {
			return true
		}
	}
	return false
}

// endAccountOf ends the account of a card that goes.
func (s *Store) endAccountOf(ctx context.Context, q *sqlstore.Conn, n cardname.Name) error {
	if n.IsCompound() || IsServiceAccount(string(n)) {
		return nil
	}
	_, err := EndAccount(ctx, q, string(n), s.now())
	return err
}

// renameAccount lets an account follow its card. Its tokens end.
func (s *Store) renameAccount(ctx context.Context, q *sqlstore.Conn, old, with cardname.Name) error {
	if old == with || old.IsCompound() || IsServiceAccount(string(old)) {
		return nil
	}
	if with.IsCompound() { // which no account is named
		return s.endAccountOf(ctx, q, old)
	}
	if _, err := q.Exec(ctx, "DELETE FROM account WHERE name = ? AND active = 0", string(with)); err != nil {
		return err
	}
	n, err := q.Exec(ctx, "UPDATE account SET name = ? WHERE name = ?", string(with), string(old))
	if err != nil || n == 0 {
		return err
	}
	return RevokeTokens(ctx, q, AccountSubject(string(old)), s.now())
}
