package cardauth

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A KeyState is all that is kept of an API key, which is not the key itself.
type KeyState struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Prefix    string `json:"key_prefix"`
	Roles     string `json:"roles"`
	RateLimit int64  `json:"rate_limit"`
	Active    int64  `json:"active"`
	MadeAt    int64  `json:"created_at"` // Unix nanoseconds
	ExpiresAt int64  `json:"expires_at"` // 0: never
	Contact   string `json:"contact_email"`
	About     string `json:"description"`
	Digest    string `json:"digest"` // SHA-256
}

// State is what is kept of the key.
func (k APIKey) State() *KeyState {
	active := int64(0)
	if k.Active {
		active = 1
	}
	return &KeyState{
		k.ID, k.Name, k.Prefix, joinRoles(k.Roles), k.RateLimit, active, k.MadeAt.UnixNano(), nano(k.ExpiresAt), k.Contact,
		k.About, k.digest,
	}
}

// AllowsMore reports whether a key in the state k allows what it does not allow in the
// state other; nil: there is no key.
func (k *KeyState) AllowsMore(other *KeyState) bool {
	if k == nil || k.Active == 0 {
		return false
	}
	if other == nil || other.Active == 0 || k.Digest != other.Digest {
		return true
	}
	longer := other.ExpiresAt != 0 && (k.ExpiresAt == 0 || k.ExpiresAt > other.ExpiresAt)
	if longer || k.RateLimit > other.RateLimit {
		return true
	}
	roles := strings.Split(other.Roles, ",")
	return slices.ContainsFunc(strings.Split(k.Roles, ","), func(r string) bool { return !slices.Contains(roles, r) })
}

// KeyState returns what is kept of a key; nil: there is none.
func (a *Auth) KeyState(ctx context.Context, id int64) (*KeyState, error) {
	return keyState(ctx, a.o.DB.Reader(), id)
}

func keyState(ctx context.Context, q *sqlstore.Conn, id int64) (*KeyState, error) {
	var k KeyState
	err := q.QueryRow(ctx, "SELECT "+keyColumns+" FROM api_key WHERE id = ?", id).
		Scan(&k.ID, &k.Name, &k.Prefix, &k.Roles, &k.RateLimit, &k.Active, &k.MadeAt, &k.ExpiresAt, &k.Contact, &k.About, &k.Digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // absence is no error
	}
	return &k, err
}

// SetKeyState takes a key from before to after, nil for none; false: it is not as before
// says. A key that is removed, no longer active or has other roles ends the tokens
// that it got.
func (a *Auth) SetKeyState(ctx context.Context, id int64, before, after *KeyState) (fits bool, err error) {
	err = a.o.DB.Write(ctx, func(q *sqlstore.Conn) error {
		now, err := keyState(ctx, q, id)
		if err != nil {
			return err
		}
		if fits = (now == nil) == (before == nil) && (now == nil || *now == *before); !fits {
			return nil
		}
		if _, err := q.Exec(ctx, "DELETE FROM api_key WHERE id = ?", id); err != nil {
			return err
		}
		if k := after; k != nil {
			_, err := q.Exec(ctx, "INSERT INTO api_key ("+keyColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				k.ID, k.Name, k.Prefix, k.Roles, k.RateLimit, k.Active, k.MadeAt, k.ExpiresAt, k.Contact, k.About, k.Digest)
			if err != nil {
				return err
			}
		}
		if before == nil || after != nil && after.Active != 0 && after.Roles == before.Roles {
			return nil
		}
		return cardstore.RevokeTokens(ctx, q, keySubject(id), a.o.Now())
	})
	return fits, err
}
