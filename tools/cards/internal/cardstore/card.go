package cardstore

import (
	"context"
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// A Card is a card as its caller may see it.
type Card struct {
	ID        int64
	Name      cardname.Name
	TypeID    int64
	Type      cardname.Name
	Codename  string // of cards that belong to every wiki; empty: none
	Content   string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Revision is the act that made the card what it is.
	Revision int64

	key             string
	position        int64
	leftID, rightID sql.NullInt64
	class           int64
	trash           bool
}

// Virtual reports whether a card looks as if somebody only mentioned it: a simple
// name and hardly any content. Lists leave it out unless they are asked for it.
func (c Card) Virtual() bool {
	return !c.Name.IsCompound() && utf8.RuneCountInString(c.Content) < virtualLength
}

const virtualLength = 10

const cardColumns = `c.id, c.name, c.type_id, t.name, coalesce(c.codename, ''), c.content, c.created_at, c.updated_at, c.act_id, c.key, c.position, c.left_id, c.right_id, c.class_id, c.trash`

const cardTables = ` FROM card c JOIN card t ON t.id = c.type_id `

func scanCard(row sqlstore.Row) (Card, error) {
	var c Card
	var name, typeName string
	var created, updated int64
	var trash int
	err := row.Scan(&c.ID, &name, &c.TypeID, &typeName, &c.Codename, &c.Content, &created, &updated, &c.Revision, &c.key, &c.position,
		&c.leftID, &c.rightID, &c.class, &trash)
	c.Name, c.Type, c.trash = cardname.Name(name), cardname.Name(typeName), trash != 0
	c.CreatedAt, c.UpdatedAt = time.Unix(0, created).UTC(), time.Unix(0, updated).UTC()
	return c, err
}

// cardBy returns the card, live or trashed, that the condition fits.
func cardBy(ctx context.Context, q *sqlstore.Conn, condition string, args ...any) (c Card, found bool, err error) {
	c, err = scanCard(q.QueryRow(ctx, "SELECT "+cardColumns+cardTables+"WHERE "+condition, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return Card{}, false, nil
	}
	return c, err == nil, err
}

func liveCard(ctx context.Context, q *sqlstore.Conn, key string) (Card, bool, error) {
	return cardBy(ctx, q, "c.key = ? AND c.trash = 0", key)
}

// searchedWords is the part of a name that a search by name looks at: all of a
// simple name, both sides of a name of two parts, and the right side of a longer
// one, whose left is found by itself.
func searchedWords(n cardname.Name) string { return cardtext.FoldText(Card{Name: n}.searchedName()) }

// searchedTitle is a whole name as searches compare it.
func searchedTitle(n cardname.Name) string { return cardtext.FoldText(string(n)) }
