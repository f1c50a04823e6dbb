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
	maxRecent = 2_000  // calls that are looked at first: what is common is among them
	maxRare   = 10_000 // calls that have a text which is looked up
	maxValues = 5_000  // of one field that have a text in them: each is a look-up
	maxChunk  = 500    // calls that are read by their IDs at once
)

// A searchText is a part that one of these fields of a call has.
type searchText struct {
	part   string
	fields []string
}

func (s Search) texts() (all []searchText) {
	for field, part := range map[string]string{"client": s.ClientPart, "source": s.SourcePart, "tool": s.ToolPart, "targets": s.TargetPart} {
		if part != "" {
			all = append(all, searchText{part, []string{field}})
		}
	}
	for _, word := range s.Words {
		all = append(all, searchText{word, []string{"tool", "client", "source", "targets", "code", "message", "effect", "session"}})
	}
	return all
}

func (s Search) isEmpty() bool { return len(s.texts()) == 0 && !s.Changed }

// search looks among the newest calls, then in the indexes, and then among more of
// the newest, as many as one page comes of.
func (r *Reader) search(ctx context.Context, f Filter) (Page, error) {
	texts := f.Search.texts()
	page, err := r.searchNewest(ctx, f, texts, min(maxRecent, f.window()))
	if err != nil || page.More {
		return page, err
	}
	for i, text := range texts {
		values, err := r.valuesOf(ctx, text)
		if err != nil {
			return Page{}, err
		}
		ids, found, err := r.callsWith(ctx, f, values)
		switch {
		case err != nil:
			return Page{}, err
		case found:
			return r.pageOf(ctx, f, ids)
		}
		texts[i].fields = slices.DeleteFunc(text.fields, func(field string) bool { return len(values[field]) == 0 })
	}
	if page, err = r.searchNewest(ctx, f, texts, f.window()); err != nil || page.More {
		return page, err
	}
	page.Next, err = r.lastSearched(ctx, f)
	page.More = page.Next != 0
	return page, err
}

// window is how many calls a page of a Search comes of.
func (f Filter) window() int { return cmp.Or(f.searched, MaxSearched) }

// searchNewest reads those of the newest calls that have the texts.
func (r *Reader) searchNewest(ctx context.Context, f Filter, texts []searchText, window int) (Page, error) {
	where, args := f.conditions().sql()
	matching, more := f.matching(texts).sql()
	query := "SELECT " + columns + " FROM calls WHERE id IN (SELECT id FROM (" +
		"SELECT id, client, source, tool, effect, code, message, session, targets, changes FROM calls" + where +
		" ORDER BY id DESC LIMIT ?)" + matching + " ORDER BY id DESC LIMIT ?) ORDER BY id DESC LIMIT ?"
	return r.page(ctx, f, query, append(append(append(args, window), more...), f.limit()+1))
}

// lastSearched is the ID of the oldest call that a page came of; 0: there are none
// before it.
func (r *Reader) lastSearched(ctx context.Context, f Filter) (int64, error) {
	where, args := f.conditions().sql()
	query := "SELECT id FROM calls" + where + " ORDER BY id DESC LIMIT 1 OFFSET ?"
	ids, err := sqlstore.Select(ctx, r.store.Reader(), scanID, query, append(args, f.window()-1)...)
	return append(ids, 0)[0], err
}

// matching are the conditions of a Search on the fields of a call.
func (s Search) matching(texts []searchText) (all conditions) {
	if s.Changed {
		all.add("changes <> ''")
	}
	for _, text := range texts {
		var args []any
		for _, field := range text.fields {
			args = append(args, fieldPattern(field, text.part))
		}
		all.add("("+strings.Join(text.fields, has+" OR ")+has+")", args...)
	}
	return all
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
	values := map[string][]string{}
	for _, field := range text.fields {
		some, err := sqlstore.Select(ctx, r.store.Reader(), scanText, valuesQuery(field), pattern(text.part), maxValues+1)
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
func (r *Reader) callsWith(ctx context.Context, f Filter, values map[string][]string) (ids []int64, found bool, err error) {
	most, bounds := cmp.Or(f.rare, maxRare), f.bounds()
	each := most + 1
	if len(f.Search.texts()) == 1 && !f.Changed && len(f.conditions()) == len(bounds) {
		each = f.limit() + 1
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

// pageOf reads those of the calls, newest first, that f selects.
func (r *Reader) pageOf(ctx context.Context, f Filter, ids []int64) (page Page, err error) {
	var calls []Record
	for some := range slices.Chunk(ids, maxChunk) {
		list := make([]any, len(some))
		for i, id := range some {
			list[i] = id
		}
		all := append(f.conditions(), f.matching(f.texts())...)
		all.add("id IN (?"+strings.Repeat(", ?", len(list)-1)+")", list...)
		where, args := all.sql()
		more, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, "SELECT "+columns+" FROM calls"+where+" ORDER BY id DESC LIMIT ?",
			append(args, f.limit()+1-len(calls))...)
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
