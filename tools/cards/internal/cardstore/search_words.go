package cardstore

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Searches look at columns of plain, folded text: words of names, plain of contents, title of
// whole names. A card is written with them. Both databases compare them byte by byte.

// plainText is a content as searches see it, in its letter case.
func plainText(typeID int64, content string) string {
	switch typeID {
	case plainTextID, jsonID:
		return content
	}
	return cardtext.VisibleText(content)
}

// searchedText is a content as searches compare it.
func searchedText(typeID int64, content string) string {
	return cardtext.FoldText(plainText(typeID, content))
}

// fillSearched writes the text of cards from before it was kept, and the keys of names from
// before their characters were spelled in one way. Of two cards that have one name now, one
// is found by its id only. Hubs that share a database take turns.
func (s *Store) fillSearched(ctx context.Context) error {
	return s.db.WithLock(ctx, "cards_search", func(ctx context.Context) (err error) {
		for left := true; left && err == nil; {
			err = s.db.Write(ctx, func(q *sqlstore.Conn) error {
				left, err = fillSomeSearched(ctx, q)
				return err
			})
		}
		return err
	})
}

// fillSomeSearched writes the text of some cards; false: of the last ones.
func fillSomeSearched(ctx context.Context, q *sqlstore.Conn) (left bool, err error) {
	const batch = 200
	cards, err := sqlstore.Select(ctx, q, scanCard, "SELECT "+cardColumns+cardTables+"WHERE c.plain IS NULL LIMIT ?", batch)
	if err != nil {
		return false, err
	}
	for _, c := range cards {
		_, err := q.Exec(ctx, "UPDATE card SET words = ?, title = ?, plain = ? WHERE id = ?", searchedWords(c.Name),
			searchedTitle(c.Name), searchedText(c.TypeID, c.Content), c.ID)
		if err != nil {
			return false, err
		}
		if err := composeKeys(ctx, q, c); err != nil {
			return false, err
		}
	}
	return len(cards) == batch, nil
}

// composeKeys spells the key of a card, and of what it refers to, as names are spelled now.
func composeKeys(ctx context.Context, q *sqlstore.Conn, c Card) error {
	if key := norm.NFC.String(c.key); key != c.key {
		if _, taken, err := cardBy(ctx, q, "c.key = ?", key); err != nil || taken {
			return err
		}
		if _, err := q.Exec(ctx, "UPDATE card SET key = ? WHERE id = ?", key, c.ID); err != nil {
			return err
		}
	}
	if norm.NFC.IsNormalString(c.Content) || c.trash {
		return nil
	}
	return writeReferences(ctx, q, c)
}

// A wordSearch is what a search looks for: all of these texts.
type wordSearch struct {
	texts []string // folded
	whole bool
}

// words are those of a search; a phrase is one. Nil: it has none.
func (f Search) words() []string {
	words := strings.Fields(cardtext.ComposeText(f.Words))
	if f.Match == "phrase" && len(words) > 0 {
		return []string{strings.Join(words, " ")}
	}
	return words
}

// columns are where words are looked for: all of them in one of these.
func (f Search) columns() []string {
	switch f.In {
	case "content":
		return []string{"plain"}
	case "both":
		return []string{"words", "plain"}
	}
	return []string{"words"}
}

func (f Search) applyWords(d sqlstore.Dialect, where *condition) {
	words := f.words()
	if len(words) == 0 {
		return
	}
	folded := make([]string, len(words))
	for i, word := range words {
		folded[i] = cardtext.FoldText(word)
	}
	f.matchWords(d, where, wordSearch{folded, f.Match == "whole_word"}, f.columns())
}

// matchWords adds that one of the columns has all of the texts. Those that are long enough are
// looked up by threes of characters: SQLite is told so, PostgreSQL does so by itself.
func (Search) matchWords(d sqlstore.Dialect, where *condition, w wordSearch, columns []string) {
	var either condition
	var lookups []string
	for _, column := range columns {
		var all condition
		var lookup []string
		for _, text := range w.texts {
			if utf8.RuneCountInString(text) >= shortest {
				lookup = append(lookup, column+` : "`+strings.ReplaceAll(text, `"`, `""`)+`"`)
			}
			if d == sqlstore.Postgres {
				all.and("c."+column+` LIKE ? ESCAPE '\'`, "%"+escapeLike(text)+"%")
			} else {
				all.and("instr(c."+column+", ?) > 0", text)
			}
			if w.whole {
				all.wholeWord(d, column, text)
			}
		}
		either.and(all.String(), all.args...)
		if len(lookup) > 0 {
			lookups = append(lookups, "("+strings.Join(lookup, " AND ")+")")
		}
	}
	if d == sqlstore.Sqlite && len(lookups) == len(columns) {
		where.and("c.id IN (SELECT rowid FROM card_text WHERE card_text MATCH ?)", strings.Join(lookups, " OR "))
	}
	where.and("(("+strings.Join(either.parts, ") OR (")+"))", either.args...)
}

// wordEdge is a character that is not of a word, in the syntax of both databases. Letters of
// languages without spaces between words are words by themselves.
const wordEdge = "[^a-zA-Z0-9_À-ÖØ-öø-῿Ⰰ-⹿ꀀ-퟿]"

// wholeWord adds that no letter, digit or underscore stands directly before or after the
// text where the column contains it.
func (c *condition) wholeWord(d sqlstore.Dialect, column, text string) {
	if d == sqlstore.Postgres {
		c.and("c."+column+" ~ ?", "(^|"+wordEdge+")"+regexp.QuoteMeta(text)+"($|"+wordEdge+")")
		return
	}
	c.and("' ' || c."+column+" || ' ' GLOB ?", "*"+wordEdge+globEscaper.Replace(text)+wordEdge+"*")
}

var globEscaper = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// hasCase reports whether a card has the words in their letter case, which no column keeps.
func (f Search) hasCase(c Card) bool {
	for _, column := range f.columns() {
		text := c.searchedName()
		if column == "plain" {
			text = plainText(c.TypeID, c.Content)
		}
		text = cardtext.ComposeText(text)
		if !slices.ContainsFunc(f.words(), func(word string) bool {
			if f.Match != "whole_word" {
				return !strings.Contains(text, word)
			}
			whole, err := regexp.Compile("(^|" + wordEdge + ")" + regexp.QuoteMeta(word) + "($|" + wordEdge + ")")
			return err != nil || !whole.MatchString(text)
		}) {
			return true
		}
	}
	return false
}

// searchCased lists what fits a search of which letter case counts: of what fits without it.
func searchCased(ctx context.Context, q *sqlstore.Conn, f Search, query string, args []any) (cards []Card, total int, err error) {
	const batch = 200
	for offset := 0; ; offset += batch {
		some, err := sqlstore.Select(ctx, q, scanCard, query, append(slices.Clone(args), batch, offset)...)
		if err != nil {
			return nil, 0, err
		}
		for _, c := range some {
			if !f.hasCase(c) {
				continue
			}
			if total >= f.Offset && len(cards) < f.Limit {
				cards = append(cards, c)
			}
			total++
		}
		if len(some) < batch {
			return cards, total, nil
		}
	}
}

func (c Card) searchedName() string {
	parts := c.Name.Parts()
	if len(parts) > 2 {
		parts = parts[len(parts)-1:]
	}
	return string(cardname.Join(parts...))
}
