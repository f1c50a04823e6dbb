package cardstore

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A Relation is how cards belong to a card by what they contain.
type Relation string

// The relations.
const (
	Referers Relation = "referers"  // link to it or nest it
	LinkedBy Relation = "linked_by" // link to it
	NestedIn Relation = "nested_in" // nest it
	Links    Relation = "links"     // it links to them
	Nests    Relation = "nests"     // it nests them
)

// Related lists the live cards in a relation to a card that the caller may read. At
// most limit are listed.
func (s *Store) Related(ctx context.Context, by Caller, name string, how Relation, limit int) (c Card, cards []Card, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		if c, err = get(ctx, q, by, name); err != nil {
			return err
		}
		seen, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		which, arg := "c.id IN (SELECT referer_id FROM reference WHERE key = ?)", any(c.key)
		switch how {
		case LinkedBy:
			which = "c.id IN (SELECT referer_id FROM reference WHERE kind = 'L' AND key = ?)"
		case NestedIn:
			which = "c.id IN (SELECT referer_id FROM reference WHERE kind = 'I' AND key = ?)"
		case Links:
			which, arg = "c.key IN (SELECT key FROM reference WHERE kind = 'L' AND referer_id = ?)", c.ID
		case Nests:
			which, arg = "c.key IN (SELECT key FROM reference WHERE kind = 'I' AND referer_id = ?)", c.ID
		case Referers:
		}
		cards, err = sqlstore.Select(ctx, q, scanCard,
			"SELECT "+cardColumns+cardTables+"WHERE +c.trash = 0 AND "+which+" AND "+seen.condition("c")+" ORDER BY c.position LIMIT ?", arg, limit)
		return err
	})
	return c, cards, err
}
