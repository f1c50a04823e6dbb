package index

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// A NameKind is one of the ways in which a link can call a page.
type NameKind int

// The kinds.
const (
	PathName  NameKind = iota + 1 // where it stands, without extension
	BaseName                      // the last part of that
	TitleName                     // its title
	AliasName                     // another title
)

// A Name is what links can call a page. Package markdown folds the Key: two names
// are the same if their keys are.
type Name struct {
	Kind NameKind
	Key  string
}

// Named calls visit for every page that has this key as a name, in the order of
// their files.
func (x *Index) Named(ctx context.Context, key string, visit func(kind NameKind, file string)) error {
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var kind NameKind
		var file string
		err := r.Scan(&kind, &file)
		if err == nil {
			visit(kind, file)
		}
		return struct{}{}, err
	}, "SELECT kind, file FROM names JOIN pages ON pages.id = names.page WHERE key = ? ORDER BY file", key)
	return err
}

// Title returns the title of a page; empty: the index does not have it.
func (x *Index) Title(ctx context.Context, file string) (title string, err error) {
	err = x.db.Reader().QueryRow(ctx, "SELECT coalesce((SELECT title FROM pages WHERE file = ?), '')", file).Scan(&title)
	return title, err
}

// Foreign returns the pages that could not be read as text, in order.
func (x *Index) Foreign(ctx context.Context) (files []string, err error) {
	return sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (file string, err error) { return file, r.Scan(&file) },
		`SELECT file FROM pages WHERE instr(head, '"foreign":true') > 0 ORDER BY file`)
}

// LinksByKey is [Index.Links] for the pages that have a link with one of these keys.
func (x *Index) LinksByKey(ctx context.Context, keys []string, visit func(file, title string, head Head, found []links.Link)) error {
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return x.links(ctx, visit, "SELECT file, title, head, links FROM pages WHERE id IN "+
		// with a plain file SQLite reads all pages in that order
		"(SELECT page FROM link_keys WHERE key IN (SELECT value FROM json_each(?))) ORDER BY +file", string(list))
}

// Links calls visit for every page.
func (x *Index) Links(ctx context.Context, visit func(file, title string, head Head, found []links.Link)) error {
	return x.links(ctx, visit, "SELECT file, title, head, links FROM pages ORDER BY file")
}

func (x *Index) links(ctx context.Context, visit func(file, title string, head Head, found []links.Link), query string, args ...any) error {
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var file, title, text, written string
		var head Head
		var found []links.Link
		err := r.Scan(&file, &title, &text, &written)
		if err == nil {
			err = errors.Join(json.Unmarshal([]byte(text), &head), json.Unmarshal([]byte(written), &found))
		}
		if err == nil {
			visit(file, title, head, found)
		}
		return struct{}{}, err
	}, query, args...)
	return err
}
