package cardstore

import (
	"context"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// longestName is what nobody needs to look up, in bytes: no card has a longer name.
const longestName = 4 * 255

// Get returns a card by its name, by ~ID or by :codename. It returns a BarredError
// for a name that rules keep from the caller, before it looks for a card, and
// ErrNotFound for all that is not there for the caller.
func (s *Store) Get(ctx context.Context, by Caller, name string) (Card, error) {
	return get(ctx, s.reader(), by, name)
}

func get(ctx context.Context, q *sqlstore.Conn, by Caller, name string) (Card, error) {
	if len(name) > longestName {
		return Card{}, ErrNotFound
	}
	n := cardname.Parse(name)
	condition, arg := "c.key = ? AND c.trash = 0", any(n.Key())
	if id, ok := strings.CutPrefix(name, "~"); ok {
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return Card{}, ErrNotFound
		}
		condition, arg = "c.id = ? AND c.trash = 0", number
	} else if codename, ok := strings.CutPrefix(name, ":"); ok {
		condition, arg = "c.codename = ? AND c.trash = 0", codename
	} else if err := admits(ctx, q, by, n); err != nil {
		return Card{}, err
	}
	c, found, err := cardBy(ctx, q, condition, arg)
	if err != nil {
		return Card{}, err
	}
	return ifSeen(ctx, q, by, c, found)
}

// ifSeen is a card that was found, or ErrNotFound if it is not there for the caller.
func ifSeen(ctx context.Context, q *sqlstore.Conn, by Caller, c Card, found bool) (Card, error) {
	if !found {
		return Card{}, ErrNotFound
	}
	switch seen, err := sees(ctx, q, by, c); {
	case err != nil:
		return Card{}, err
	case !seen:
		return Card{}, ErrNotFound
	}
	return c, nil
}

// MayRead returns a BarredError if rules about names keep this one from the caller,
// whether or not a card has it.
func (s *Store) MayRead(ctx context.Context, by Caller, name string) error {
	return admits(ctx, s.reader(), by, cardname.Parse(name))
}

// admits returns a BarredError if rules about names keep n from the caller.
func admits(ctx context.Context, q *sqlstore.Conn, by Caller, n cardname.Name) error {
	barrier, err := newAccess(q).barrier(ctx, n, mayRead)
	if err != nil {
		return err
	}
	if !barrier.admit(by.groups()) {
		return &BarredError{n, barrier.leastRole()}
	}
	return nil
}

// ResolveType returns the card of a type that the caller may read, or a TypeError.
func (s *Store) ResolveType(ctx context.Context, by Caller, name string) (Card, error) {
	return resolveType(ctx, s.reader(), by, name)
}

func resolveType(ctx context.Context, q *sqlstore.Conn, by Caller, name string) (Card, error) {
	c, err := get(ctx, q, by, name)
	switch {
	case err != nil && !isAbsent(err):
		return Card{}, err
	case err != nil, c.TypeID != cardtypeID:
		return Card{}, &TypeError{name}
	}
	return c, nil
}
