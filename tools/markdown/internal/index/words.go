package index

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// findWords finds the pages that match in one way, of those that a condition on pages p
// selects. It counts without what only ranks, which takes a small part of the time, and
// looks up the files of the best pages only.
func findWords(ctx context.Context, c *sqlstore.Conn, q Query, how Match, where string, args []any, offset, limit int) (
	hits []Hit, total int, err error,
) {
	if q.Where != nil {
		return findConditions(ctx, c, q, how, where, args, offset, limit)
	}
	from := "words"
	if where != allPages { // CROSS JOIN: SQLite looks for the words first
		from = "words CROSS JOIN pages p ON p.id = words.rowid"
	}
	from += " WHERE words MATCH ? AND " + where
	err = c.QueryRow(ctx, "SELECT count(*) FROM "+from, append([]any{q.selection(how)}, args...)...).Scan(&total)
	if err != nil || offset >= total {
		return nil, total, err
	}
	hits, err = sqlstore.Select(ctx, c, func(r sqlstore.Row) (h Hit, err error) {
		err = r.Scan(&h.File, &h.Score)
		return h, err
	}, "SELECT file, score FROM (SELECT words.rowid AS page, bm25(words, 10.0, 5.0, 1.0) AS score FROM "+from+
		" ORDER BY score, page LIMIT ? OFFSET ?) JOIN pages ON id = page ORDER BY score, file",
		append(append([]any{q.expression(how)}, args...), limit, offset)...)
	return hits, total, err
}

// findConditions is findWords for a query with Where, which may find pages that have none
// of its terms.
func findConditions(ctx context.Context, c *sqlstore.Conn, q Query, how Match, where string, args []any, offset, limit int) (
	hits []Hit, total int, err error,
) {
	meets, more := q.whereMeets(q.condition(how), how)
	from, args := " FROM pages p WHERE "+where+" AND "+meets, append(slices.Clone(args), more...)
	if err = c.QueryRow(ctx, "SELECT count(*)"+from, args...).Scan(&total); err != nil || offset >= total {
		return nil, total, err
	}
	found, score, order := "", "0.0", ""
	switch {
	case len(q.Terms) > 0:
		found = "WITH scored AS MATERIALIZED (SELECT rowid AS page, bm25(words, 10.0, 5.0, 1.0) AS score FROM words WHERE words MATCH ?) "
		score, args = "coalesce((SELECT score FROM scored WHERE page = p.id), 0.0)", append([]any{q.expression(how)}, args...)
	case q.newestFirst():
		order = "p.modified DESC, "
	}
	hits, err = sqlstore.Select(ctx, c, func(r sqlstore.Row) (h Hit, err error) {
		err = r.Scan(&h.File, &h.Score)
		return h, err
	}, found+"SELECT p.file, "+score+" AS score"+from+" ORDER BY score, "+order+"p.file LIMIT ? OFFSET ?", append(args, limit, offset)...)
	return hits, total, err
}

// expression is the query in the language of FTS5, with all that its pages are ranked
// by. It selects the pages that selection does.
func (q Query) expression(how Match) string {
	expression := q.selection(how)
	if scored := q.scored(); q.Spellings == nil && len(scored) > len(q.Terms) {
		expression = "(" + expression + ") OR " + phrase(scored[len(q.Terms)], how)
	}
	return expression
}

// selection is which pages a query finds, in the language of FTS5; with Where, which have any
// of its terms. Tokens have no characters that mean something there.
func (q Query) selection(how Match) string {
	terms := make([]string, len(q.Terms))
	for i := range terms {
		terms[i] = q.termExpression(i, how)
	}
	if how == AnyPrefix || q.Where != nil {
		return strings.Join(terms, " OR ")
	}
	return strings.Join(terms, " AND ")
}

// termExpression is what may stand for a term, in the language of FTS5.
func (q Query) termExpression(term int, how Match) string {
	words := q.alternatives()[term]
	either := make([]string, len(words))
	for k, word := range words {
		either[k] = phrase(word, how)
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

// phrase is a term in the language of FTS5.
func phrase(term []string, how Match) string {
	text := `"` + strings.Join(term, " ") + `"`
	if (how == AllPrefixes || how == AnyPrefix) && isBeginning(term[len(term)-1]) {
		text += " *"
	}
	return text
}

// minBeginning is how many letters a word of a query has that finds words which begin so.
// Fewer begin too many words: to read all of their lists would take seconds.
const minBeginning = 3

// isBeginning reports whether a word of a query finds words that begin so.
func isBeginning(word string) bool { return utf8.RuneCountInString(word) >= minBeginning }
