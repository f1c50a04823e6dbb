package cardstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// NewCard is a card that is to be.
type NewCard struct {
	Name    string
	Type    string
	Content string
	// Upload is set where content names a stored file.
	Upload bool
}

// A TakenError is for a name that a card has which the caller may read.
type TakenError struct{ Card Card }

// Error implements error.
func (e *TakenError) Error() string {
	return fmt.Sprintf("Name must be unique; '%s' already exists.", e.Card.Name)
}

// Create makes a card, and those that its name is made of where they are missing. A
// card of that name in the trash comes back with its id and its history.
func (s *Store) Create(ctx context.Context, by Caller, in NewCard) (c Card, err error) {
	err = s.write(ctx, func(q *sqlstore.Conn) error {
		c, err = createCard(ctx, s, q, by, in)
		return err
	})
	return c, err
}

func createCard(ctx context.Context, s *Store, q *sqlstore.Conn, by Caller, in NewCard) (Card, error) {
	n := cardname.Parse(in.Name)
	if err := checkName(ctx, q, by, n); err != nil {
		return Card{}, err
	}
	if err := admits(ctx, q, by, n); err != nil {
		return Card{}, err
	}
	kind, err := resolveType(ctx, q, by, in.Type)
	if err != nil {
		return Card{}, err
	}
	if err := checkFree(ctx, q, by, Description{Name: n, Type: kind.Name}); err != nil {
		return Card{}, err
	}
	a := newAccess(q)
	who, err := a.writers(ctx, n, kind.Name, mayCreate)
	if err != nil {
		return Card{}, err
	}
	if !who.admit(by.groups()) {
		return Card{}, &InvalidError{
			"permission_denied",
			fmt.Sprintf("Permission denied You don't have permission to create this %s card", kind.Name),
		}
	}
	if (kind.ID == fileID || kind.ID == imageID) && !in.Upload {
		return Card{}, &InvalidError{"content", fmt.Sprintf("%s is missing; upload it", kind.Name)}
	}
	content, err := cleanContent(kind.ID, in.Content)
	if err != nil {
		return Card{}, err
	}
	return s.insert(ctx, q, by, n, kind, content)
}

// checkName refuses what is no name for a new card. A part with a slash may be that of a card
// which has it already.
func checkName(ctx context.Context, q *sqlstore.Conn, by Caller, n cardname.Name) error {
	if why := n.Problem(); why != "" {
		return &InvalidError{"name", "Name " + why}
	}
	for _, part := range n.Parts() {
		if by.AnyName || !strings.Contains(string(part), "/") {
			continue
		}
		c, found, err := liveCard(ctx, q, part.Key())
		if err != nil {
			return err
		}
		if !found || !strings.Contains(string(c.Name), "/") {
			return &SlashError{n}
		}
	}
	return nil
}

// checkFree returns why a card cannot be as described: a TakenError if the caller may
// read the card that has the name, and otherwise ErrNameTaken, which also stands for a
// hidden card that the name is below. What would be hidden in any case is ErrHidden,
// before it is known whether a card is there.
func checkFree(ctx context.Context, q *sqlstore.Conn, by Caller, d Description) error {
	n := d.Name
	if err := checkShown(ctx, q, by, d); err != nil {
		return err
	}
	for at := n; at != ""; at = at.Left() {
		c, found, err := liveCard(ctx, q, at.Key())
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		switch seen, err := sees(ctx, q, by, c); {
		case err != nil:
			return err
		case !seen:
			return ErrNameTaken
		case at == n:
			return &TakenError{c}
		}
	}
	return nil
}

// checkShown returns ErrHidden if a card as described would not exist for the caller, or
// one of those that its name is made of and that would be made with it.
func checkShown(ctx context.Context, q *sqlstore.Conn, by Caller, d Description) error {
	if by.Hides == nil {
		return nil
	}
	if by.Hides(d) {
		return ErrHidden
	}
	kind, _, err := cardBy(ctx, q, "c.id = ?", int64(richTextID))
	if err != nil {
		return err
	}
	sides := d.Name.Parts()
	for at := d.Name.Left(); at != ""; at = at.Left() {
		sides = append(sides, at)
	}
	for _, side := range sides {
		if side == d.Name {
			continue
		}
		c, found, err := liveCard(ctx, q, side.Key())
		seen := false
		if err == nil && found {
			seen, err = sees(ctx, q, by, c)
		}
		switch {
		case err != nil:
			return err
		case !seen && by.Hides(Description{Name: side, Type: kind.Name}):
			return ErrHidden
		}
	}
	return nil
}

// cleanContent is content as a card of the type keeps it.
func cleanContent(typeID int64, content string) (string, error) {
	if !utf8.ValidString(content) || strings.ContainsRune(content, 0) {
		return "", &InvalidError{"content", "Content is not text"}
	}
	switch typeID {
	case richTextID:
		return cardtext.CleanHTML(content), nil
	case listID, pointerID, linkListID, nestListID:
		return cardtext.JoinItems(cardtext.Items(content)), nil
	case numberID:
		if content = strings.TrimSpace(content); content != "" {
			if _, err := strconv.ParseFloat(content, 64); err != nil {
				return "", &InvalidError{"content", fmt.Sprintf("Content '%s' is not numeric", content)}
			}
		}
	}
	return content, nil
}

// insert writes a card that may be written, and the cards of its name.
func (s *Store) insert(ctx context.Context, q *sqlstore.Conn, by Caller, n cardname.Name, kind Card, content string) (Card, error) {
	return s.insertAs(ctx, q, by, s.newID(), n, kind, content)
}

// insertAs is insert with the id that a new card gets.
func (s *Store) insertAs(
	ctx context.Context, q *sqlstore.Conn, by Caller, id int64, n cardname.Name, kind Card, content string,
) (Card, error) {
	left, right, err := s.ensureSides(ctx, q, by, n)
	if err != nil {
		return Card{}, err
	}
	a := newAccess(q)
	readers, err := a.readers(ctx, n, kind.Name, left)
	if err != nil {
		return Card{}, err
	}
	class, err := a.classID(ctx, readers)
	if err != nil {
		return Card{}, err
	}
	now := s.now().UnixNano()
	c := Card{ID: id, Name: n, TypeID: kind.ID, Content: content, Revision: s.newID(), key: n.Key(), position: s.nextPosition(), class: class}
	if left != nil {
		c.leftID, c.rightID = nullID(left.ID), nullID(right.ID)
	}
	old, trashed, err := cardBy(ctx, q, "c.key = ?", c.key)
	if err != nil {
		return Card{}, err
	}
	if trashed { // it comes back
		c.ID, c.Codename = old.ID, old.Codename
		if _, err := q.Exec(ctx, "DELETE FROM card WHERE id = ?", c.ID); err != nil {
			return Card{}, err
		}
	}
	if err := insertCard(ctx, q, c, by, now); err != nil {
		return Card{}, err
	}
	if err := s.written(ctx, q, by, c, "create", []string{"name", "type_id", "db_content"}); err != nil {
		return Card{}, err
	}
	c, _, err = cardBy(ctx, q, "c.id = ?", c.ID)
	return c, err
}

func nullID(id int64) (n sql.NullInt64) { return sql.NullInt64{Int64: id, Valid: true} }

// ensureSides returns the two sides of a compound name, and makes those that are
// missing. Nil: the name is simple.
func (s *Store) ensureSides(ctx context.Context, q *sqlstore.Conn, by Caller, n cardname.Name) (left, right *Card, err error) {
	if !n.IsCompound() {
		return nil, nil, nil
	}
	for _, side := range []struct {
		name cardname.Name
		card **Card
	}{{n.Left(), &left}, {n.Right(), &right}} {
		c, found, err := liveCard(ctx, q, side.name.Key())
		if err != nil {
			return nil, nil, err
		}
		if !found {
			kind, ok, err := cardBy(ctx, q, "c.id = ?", int64(richTextID))
			if err != nil || !ok {
				return nil, nil, errors.Join(err, errMissingType)
			}
			if c, err = s.insert(ctx, q, by, side.name, kind, ""); err != nil {
				return nil, nil, err
			}
		}
		*side.card = &c
	}
	return left, right, nil
}

var errMissingType = errors.New("the wiki has lost its type RichText")

func insertCard(ctx context.Context, q *sqlstore.Conn, c Card, by Caller, now int64) error {
	var codename any
	if c.Codename != "" {
		codename = c.Codename
	}
	_, err := q.Exec(ctx, `INSERT INTO card (id, position, key, name, words, title, plain, left_id, right_id, type_id, codename, content, class_id, trash, created_at, updated_at, updater, act_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)`,
		c.ID, c.position, c.key, string(c.Name), searchedWords(c.Name), searchedTitle(c.Name), searchedText(c.TypeID, c.Content),
		c.leftID, c.rightID, c.TypeID, codename, c.Content, c.class, now, now,
		by.Account, c.Revision)
	return err
}

// written does what follows from a card that was written: its references, its
// revision, and who may read what, if it is a rule or has another type.
func (s *Store) written(ctx context.Context, q *sqlstore.Conn, by Caller, c Card, action string, changes []string) error {
	if err := writeReferences(ctx, q, c); err != nil {
		return err
	}
	if err := s.remember(ctx, q, by, c, action, changes); err != nil {
		return err
	}
	return reclassify(ctx, q, c, changes)
}

func writeReferences(ctx context.Context, q *sqlstore.Conn, c Card) error {
	if _, err := q.Exec(ctx, "DELETE FROM reference WHERE referer_id = ?", c.ID); err != nil {
		return err
	}
	refs := cardtext.References(c.Content)
	switch c.TypeID {
	case listID, pointerID, linkListID:
		refs = nil
		for _, item := range cardtext.Items(c.Content) {
			refs = append(refs, cardtext.Reference{Kind: cardtext.Link, Name: item})
		}
	case plainTextID, jsonID:
		refs = nil
	}
	for _, r := range refs {
		key := r.Name.Absolute(c.Name, "").Key()
		if key == "" {
			continue
		}
		_, err := q.Exec(ctx, "INSERT INTO reference (referer_id, kind, key) VALUES (?, ?, ?) ON CONFLICT (referer_id, kind, key) DO NOTHING",
			c.ID, string(r.Kind), key)
		if err != nil {
			return err
		}
	}
	return nil
}
