package cardstore

import (
	"context"
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

// describeAll describes every card, simple names first.
func describeAll(ctx context.Context, q *sqlstore.Conn) ([]described, error) {
	all, err := sqlstore.Select(ctx, q, func(row sqlstore.Row) (d described, err error) {
		var name, kind, tags string
		var trash int
		err = row.Scan(&d.id, &d.left, &d.right, &trash, &name, &kind, &tags)
		d.live, d.Name, d.Type, d.Tags = trash == 0, cardname.Name(name), cardname.Name(kind), cardtext.Items(tags)
		return d, err
	}, `SELECT c.id, coalesce(c.left_id, 0), coalesce(c.right_id, 0), c.trash, c.name, t.name, coalesce(g.content, '')
FROM card c JOIN card t ON t.id = c.type_id LEFT JOIN card g ON g.left_id = c.id AND g.trash = 0 AND g.key = c.key || '+tag'`)
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
	if err != nil {
		return nil, err
	}
	hidden := map[int64]bool{}
	for _, d := range all {
		if hidden[d.left] || hidden[d.right] || by.Hides(d.Description) {
			hidden[d.id] = true
		}
	}
	return hidden, nil
}

// HiddenKeys are the keys of the live cards that do not exist for the caller.
func (s *Store) HiddenKeys(ctx context.Context, by Caller) (keys map[string]bool, err error) {
	err = s.EachDescription(ctx, by, func(d Description, hidden bool) {
		if hidden {
			if keys == nil {
				keys = map[string]bool{}
			}
			keys[d.Name.Key()] = true
		}
	})
	return keys, err
}

// EachDescription gives every live card to one, and whether it does not exist for the
// caller.
func (s *Store) EachDescription(ctx context.Context, by Caller, one func(d Description, hidden bool)) error {
	return s.read(ctx, func(q *sqlstore.Conn) error {
		all, err := describeAll(ctx, q)
		if err != nil {
			return err
		}
		hidden, err := hiddenCards(ctx, q, by)
		for _, d := range all {
			if err == nil && d.live {
				one(d.Description, hidden[d.id])
			}
		}
		return err
	})
}
