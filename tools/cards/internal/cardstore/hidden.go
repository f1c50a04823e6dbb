package cardstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// A described is a card as rules see it, with its sides.
type described struct {
	Description
	id, left, right int64
	live            bool
}

const describedCards = `SELECT c.id, coalesce(c.left_id, 0), coalesce(c.right_id, 0), c.trash, c.name, t.name, coalesce(g.content, '')
FROM card c JOIN card t ON t.id = c.type_id LEFT JOIN card g ON g.left_id = c.id AND g.trash = 0 AND g.key = c.key || '+tag'`

func scanDescribed(row sqlstore.Row) (d described, err error) {
	var name, kind, tags string
	var trash int
	err = row.Scan(&d.id, &d.left, &d.right, &trash, &name, &kind, &tags)
	d.live, d.Name, d.Type, d.Tags = trash == 0, cardname.Name(name), cardname.Name(kind), cardtext.Items(tags)
	return d, err
}

// describeAll describes every card, simple names first.
func describeAll(ctx context.Context, q *sqlstore.Conn) ([]described, error) {
	all, err := sqlstore.Select(ctx, q, scanDescribed, describedCards)
	slices.SortStableFunc(all, func(a, b described) int { return len(a.Name.Parts()) - len(b.Name.Parts()) })
	return all, err
}

// hiddenCards are the ids of the cards that do not exist for the caller. It looks at
// every card, because any rule may be about any of them.
func hiddenCards(ctx context.Context, q *sqlstore.Conn, by Caller) (map[int64]bool, error) {
	if by.Hides == nil {
		return nil, nil //nolint:nilnil // nothing is hidden
	}
	all, err := describeAll(ctx, q)
	return hiddenAmong(all, by), err
}

func hiddenAmong(all []described, by Caller) map[int64]bool {
	hidden := map[int64]bool{}
	for _, d := range all {
		if hidden[d.left] || hidden[d.right] || by.Hides != nil && by.Hides(d.Description) {
			hidden[d.id] = true
		}
	}
	return hidden
}

// hidesCard reports whether one card does not exist for the caller: because of a rule
// about it, or about a card that its name is made of.
func hidesCard(ctx context.Context, q *sqlstore.Conn, by Caller, id int64) (bool, error) {
	if by.Hides == nil {
		return false, nil
	}
	for todo := []int64{id}; len(todo) > 0; todo = todo[1:] {
		d, err := scanDescribed(q.QueryRow(ctx, describedCards+" WHERE c.id = ?", todo[0]))
		if errors.Is(err, sql.ErrNoRows) {
			continue // a side that is gone hides nothing
		}
		if err != nil || by.Hides(d.Description) {
			return true, err
		}
		for _, side := range []int64{d.left, d.right} {
			if side != 0 {
				todo = append(todo, side)
			}
		}
	}
	return false, nil
}

// HidesAny reports whether one of the live cards of these names does not exist for the
// caller.
func (s *Store) HidesAny(ctx context.Context, by Caller, names []cardname.Name) (hidden bool, err error) {
	if by.Hides == nil {
		return false, nil
	}
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		for _, n := range names {
			c, found, err := liveCard(ctx, q, n.Key())
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			if hidden, err = hidesCard(ctx, q, by, c.ID); err != nil || hidden {
				return err
			}
		}
		return nil
	})
	return hidden, err
}

// EachDescription gives every live card to one, and whether it does not exist for the
// caller.
func (s *Store) EachDescription(ctx context.Context, by Caller, one func(d Description, hidden bool)) error {
	return s.read(ctx, func(q *sqlstore.Conn) error {
		all, err := describeAll(ctx, q)
		if err != nil {
			return err
		}
		hidden := hiddenAmong(all, by)
		for _, d := range all {
			if d.live {
				one(d.Description, hidden[d.id])
			}
		}
		return nil
	})
}
