// Package index keeps what is searched for in the pages of a vault: their words,
// tags, tasks, headings, properties and links, in a SQLite file that can be deleted
// at any time. Its [Query] can be answered from the index or by reading pages one
// by one, with the same result.
//
// It reads no files and does not know which pages are there: package markdown gives
// it what it has read, and only what agents may see. Only tools/markdown imports
// it. Start reading at [Index], then [Query].
package index

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

//go:embed migrations
var migrations embed.FS

// An Index is an open index. Its methods are safe for concurrent use; readers see
// the pages as they were before a Put or after it.
type Index struct {
	db    *sqlstore.Store
	file  string
	build *build // nil: it is complete
	// ranking has room for fewer searches by words than connections read, so that a list
	// does not wait for many searches of common words.
	ranking chan struct{}
}

// maxRanking is how many searches by words run at a time.
const maxRanking = 3

// Open opens the index in a file. One that is missing, damaged or of another
// version is made again, empty.
func Open(ctx context.Context, file string) (*Index, error) {
	x, err := open(ctx, file)
	if err == nil {
		return x, nil
	}
	if err := removeFiles(file); err != nil {
		return nil, fmt.Errorf("remove damaged index: %w", err)
	}
	return open(ctx, file)
}

// schema is the one layout that an index has: a file with any other, which bears another
// name or number, is made again.
func schema() sqlstore.Schema {
	return sqlstore.Schema{Name: "page_index_5", Migrations: migrations, Folder: "migrations"}
}

func open(ctx context.Context, file string) (*Index, error) {
	sound := wasClosed(file)
	db, err := sqlstore.Open(ctx, sqlstore.Options{
		Database: file, Schema: schema(), Cache: true, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	x := &Index{db: db, file: file, ranking: make(chan struct{}, maxRanking)}
	if sound {
		return x, nil
	}
	var answer string
	if err := db.Reader().QueryRow(ctx, "PRAGMA quick_check(1)").Scan(&answer); err != nil || answer != "ok" {
		return nil, errors.Join(fmt.Errorf("check index: %s", answer), err, db.Close())
	}
	return x, nil
}

// Close closes the file, and removes that of an index that was not completed.
func (x *Index) Close() error {
	if err := x.db.Close(); err != nil {
		return err
	}
	if x.build != nil {
		return removeFiles(x.file)
	}
	return markClosed(x.file)
}

// Heads calls visit for every page below a folder, given with its slash; empty:
// all. They come in the order of their files.
func (x *Index) Heads(ctx context.Context, below string, visit func(file, title string, head Head)) error {
	return x.heads(ctx, visit, "SELECT file, title, head FROM pages WHERE file >= ? AND file < ? ORDER BY file", below, after(below))
}

// HeadsOf calls visit for those of these pages that the index has, in any order.
func (x *Index) HeadsOf(ctx context.Context, files []string, visit func(file, title string, head Head)) error {
	list, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return x.heads(ctx, visit, "SELECT file, title, head FROM pages WHERE file IN (SELECT value FROM json_each(?))", string(list))
}

func (x *Index) heads(ctx context.Context, visit func(file, title string, head Head), query string, args ...any) error {
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var file, title, text string
		var head Head
		err := r.Scan(&file, &title, &text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &head)
		}
		if err == nil {
			visit(file, title, head)
		}
		return struct{}{}, err
	}, query, args...)
	return err
}

// after is the first text that does not begin with prefix.
func after(prefix string) string {
	if prefix == "" {
		return "\U0010ffff"
	}
	return prefix[:len(prefix)-1] + string(prefix[len(prefix)-1]+1)
}

// A Size says how large the index is.
type Size struct {
	Pages int
	Bytes int64
}

// Size returns how many pages the index has, and its bytes.
func (x *Index) Size(ctx context.Context) (s Size, err error) {
	err = x.db.Reader().QueryRow(ctx,
		"SELECT (SELECT count(*) FROM pages), (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)").Scan(&s.Pages, &s.Bytes)
	return s, err
}
