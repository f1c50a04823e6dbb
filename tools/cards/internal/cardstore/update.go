package cardstore

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// A CardUpdate changes a card. Nil leaves a field as it is.
type CardUpdate struct {
	Type *string
	// Content gives the new content for the present one.
	Content func(old string) (string, error)
	// IfRevision is the revision that the card must have; nil: any.
	IfRevision *int64
}

// Update changes a card that its caller may read and update.
func (s *Store) Update(ctx context.Context, by Caller, name string, u CardUpdate) (c Card, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		c, err = updateCard(ctx, s, q, by, name, u)
		return err
	})
	return c, err
}

func updateCard(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, name string, u CardUpdate) (Card, error) {
	c, err := get(ctx, q, by, name)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return Card{}, nameRuleBefore(ctx, q, by, name, mayUpdate, err)
		}
		return Card{}, err
	}
	if err := mayWrite(ctx, q, by, c, mayUpdate); err != nil {
		return Card{}, err
	}
	if u.IfRevision != nil && *u.IfRevision != c.Revision {
		return c, ErrConflict
	}
	var changes []string
	kind := Card{ID: c.TypeID, Name: c.Type}
	if u.Type != nil {
		if kind, err = resolveType(ctx, q, by, *u.Type); err != nil {
			return Card{}, err
		}
		if kind.ID != c.TypeID {
			changes = append(changes, "type_id")
		}
	}
	content := c.Content
	if u.Content != nil {
		if content, err = u.Content(content); err != nil {
			return Card{}, err
		}
	}
	if content, err = cleanContent(kind.ID, content); err != nil {
		return Card{}, err
	}
	if content != c.Content {
		changes = append(changes, "db_content")
	}
	c.TypeID, c.Type, c.Content = kind.ID, kind.Name, content
	if len(changes) == 0 {
		return c, nil
	}
	return changeCard(ctx, s, q, by, c, changes)
}

// nameRuleBefore is err, or the refusal that rules about names alone give for a card
// that does not exist as for one that does.
func nameRuleBefore(ctx context.Context, q *sqlstore.Conn, by Caller, name string, s setting, err error) error {
	if len(name) > longestName {
		return err
	}
	n := cardname.Parse(name)
	barrier, ruleErr := newAccess(q).barrier(ctx, n, s)
	switch {
	case ruleErr != nil:
		return ruleErr
	case !barrier.admit(by.groups()):
		return &BarredError{n, barrier.leastRole()}
	}
	return err
}

// mayWrite returns why the caller may not do this with a card that it may read.
func mayWrite(ctx context.Context, q *sqlstore.Conn, by Caller, c Card, what setting) error {
	who, err := newAccess(q).writers(ctx, c.Name, c.Type, what)
	if err != nil {
		return err
	}
	if !who.admit(by.groups()) {
		return &DeniedError{c.Name, string(what[1:])}
	}
	return nil
}

// change writes a card that exists.
func changeCard(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, c Card, changes []string) (Card, error) {
	c.Revision = s.newID()
	_, err := q.Exec(ctx, "UPDATE card SET type_id = ?, content = ?, plain = ?, updated_at = ?, updater = ?, act_id = ? WHERE id = ?",
		c.TypeID, c.Content, searchedText(c.TypeID, c.Content), s.now().UnixNano(), by.Account, c.Revision, c.ID)
	if err != nil {
		return Card{}, err
	}
	if err := s.written(ctx, q, by, c, "update", changes); err != nil {
		return Card{}, err
	}
	c, _, err = cardBy(ctx, q, "c.id = ?", c.ID)
	return c, err
}
