package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

const (
	maxRecent = 2_000   // calls that are looked at first: what is common is among them
	maxRare   = 10_000  // calls that have a text which is looked up
	maxValues = 5_000   // of one field that have a text in them: each is a look-up
	maxChunk  = 500     // calls that are read by their IDs at once
	maxTests  = 200_000 // comparisons of a call's field with a text, for one page
	maxNewest = 100     // values whose newest call is looked up
)

// A searchText is a text that one of these fields of a call has: as a part, or as
// all of it.
type searchText struct {
	text   string
	whole  bool
	fields []string
}

// texts are the conditions that an index can answer.
func (f Filter) texts() (all []searchText) {
	for field, text := range map[string]string{
		"client": f.Client, "source": f.Source, "tool": f.Tool, "effect": f.Effect, "outcome": string(f.Outcome),
		"targets": boundTarget(f.Target),
	} {
		if text != "" {
			all = append(all, searchText{text, true, []string{field}})
		}
	}
	for _, c := range f.Search {
		if text, ok := c.text(); ok {
			all = append(all, text)
		}
	}
	return all
}

// text is c as an index can answer it, if one can.
func (c Condition) text() (text searchText, ok bool) {
	switch {
	case c.Op != "":
		return text, false
	case c.Field == "":
		return searchText{c.Text, false, []string{"tool", "client", "source", "targets", "code", "message", "effect", "session"}}, true
	}
	return searchText{c.Text, c.Field == "effect" || c.Field == "outcome", []string{c.Field}},
		c.Field != "changes" && c.Field != "since" && c.Field != "until"
}

// search looks among the newest calls, then for what few calls have, and then among
// more of the newest, as many as one page comes of.
func (r *Reader) search(ctx context.Context, f Filter, texts []searchText) (Page, error) {
	page, err := r.searchNewest(ctx, f, texts, min(maxRecent, f.window(texts)))
	if err != nil || page.Next == 0 || len(page.Calls) == f.limit() {
		return page, err
	}
	from := f
	for i, text := range texts {
		values, err := r.valuesOf(ctx, text)
		if err != nil {
			return Page{}, err
		}
		ids, found, err := r.callsWith(ctx, f, values, len(texts) == 1 && len(f.unindexed()) == 0)
		switch {
		case err != nil:
			return Page{}, err
		case found:
			return r.pageOf(ctx, f, ids, texts)
		}
		texts[i].fields = slices.DeleteFunc(text.fields, func(field string) bool { return len(values[field]) == 0 })
		if from.Before, err = r.newestWith(ctx, from, values); err != nil {
			return Page{}, err
		}
	}
	return r.searchNewest(ctx, from, texts, f.window(texts))
}

// window is how many calls a page comes of.
func (f Filter) window(texts []searchText) int {
	if f.searched > 0 {
		return f.searched
	}
	tests := 0
	for _, text := range texts {
		tests += len(text.fields)
	}
	for _, c := range f.unindexed() {
		tests += c.tests()
	}
	return min(MaxSearched, maxTests/max(tests, 1))
}

// searchNewest reads those of the newest calls that f selects. Next is set if there
// are calls before those, whether or not the page is full.
func (r *Reader) searchNewest(ctx context.Context, f Filter, texts []searchText, window int) (Page, error) {
	oldest, err := r.oldestOf(ctx, f, window)
	if err != nil {
		return Page{}, err
	}
	f.oldest = oldest
	page, err := r.page(ctx, f, append(f.bounds(), f.matching(texts)...))
	if err == nil && page.Next == 0 {
		page.More, page.Next = oldest != 0, oldest
	}
	return page, err
}

// oldestOf is the ID of the oldest of the newest calls within the bounds of f, as many
// as the window has; 0: there are not so many.
func (r *Reader) oldestOf(ctx context.Context, f Filter, window int) (int64, error) {
	where, args := f.idBounds().sql()
	query := "SELECT id FROM calls NOT INDEXED" + where + " ORDER BY id DESC LIMIT 1 OFFSET ?"
	ids, err := sqlstore.Select(ctx, r.store.Reader(), scanID, query, append(args, window-1)...)
	return append(ids, 0)[0], err
}

// newestWith is Before for a page that skips the calls which are newer than every
// call with one of these values.
func (r *Reader) newestWith(ctx context.Context, f Filter, values map[string][]string) (before int64, err error) {
	for field, some := range values {
		if len(some) > maxNewest {
			return f.Before, nil
		}
		for _, value := range some {
			query, args := callsOf(field, value, f.idBounds())
			newest, err := sqlstore.Select(ctx, r.store.Reader(), scanID, query, append(args, 1)...)
			if err != nil {
				return 0, err
			}
			before = max(before, append(newest, 0)[0]+1)
		}
	}
	return before, nil
}

// matching are the conditions of f on the fields of a call.
func (f Filter) matching(texts []searchText) (all conditions) {
	for _, text := range texts {
		all = append(all, text.condition())
	}
	for _, c := range f.unindexed() {
		all = append(all, c.condition())
	}
	return all
}

// unindexed are the conditions that texts leaves out.
func (f Filter) unindexed() []Condition {
	return slices.DeleteFunc(slices.Clone(f.Search), func(c Condition) bool {
		_, indexed := c.text()
		return indexed
	})
}

func (t searchText) condition() condition {
	switch {
	case t.whole && t.fields[0] == "targets":
		return condition{"EXISTS (SELECT 1 FROM call_targets WHERE name = ? AND call = id)", []any{t.text}}
	case t.whole:
		return condition{t.fields[0] + " = ?", []any{t.text}}
	case len(t.fields) == 0: // no value of any has the text
		return condition{"FALSE", nil}
	}
	var args []any
	for _, field := range t.fields {
		args = append(args, fieldPattern(field, t.text))
	}
	return condition{"(" + strings.Join(t.fields, has+" OR ") + has + ")", args}
}

// tests is with how many texts c compares a call.
func (c Condition) tests() (tests int) {
	if text, ok := c.text(); ok {
		return len(text.fields)
	}
	for _, part := range c.Of {
		tests += part.tests()
	}
	return tests
}

func (c Condition) condition() (joined condition) {
	if text, ok := c.text(); ok {
		return text.condition()
	}
	switch c.Field {
	case "changes":
		return condition{"changes <> ''", nil}
	case "since":
		return condition{"id >= ?", []any{firstID(c.Time)}}
	case "until":
		return condition{"id < ?", []any{firstID(c.Time)}}
	}
	parts := make([]string, len(c.Of))
	for i, part := range c.Of {
		text := part.condition()
		parts[i], joined.args = text.sql, append(joined.args, text.args...)
	}
	switch c.Op {
	case Not:
		joined.sql = "NOT " + parts[0]
	case Any:
		joined.sql = "(" + strings.Join(parts, " OR ") + ")"
	case All:
		joined.sql = "(" + strings.Join(parts, " AND ") + ")"
	}
	return joined
}

const has = ` LIKE ? ESCAPE '!'`

// pattern matches a text that has part in it.
func pattern(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(part) + "%"
}

// fieldPattern is the pattern for a column: targets are a list in JSON there.
func fieldPattern(field, part string) string {
	if field == "targets" {
		text, _ := json.Marshal(part) // a text can be encoded
		part = strings.Trim(string(text), `"`)
	}
	return pattern(part)
}

// valuesOf lists the values that have a text in them, by field, of each at most one
// more than is looked up. Calls are many, and the values of their fields are few.
func (r *Reader) valuesOf(ctx context.Context, text searchText) (map[string][]string, error) {
	if text.whole {
		return map[string][]string{text.fields[0]: {text.text}}, nil
	}
	values := map[string][]string{}
	for _, field := range text.fields {
		some, err := sqlstore.Select(ctx, r.store.Reader(), scanText, valuesQuery(field), pattern(text.text), maxValues+1)
		if err != nil {
			return nil, err
		}
		values[field] = some
	}
	return values, nil
}

// callsWith lists the calls that have one of these values, newest first: all of
// them, or as many of each as a page has if nothing else is looked for. It has not
// found them if they are too many.
func (r *Reader) callsWith(
	ctx context.Context, f Filter, values map[string][]string, nothingElse bool,
) (ids []int64, found bool, err error) {
	most := cmp.Or(f.rare, maxRare)
	each, bounds := most+1, f.idBounds()
	if nothingElse {
		each, bounds = f.limit()+1, f.bounds()
		most = each * 200
	}
	for field, some := range values {
		if len(some) > maxValues {
			return nil, false, nil
		}
		for _, value := range some {
			query, args := callsOf(field, value, bounds)
			more, err := sqlstore.Select(ctx, r.store.Reader(), scanID, query, append(args, min(each, most+1-len(ids)))...)
			if ids = append(ids, more...); err != nil || len(ids) > most {
				return nil, false, err
			}
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return slices.Compact(ids), true, nil
}

// valuesQuery lists the values of a field that match a pattern. Of targets and
// sessions, which may be many, there is a table; of other fields it jumps from value
// to value in their index.
func valuesQuery(field string) string {
	if field == "targets" || field == "session" {
		return "SELECT value FROM search_values WHERE field = '" + field + "' AND value" + has + " LIMIT ?"
	}
	next := "SELECT min(" + field + ") FROM calls WHERE " + field + " > "
	return "WITH RECURSIVE names(name) AS (" + next + "''" + presence(field) + " UNION ALL SELECT (" + next + "name" + presence(field) +
		") FROM names WHERE name IS NOT NULL) SELECT name FROM names WHERE name" + has + " LIMIT ?"
}

// callsOf lists the calls whose field has this value, newest first.
func callsOf(field, value string, bounds conditions) (query string, args []any) {
	var all conditions
	if query = "SELECT id FROM calls"; field == "targets" {
		query = "SELECT id FROM call_targets CROSS JOIN calls ON id = call"
		all.add("name = ?", value)
		for _, c := range bounds { // of its own column, so that its index is used
			all.add(strings.Replace(c.sql, "id ", "call ", 1), c.args...)
		}
		where, args := all.sql()
		return query + where + " ORDER BY call DESC LIMIT ?", args
	}
	all.add(field+" = ?"+presence(field), value)
	where, args := append(all, bounds...).sql()
	return query + where + " ORDER BY id DESC LIMIT ?", args
}

// presence lets SQLite use the index of a field that few calls have.
func presence(field string) string {
	if field == "code" || field == "message" {
		return " AND " + field + " <> ''"
	}
	return ""
}

// pageOf reads those of the calls, newest first and within the bounds of f, that f
// selects. Those bounds are not asked for again: SQLite would walk all calls within them.
func (r *Reader) pageOf(ctx context.Context, f Filter, ids []int64, texts []searchText) (page Page, err error) {
	var calls []Record
	selected := append(f.kindBounds(), f.matching(texts)...)
	for some := range slices.Chunk(ids, maxChunk) {
		list := make([]any, len(some))
		for i, id := range some {
			list[i] = id
		}
		all := slices.Clone(selected)
		all.add("id IN (?"+strings.Repeat(", ?", len(list)-1)+")", list...)
		where, args := all.sql()
		query := "SELECT " + columns + " FROM calls NOT INDEXED" + where + " ORDER BY id DESC LIMIT ?"
		more, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, query, append(args, f.limit()+1-len(calls))...)
		if err != nil {
			return Page{}, err
		}
		if calls = append(calls, more...); len(calls) > f.limit() {
			break
		}
	}
	return f.cut(calls), nil
}

func scanText(row sqlstore.Row) (text string, err error) { return text, row.Scan(&text) }

func scanID(row sqlstore.Row) (id int64, err error) { return id, row.Scan(&id) }
