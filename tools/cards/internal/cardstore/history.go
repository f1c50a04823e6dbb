package cardstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// A Revision is a card as an act left it.
type Revision struct {
	Act     int64
	Action  string // create, update or delete
	Actor   string
	At      time.Time
	Changes []string // name, type_id, db_content, trash
	Name    cardname.Name
	Type    cardname.Name
	Content string

	typeID, class int64
}

func (s *Store) remember(ctx context.Context, q *sqlstore.Conn, by Caller, c Card, action string, changes []string) error {
	s.record.add(c.Name, c.Revision)
	_, err := q.Exec(ctx, `INSERT INTO revision (card_id, position, act_id, action, actor, acted_at, changes, name, type_id, content, class_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, s.nextPosition(), c.Revision, action, by.Account, s.now().UnixNano(), strings.Join(changes, ","), string(c.Name), c.TypeID,
		c.Content, c.class)
	return err
}

const revisionColumns = `r.act_id, r.action, r.actor, r.acted_at, r.changes, r.name, coalesce(t.name, ''), r.content, r.type_id, r.class_id FROM revision r LEFT JOIN card t ON t.id = r.type_id `

func scanRevision(row sqlstore.Row) (r Revision, err error) {
	var at int64
	var changes, name, typeName string
	err = row.Scan(&r.Act, &r.Action, &r.Actor, &at, &changes, &name, &typeName, &r.Content, &r.typeID, &r.class)
	r.At, r.Changes = time.Unix(0, at).UTC(), strings.Split(changes, ",")
	r.Name, r.Type = cardname.Name(name), cardname.Name(typeName)
	return r, err
}

// History lists the revisions of a card that the caller might have read when they
// were made, newest first, and how many there are. With fromTrash it also finds a
// card in the trash.
func (s *Store) History(
	ctx context.Context, by Caller, name string, fromTrash bool, limit int,
) (c Card, revisions []Revision, total int, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		if c, err = getAnywhere(ctx, q, by, name, fromTrash); err != nil {
			return err
		}
		sight, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		seen := sight.ofClasses("r")
		if err := q.QueryRow(ctx, "SELECT count(*) FROM revision r WHERE r.card_id = ? AND "+seen, c.ID).Scan(&total); err != nil {
			return err
		}
		revisions, err = sqlstore.Select(ctx, q, scanRevision,
			"SELECT "+revisionColumns+"WHERE r.card_id = ? AND "+seen+" ORDER BY r.position DESC LIMIT ?", c.ID, limit)
		return err
	})
	return c, revisions, total, err
}

// InTrash reports whether a card is in the trash.
func (c Card) InTrash() bool { return c.trash }

// getAnywhere is get, and finds a card in the trash too if it is to.
func getAnywhere(ctx context.Context, q *sqlstore.Conn, by Caller, name string, fromTrash bool) (Card, error) {
	c, err := get(ctx, q, by, name)
	if !fromTrash || !errors.Is(err, ErrNotFound) {
		return c, err
	}
	c, found, err := cardBy(ctx, q, "c.key = ? AND c.trash = 1", cardname.Parse(name).Key())
	if err != nil {
		return Card{}, err
	}
	return ifSeen(ctx, q, by, c, found)
}

// HidesName reports whether the caller may not read the card of this name, live or in
// the trash; of a name that no card ever had, whether a rule keeps it from the caller.
func (s *Store) HidesName(ctx context.Context, by Caller, n cardname.Name) (hidden bool, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		if err := admits(ctx, q, by, n); err != nil {
			hidden = isAbsent(err)
			return nil
		}
		c, found, err := cardBy(ctx, q, "c.key = ?", n.Key())
		if err != nil {
			return err
		}
		seen := true
		if found {
			seen, err = sees(ctx, q, by, c)
		}
		hidden = !seen || by.Hides != nil && by.Hides(Description{Name: n})
		return err
	})
	return hidden, err
}

// RevisionOf returns one revision of a card, or ErrNoRevision.
func (s *Store) RevisionOf(ctx context.Context, by Caller, name string, act int64) (c Card, r Revision, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		if c, err = getAnywhere(ctx, q, by, name, by.has(Admin)); err != nil {
			return err
		}
		r, err = revision(ctx, q, by, c, act)
		return err
	})
	return c, r, err
}

func revision(ctx context.Context, q *sqlstore.Conn, by Caller, c Card, act int64) (Revision, error) {
	r, err := scanRevision(q.QueryRow(ctx, "SELECT "+revisionColumns+"WHERE r.card_id = ? AND r.act_id = ? ORDER BY r.position DESC LIMIT 1",
		c.ID, act))
	if errors.Is(err, sql.ErrNoRows) {
		return Revision{}, ErrNoRevision
	}
	if err != nil {
		return Revision{}, err
	}
	classes, err := readClasses(ctx, q, by)
	if err != nil {
		return Revision{}, err
	}
	if !classes[r.class] {
		return Revision{}, ErrNoRevision
	}
	return r, nil
}

// Restore gives a card the type and content of one of its revisions.
func (s *Store) Restore(ctx context.Context, by Caller, name string, act int64) (c Card, r Revision, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		if c, err = getAnywhere(ctx, q, by, name, true); err != nil {
			return err
		}
		if r, err = revision(ctx, q, by, c, act); err != nil {
			return err
		}
		if err := mayWrite(ctx, q, by, c, mayUpdate); err != nil {
			return err
		}
		if c.trash {
			if c, err = takeOut(ctx, s, q, by, c); err != nil {
				return err
			}
		}
		changes := []string{"db_content"}
		if c.TypeID != r.typeID {
			changes = append(changes, "type_id")
		}
		c.TypeID, c.Content = r.typeID, r.Content
		c, err = changeCard(ctx, s, q, by, c, changes)
		return err
	})
	return c, r, err
}

// RestoreTrashed takes one card out of the trash, and those that its name is made
// of. What was below it stays in the trash.
func (s *Store) RestoreTrashed(ctx context.Context, by Caller, name string) (c Card, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		if c, err = getAnywhere(ctx, q, by, name, true); err != nil {
			return err
		}
		if !c.trash {
			return ErrNotTrash
		}
		c, err = takeOut(ctx, s, q, by, c)
		return err
	})
	return c, err
}

func takeOut(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, c Card) (Card, error) {
	left, right, err := s.ensureSides(ctx, q, by, c.Name)
	if err != nil {
		return Card{}, err
	}
	if left != nil {
		c.leftID, c.rightID = nullID(left.ID), nullID(right.ID)
	}
	c.Revision = s.newID()
	_, err = q.Exec(ctx, "UPDATE card SET trash = 0, left_id = ?, right_id = ?, updated_at = ?, updater = ?, act_id = ? WHERE id = ?",
		c.leftID, c.rightID, s.now().UnixNano(), by.Account, c.Revision, c.ID)
	if err != nil {
		return Card{}, err
	}
	if err := s.written(ctx, q, by, c, "update", []string{"trash", "name"}); err != nil {
		return Card{}, err
	}
	c, _, err = cardBy(ctx, q, "c.id = ?", c.ID)
	return c, err
}

// A Trashed card is one in the trash.
type Trashed struct {
	Card
	DeletedAt time.Time
	DeletedBy string
}

// Trash lists the cards in the trash that the caller might read, last deleted first.
func (s *Store) Trash(ctx context.Context, by Caller, limit, offset int) (cards []Trashed, total int, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		seen, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		if err := q.QueryRow(ctx, "SELECT count(*) FROM card c WHERE c.trash = 1 AND "+seen.condition("c")).Scan(&total); err != nil {
			return err
		}
		cards, err = sqlstore.Select(ctx, q, func(row sqlstore.Row) (t Trashed, err error) {
			var name, typeName string
			var at int64
			err = row.Scan(&t.ID, &name, &typeName, &at, &t.DeletedBy)
			t.Name, t.Type, t.DeletedAt = cardname.Name(name), cardname.Name(typeName), time.Unix(0, at).UTC()
			return t, err
		}, "SELECT c.id, c.name, t.name, c.updated_at, c.updater"+cardTables+"WHERE c.trash = 1 AND "+seen.condition("c")+
			" ORDER BY c.updated_at DESC, c.position DESC LIMIT ? OFFSET ?", limit, offset)
		return err
	})
	return cards, total, err
}
