package cardstore

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// A Search says which cards are listed. Zero fields do not count.
type Search struct {
	Words         string // in names, contents or both
	In            string // name, content or both; empty: name
	Match         string // substring, phrase or whole_word; empty: substring
	CaseSensitive bool
	Names         []string // texts that the name contains
	SimpleNames   bool     // names of one part alone
	Prefix        string   // how the name begins
	NotName       string   // a pattern with * of names that are left out
	Types         []string
	Tag           string // a card NAME+tags lists it
	UpdatedSince  time.Time
	UpdatedBefore time.Time
	CreatedSince  time.Time
	CreatedBefore time.Time
	WithVirtual   bool
	Sort          string // position, name, created or updated; empty: position
	Descending    bool
	Limit, Offset int
}

// condition collects parts of a WHERE clause.
type condition struct {
	parts []string
	args  []any
}

func (c *condition) and(part string, args ...any) {
	c.parts, c.args = append(c.parts, part), append(c.args, args...)
}

func (c *condition) String() string { return strings.Join(c.parts, " AND ") }

// Search lists the live cards that the caller may read and that fit, and how many
// fit in all.
func (s *Store) Search(ctx context.Context, by Caller, f Search) (cards []Card, total int, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		seen, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		var where condition
		where.and(f.unindexed() + "c.trash = 0")
		where.and(seen.condition("c"))
		if err := f.apply(ctx, q, by, &where); err != nil {
			return err
		}
		list := "SELECT " + cardColumns + cardTables + "WHERE " + where.String() + " ORDER BY " + f.order() + " LIMIT ? OFFSET ?"
		if f.CaseSensitive && len(f.words()) > 0 {
			cards, total, err = searchCased(ctx, q, f, list, where.args)
			return err
		}
		if err := q.QueryRow(ctx, "SELECT count(*) FROM card c WHERE "+where.String(), where.args...).Scan(&total); err != nil {
			return err
		}
		cards, err = sqlstore.Select(ctx, q, scanCard, list, append(where.args, f.Limit, f.Offset)...)
		return err
	})
	return cards, total, err
}

// unindexed is a plus before columns whose index would lead past all cards, if other
// conditions pick few: see classify.
func (f Search) unindexed() string {
	isLong := func(word string) bool { return utf8.RuneCountInString(word) >= shortest }
	if slices.ContainsFunc(f.words(), isLong) || f.Prefix != "" || f.Tag != "" || f.SimpleNames && len(f.Names) > 0 {
		return "+"
	}
	return ""
}

func (f Search) order() string {
	direction := " ASC"
	if f.Descending {
		direction = " DESC"
	}
	column := map[string]string{"name": "c.key", "created": "c.created_at", "updated": "c.updated_at"}[f.Sort]
	if column == "" {
		return f.unindexed() + "c.position" + direction
	}
	if column == "c.key" && f.unindexed() != "" {
		column += " || ''" // PostgreSQL has no plus before text
	} else {
		column = f.unindexed() + column
	}
	return column + direction + ", c.position" + direction
}

func (f Search) apply(ctx context.Context, q *sqlstore.Conn, by Caller, where *condition) error {
	f.applyWords(q.Dialect(), where)
	for _, name := range f.Names {
		folded := wordSearch{texts: []string{cardtext.FoldText(name)}}
		if f.SimpleNames { // all of such a name is searched
			f.matchWords(q.Dialect(), where, folded, []string{"words"})
			continue
		}
		where.and(`c.title LIKE ? ESCAPE '\'`, "%"+escapeLike(folded.texts[0])+"%")
	}
	if f.SimpleNames {
		where.and("c.left_id IS NULL")
	}
	if f.Prefix != "" {
		key := prefixKey(f.Prefix)
		if key == "" { // no name begins so
			where.and("1 = 0")
		}
		where.and("c.key >= ? AND c.key < ?", key, key+"\U0010FFFF")
	}
	if f.NotName != "" {
		where.and(`NOT (c.title LIKE ? ESCAPE '\')`, strings.ReplaceAll(escapeLike(cardtext.FoldText(f.NotName)), "*", "%"))
	}
	f.applyTypes(ctx, q, by, where)
	if f.Tag != "" {
		seen, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		tags := seen.condition("g")
		where.and("EXISTS (SELECT 1 FROM card g JOIN reference r ON r.referer_id = g.id WHERE g.left_id = c.id AND g.trash = 0 AND g.key = "+
			"c.key || '+tag' AND r.key = ? AND "+tags+")", cardname.Name(f.Tag).Key())
	}
	for _, bound := range []struct {
		condition string
		at        time.Time
	}{
		{"c.updated_at >= ?", f.UpdatedSince},
		{"c.updated_at < ?", f.UpdatedBefore},
		{"c.created_at >= ?", f.CreatedSince},
		{"c.created_at < ?", f.CreatedBefore},
	} {
		if !bound.at.IsZero() {
			where.and(bound.condition, bound.at.UnixNano())
		}
	}
	if !f.WithVirtual {
		where.and("(c.left_id IS NOT NULL OR length(c.content) >= ?)", virtualLength)
	}
	return nil
}

func (f Search) applyTypes(ctx context.Context, q *sqlstore.Conn, by Caller, where *condition) {
	if len(f.Types) == 0 {
		return
	}
	var ids []any
	for _, name := range f.Types {
		kind, err := resolveType(ctx, q, by, name)
		if err == nil {
			ids = append(ids, kind.ID)
		}
	}
	if len(ids) == 0 {
		where.and("1 = 0")
		return
	}
	where.and("c.type_id IN (?"+strings.Repeat(", ?", len(ids)-1)+")", ids...)
}

// prefixKey is the key that names with this beginning have. A prefix that ends with
// a joint means what is below.
func prefixKey(prefix string) string {
	n := cardname.Parse(prefix)
	return n.Key()
}

// shortest is how many characters a text must have to be looked up by threes.
const shortest = 3

// Children lists the live cards below a card that the caller may read, level by
// level down to depth, and how many there are.
func (s *Store) Children(
	ctx context.Context, by Caller, name string, depth int, f Search,
) (parent Card, cards []Card, total int, err error) {
	err = s.read(ctx, func(q *sqlstore.Conn) error {
		if parent, err = get(ctx, q, by, name); err != nil {
			return err
		}
		seen, err := visible(ctx, q, by)
		if err != nil {
			return err
		}
		tree := "WITH RECURSIVE tree (id, level) AS (SELECT id, 1 FROM card WHERE left_id = ? AND +trash = 0 UNION ALL SELECT k.id, tree.level " +
			"+ 1 FROM card k JOIN tree ON k.left_id = tree.id WHERE +k.trash = 0 AND tree.level < ?) "
		// SQLite reads the tables of a CROSS JOIN in their order.
		from := " FROM tree CROSS JOIN card c JOIN card t ON t.id = c.type_id WHERE tree.id = c.id AND " + seen.condition("c")
		if err := q.QueryRow(ctx, tree+"SELECT count(*)"+from, parent.ID, depth).Scan(&total); err != nil {
			return err
		}
		order := "tree.level, " + f.order()
		cards, err = sqlstore.Select(ctx, q, scanCard, tree+"SELECT "+cardColumns+from+" ORDER BY "+order+" LIMIT ? OFFSET ?", parent.ID, depth,
			f.Limit, f.Offset)
		return err
	})
	return parent, cards, total, err
}

// Types lists the types that the caller may read, by name.
func (s *Store) Types(ctx context.Context, by Caller) (cards []Card, err error) {
	cards, _, err = s.Search(ctx, by, Search{Types: []string{"Cardtype"}, WithVirtual: true, Sort: "name", Limit: 1000})
	return cards, err
}
