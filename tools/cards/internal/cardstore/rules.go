package cardstore

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// reclassify works out again who may read the cards that a written card decides
// about: all of its set if it is a rule, itself and what is below it if it has
// another name or type.
func reclassify(ctx context.Context, q *sqlstore.Conn, c Card, changes []string) error {
	parts := c.Name.Parts()
	last := parts[len(parts)-1].Key()
	if len(parts) > 1 && last == mayRead.key() {
		condition, args := "1 = 1", []any(nil)
		set := c.Name.Left()
		switch kind := set.Right(); {
		case kind.Key() == "*self":
			condition, args = below(set.Left().Key())
		case kind.Key() == "*right":
			condition, args = "(c.key = ? OR c.key LIKE ? ESCAPE '\\' OR c.key LIKE ? ESCAPE '\\')", []any{
				"", "%+" + escapeLike(set.Left().Key()),
				"%+" + escapeLike(set.Left().Key()) + "+%",
			}
		}
		return classify(ctx, q, condition, args...)
	}
	if slices.Contains(changes, "type_id") || slices.Contains(changes, "name") {
		condition, args := below(c.key)
		return classify(ctx, q, condition, args...)
	}
	return nil
}

func (s setting) key() string { return string(s) }

// below is the condition for a card and all that is below it.
func below(key string) (condition string, args []any) {
	return "(c.key = ? OR (c.key > ? AND c.key < ?))", []any{key, key + "+", key + ","} // a comma follows the plus
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func escapeLike(text string) string { return likeEscaper.Replace(text) }

// The plus before a column keeps SQLite from an index of it where another condition
// picks few cards: it would read all live cards.

// classify keeps for each live card that the condition fits who may read it. A card
// comes after its left side, whose readers it needs.
func classify(ctx context.Context, q *sqlstore.Conn, condition string, args ...any) error {
	cards, err := sqlstore.Select(ctx, q, scanCard, "SELECT "+cardColumns+cardTables+"WHERE +c.trash = 0 AND "+condition, args...)
	if err != nil {
		return err
	}
	slices.SortStableFunc(cards, func(a, b Card) int { return len(a.Name.Parts()) - len(b.Name.Parts()) })
	a := newAccess(q)
	for _, c := range cards {
		var left *Card
		if c.leftID.Valid {
			l, found, err := cardBy(ctx, q, "c.id = ?", c.leftID.Int64)
			if err != nil {
				return err
			}
			if found {
				left = &l
			}
		}
		readers, err := a.readers(ctx, c.Name, c.Type, left)
		if err != nil {
			return err
		}
		class, err := a.classID(ctx, readers)
		if err != nil {
			return err
		}
		if class == c.class {
			continue
		}
		if _, err := q.Exec(ctx, "UPDATE card SET class_id = ? WHERE id = ?", class, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// KeepForMasters writes the rule that only game masters and administrators read a
// card, whether or not the card is there yet.
func (s *Store) KeepForMasters(ctx context.Context, name string) error {
	return s.write(ctx, func(q *sqlstore.Conn) error {
		n := cardname.Parse(name)
		if err := checkName(ctx, q, itself, n); err != nil {
			return err
		}
		rule := cardname.Join(n, "*self", cardname.Name(mayRead))
		_, found, err := liveCard(ctx, q, rule.Key())
		if err != nil || found {
			return err
		}
		kind, _, err := cardBy(ctx, q, "c.id = ?", int64(listID))
		if err != nil {
			return err
		}
		_, err = s.insert(ctx, q, itself, rule, kind, "Game Master\nAdministrator")
		return err
	})
}
