package cardstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Rename gives a card another name, and with it all cards that its name is part of.
// With updateReferers the references to them follow, also in cards that the caller
// may not read, which the caller is not told.
func (s *Store) Rename(ctx context.Context, by Caller, name, newName string, updateReferers bool) (c Card, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		c, err = renaming{s, q, by}.run(ctx, name, cardname.Parse(newName), updateReferers)
		return err
	})
	return c, err
}

// A renaming gives names in one transaction.
type renaming struct {
	*Store
	q  *sqlstore.Conn
	by Caller
}

func (s renaming) run(ctx context.Context, name string, with cardname.Name, updateReferers bool) (Card, error) {
	q, by := s.q, s.by
	c, err := get(ctx, q, by, name)
	if err != nil {
		return Card{}, err
	}
	if !by.has(Admin) {
		return Card{}, &DeniedError{c.Name, "rename"}
	}
	if err := checkName(ctx, q, by, with); err != nil {
		return Card{}, err
	}
	if err := admits(ctx, q, by, with); err != nil {
		return Card{}, err
	}
	if err := mayWrite(ctx, q, by, c, mayUpdate); err != nil {
		return Card{}, err
	}
	if c.key != with.Key() {
		d, err := scanDescribed(q.QueryRow(ctx, describedCards+" WHERE c.id = ?", c.ID))
		if err != nil {
			return Card{}, err
		}
		d.Name = with
		if err := checkFree(ctx, q, by, d.Description); err != nil {
			return Card{}, err
		}
	}
	moved, err := named(ctx, q, c)
	if err != nil {
		return Card{}, err
	}
	var referers []int64
	if updateReferers {
		if referers, err = referersOf(ctx, q, moved); err != nil {
			return Card{}, err
		}
	}
	act := s.newID()
	for _, m := range moved {
		if err := s.giveName(ctx, m, m.Name.Swap(c.Name, with), act); err != nil {
			return Card{}, err
		}
	}
	for _, id := range referers {
		if err := s.renameWithin(ctx, id, c.Name, with); err != nil {
			return Card{}, err
		}
	}
	c, _, err = cardBy(ctx, q, "c.id = ?", c.ID)
	return c, err
}

// named are the live cards whose name contains the name of c, it first.
func named(ctx context.Context, q *sqlstore.Conn, c Card) ([]Card, error) {
	like := escapeLike(c.key)
	all, err := sqlstore.Select(ctx, q, scanCard, "SELECT "+cardColumns+cardTables+
		`WHERE c.trash = 0 AND (c.key = ? OR c.key LIKE ? ESCAPE '\' OR c.key LIKE ? ESCAPE '\' OR c.key LIKE ? ESCAPE '\')`, c.key, like+"+%",
		"%+"+like, "%+"+like+"+%")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Card) int { return len(a.Name.Parts()) - len(b.Name.Parts()) })
	return all, nil
}

// referersOf are the cards that refer to one of these.
func referersOf(ctx context.Context, q *sqlstore.Conn, cards []Card) (ids []int64, err error) {
	for _, c := range cards {
		some, err := sqlstore.Select(ctx, q, func(row sqlstore.Row) (id int64, err error) { return id, row.Scan(&id) },
			"SELECT DISTINCT referer_id FROM reference WHERE key = ?", c.key)
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// vacate takes a name from a card in the trash that has it, for the card with this id.
func vacate(ctx context.Context, q *sqlstore.Conn, n cardname.Name, id int64) error {
	old, found, err := cardBy(ctx, q, "c.key = ? AND c.id <> ?", n.Key(), id)
	switch {
	case err != nil || !found:
		return err
	case !old.trash:
		return &TakenError{old}
	}
	aside := cardname.Name(string(old.Name) + "*trash")
	key := fmt.Sprintf("%s*%d", aside.Key(), old.ID)
	_, err = q.Exec(ctx, "UPDATE card SET name = ?, key = ?, words = ?, title = ? WHERE id = ?", string(aside), key, searchedWords(aside),
		searchedTitle(aside), old.ID)
	return err
}

// giveName changes the name of one card. A card in the trash that has the name loses
// it.
func (s renaming) giveName(ctx context.Context, c Card, with cardname.Name, act int64) error {
	q, by := s.q, s.by
	if err := vacate(ctx, q, with, c.ID); err != nil {
		return err
	}
	s.record.add(c.Name, act)
	if err := s.renameAccount(ctx, q, c.Name, with); err != nil {
		return err
	}
	c.Name, c.key, c.Revision = with, with.Key(), act
	if with.IsCompound() {
		left, right, err := s.ensureSides(ctx, q, by, with)
		if err != nil {
			return err
		}
		c.leftID, c.rightID = nullID(left.ID), nullID(right.ID)
	} else {
		c.leftID.Valid, c.rightID.Valid = false, false
	}
	_, err := q.Exec(ctx, "UPDATE card SET name = ?, key = ?, words = ?, title = ?, left_id = ?, right_id = ?, updated_at = ?, "+
		"updater = ?, act_id = ? WHERE id = ?",
		string(with), c.key, searchedWords(with), searchedTitle(with), c.leftID, c.rightID, s.now().UnixNano(), by.Account, act, c.ID)
	if err != nil {
		return err
	}
	return s.written(ctx, q, by, c, "update", []string{"name"})
}

// renameWithin lets the references of a card follow a rename.
func (s renaming) renameWithin(ctx context.Context, id int64, old, with cardname.Name) error {
	q, by := s.q, s.by
	c, found, err := cardBy(ctx, q, "c.id = ? AND c.trash = 0", id)
	if err != nil || !found {
		return err
	}
	content := cardtext.Rename(c.Content, old, with)
	switch c.TypeID {
	case listID, pointerID, linkListID, nestListID:
		items := cardtext.Items(c.Content)
		for i, item := range items {
			items[i] = item.Swap(old, with)
		}
		content = cardtext.JoinItems(items)
	}
	if content == c.Content {
		return nil
	}
	c.Content = content
	_, err = changeCard(ctx, s.Store, q, by, c, []string{"db_content"})
	return err
}
