package cardstore

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// Delete puts a card into the trash, and with it all cards that its name is part of, or
// for a compound name all that are below it. They go along whether or not the caller may
// read them: none could keep its name.
func (s *Store) Delete(ctx context.Context, by Caller, name string) (c Card, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		c, err = deleteCard(ctx, s, q, by, name)
		return err
	})
	return c, err
}

func deleteCard(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, name string) (Card, error) {
	c, err := get(ctx, q, by, name)
	if err != nil {
		return Card{}, err
	}
	if !by.has(Admin) {
		return Card{}, &DeniedError{c.Name, "delete"}
	}
	if err := mayWrite(ctx, q, by, c, mayDelete); err != nil {
		return Card{}, err
	}
	gone, err := goingWith(ctx, q, c)
	if err != nil {
		return Card{}, err
	}
	if slices.ContainsFunc(gone, func(g Card) bool { return g.Codename != "" }) {
		return Card{}, ErrSystemCard
	}
	if uses, err := usesOf(ctx, q, c); err != nil || uses {
		return Card{}, cmpOr(err, ErrSystemCard)
	}
	act := s.newID()
	slices.SortStableFunc(gone, func(a, b Card) int { return len(a.Name.Parts()) - len(b.Name.Parts()) })
	for _, g := range gone {
		if err := trashCard(ctx, s, q, by, g, act); err != nil {
			return Card{}, err
		}
	}
	return c, nil
}

// goingWith are the live cards that go when c goes, it first.
func goingWith(ctx context.Context, q *sqlstore.Conn, c Card) ([]Card, error) {
	if !c.Name.IsCompound() {
		return named(ctx, q, c)
	}
	condition, args := below(c.key)
	return sqlstore.Select(ctx, q, scanCard, "SELECT "+cardColumns+cardTables+"WHERE +c.trash = 0 AND "+condition, args...)
}

// trashCard puts one card into the trash. If it is that of an account, nobody logs in by it
// any more, whatever brings the card back.
func trashCard(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, c Card, act int64) error {
	c.Revision = act
	if _, err := q.Exec(ctx, "UPDATE card SET trash = 1, updated_at = ?, updater = ?, act_id = ? WHERE id = ?", s.nextPosition(), by.Account,
		act, c.ID); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, "DELETE FROM reference WHERE referer_id = ?", c.ID); err != nil {
		return err
	}
	if err := s.endAccountOf(ctx, q, c.Name); err != nil {
		return err
	}
	if err := s.remember(ctx, q, by, c, "delete", []string{"trash"}); err != nil {
		return err
	}
	return reclassify(ctx, q, c, nil)
}

func cmpOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// usesOf reports whether a card is the type of live cards.
func usesOf(ctx context.Context, q *sqlstore.Conn, c Card) (bool, error) {
	if c.TypeID != cardtypeID {
		return false, nil
	}
	var n int
	err := q.QueryRow(ctx, "SELECT count(*) FROM card WHERE type_id = ? AND trash = 0", c.ID).Scan(&n)
	return n > 0, err
}
