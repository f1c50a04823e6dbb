package cardstore

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// The types that the store itself knows, by the ids that they have in every wiki.
const (
	richTextID  = 2
	cardtypeID  = 3
	listID      = 4
	userID      = 18
	numberID    = 35
	htmlID      = 39
	pointerID   = 56
	nestListID  = 58
	jsonID      = 33
	plainTextID = 37
	linkListID  = 59
	roleID      = 177
	fileID      = 282
	imageID     = 284
)

// defaultType is the type of cards that were made because one below them was.
const defaultType = cardname.Name("RichText")

// seeds are the cards of every wiki, with the ids that types have in Decko.
var seeds = []struct {
	id             int64
	name, codename string
	typeID         int64
}{
	{cardtypeID, "Cardtype", "cardtype", cardtypeID},
	{richTextID, "RichText", "basic", cardtypeID},
	{listID, "List", "list", cardtypeID},
	{5, "Set", "set", cardtypeID},
	{6, "Setting", "setting", cardtypeID},
	{userID, "User", "user", cardtypeID},
	{33, "JSON", "json", cardtypeID},
	{numberID, "Number", "number", cardtypeID},
	{37, "PlainText", "plain_text", cardtypeID},
	{htmlID, "HTML", "html", cardtypeID},
	{41, "Toggle", "toggle", cardtypeID},
	{43, "Phrase", "phrase", cardtypeID},
	{45, "URI", "uri", cardtypeID},
	{pointerID, "Pointer", "pointer", cardtypeID},
	{nestListID, "Nest list", "nest_list", cardtypeID},
	{linkListID, "Link list", "link_list", cardtypeID},
	{65, "Markdown", "markdown", cardtypeID},
	{98, "Search", "search_type", cardtypeID},
	{153, "Email template", "email_template", cardtypeID},
	{roleID, "Role", "role", cardtypeID},
	{fileID, "File", "file", cardtypeID},
	{imageID, "Image", "image", cardtypeID},
	{449, "Date", "date", cardtypeID},
	{500, "Anyone", "anyone", roleID},
	{501, "Anyone Signed In", "anyone_signed_in", roleID},
	{502, "Eagle", "eagle", roleID},
	{503, "Shark", "shark", roleID},
	{504, "Help Desk", "help_desk", roleID},
	{505, "Administrator", "administrator", roleID},
	{506, "Game Master", "", roleID},
	{510, "*members", "members", 6},
	{511, "*read", "read", 6},
	{512, "*create", "create", 6},
	{513, "*update", "update", 6},
	{514, "*delete", "delete", 6},
	{515, "*self", "self", 5},
	{516, "*right", "right", 5},
	{517, "*type", "type", 5},
	{518, "*all", "all", 5},
	{519, "*all plus", "all_plus", 5},
	{520, "*star", "star", 5},
	{521, "*rstar", "rstar", 5},
	{522, "*type plus right", "type_plus_right", 5},
	{530, "mcp-user", "", userID},
	{531, "mcp-gm", "", userID},
	{532, "mcp-admin", "", userID},
	{540, "Home", "home", richTextID},
}

// ServiceAccount is the account of a key that has none of its own.
func ServiceAccount(r Role) string { return "mcp-" + string(r) }

// itself is the caller of what the store does by itself.
var itself = Caller{Account: "mcp-admin", Role: Admin}

// seed writes the cards of every wiki where they are missing.
func (s *Store) seed(ctx context.Context) error {
	return s.db.WithLock(ctx, "cards_seed", func(ctx context.Context) error {
		return s.db.Write(ctx, func(q *sqlstore.Conn) error {
			var there int64
			if err := q.QueryRow(ctx, "SELECT count(*) FROM card").Scan(&there); err != nil || there > 0 {
				return err
			}
			everybody, err := newAccess(q).classID(ctx, nil)
			if err != nil {
				return err
			}
			for _, one := range seeds {
				n, at := cardname.Name(one.name), s.nextPosition()
				c := Card{
					ID: one.id, Name: n, TypeID: one.typeID, Codename: one.codename, key: n.Key(), position: at, class: everybody, Revision: s.newID(),
				}
				if err := insertCard(ctx, q, c, itself, s.now().UnixNano()); err != nil {
					return err
				}
			}
			members := cardname.Join("Administrator", "*members")
			_, err = createCard(ctx, s, q, itself, NewCard{Name: string(members), Type: "List", Content: "mcp-admin"})
			if err != nil {
				return err
			}
			_, err = createCard(ctx, s, q, itself, NewCard{Name: "Game Master+*members", Type: "List", Content: "mcp-gm"})
			return err
		})
	})
}

// isAbsent reports whether an error says that something is not there for its caller.
func isAbsent(err error) bool {
	_, barred := errors.AsType[*BarredError](err)
	return barred || errors.Is(err, ErrNotFound)
}
