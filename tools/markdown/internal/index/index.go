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
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

//go:embed migrations
var migrations embed.FS

// An Index is an open index. Its methods are safe for concurrent use; readers see
// the pages as they were before a Put or after it.
type Index struct{ db *sqlstore.Store }

// Open opens the index in a file. One that is missing, damaged or of another
// version is made again, empty.
func Open(ctx context.Context, file string) (*Index, error) {
	x, err := open(ctx, file)
	if err == nil {
		return x, nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove damaged index: %w", err)
		}
	}
	return open(ctx, file)
}

func open(ctx context.Context, file string) (*Index, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	db, err := sqlstore.Open(ctx, sqlstore.Options{Database: file, Schema: sqlstore.Schema{Name: "pages", Migrations: files}, Cache: true, Now: time.Now})
	if err != nil {
		return nil, err
	}
	x := &Index{db}
	var sound string
	if err := db.Reader().QueryRow(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil || sound != "ok" {
		return nil, errors.Join(fmt.Errorf("check index: %s", sound), err, db.Close())
	}
	return x, nil
}

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

// Known returns what was read of every page that the index has, by file.
func (x *Index) Known(ctx context.Context) (map[string]Stamp, error) {
	known := map[string]Stamp{}
	_, err := sqlstore.Select(ctx, x.db.Reader(), func(r sqlstore.Row) (struct{}, error) {
		var file string
		var s Stamp
		err := r.Scan(&file, &s.Size, &s.Modified, &s.Recent)
		known[file] = s
		return struct{}{}, err
	}, "SELECT file, size, modified, recent FROM pages")
	return known, err
}

// Update puts pages into the index, in the place of those with the same files, and
// removes others, all at once or not at all.
func (x *Index) Update(ctx context.Context, put []Page, remove []string) error {
	err := x.db.Write(ctx, func(c *sqlstore.Conn) error {
		for _, file := range remove {
			if err := removePage(ctx, c, file); err != nil {
				return err
			}
		}
		for _, p := range put {
			if err := putPage(ctx, c, p); err != nil {
				return fmt.Errorf("%s: %w", p.File, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	return nil
}

func removePage(ctx context.Context, c *sqlstore.Conn, file string) error {
	var id int64
	err := c.QueryRow(ctx, "DELETE FROM pages WHERE file = ? RETURNING id", file).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = c.Exec(ctx, "DELETE FROM words WHERE rowid = ?", id)
	}
	return err
}

func putPage(ctx context.Context, c *sqlstore.Conn, p Page) error {
	if err := removePage(ctx, c, p.File); err != nil {
		return err
	}
	head, err := json.Marshal(p.Head)
	if err != nil {
		return err
	}
	found, err := json.Marshal(p.Links)
	if err != nil {
		return err
	}
	var id int64
	err = c.QueryRow(ctx, "INSERT INTO pages (file, size, modified, recent, title, head, links) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
		p.File, p.Stamp.Size, p.Stamp.Modified, p.Stamp.Recent, p.Title, string(head), string(found)).Scan(&id)
	if err != nil {
		return err
	}
	words := func(text string) string { return strings.Join(Tokens(text), " ") }
	if _, err := c.Exec(ctx, "INSERT INTO words (rowid, title, tags, body) VALUES (?, ?, ?, ?)",
		id, words(p.Title), words(strings.Join(p.Tags, "\n")), words(p.text)); err != nil {
		return err
	}
	for _, tag := range p.Tags {
		if _, err := c.Exec(ctx, "INSERT INTO tags (page, tag, written) VALUES (?, ?, ?)", id, Fold(tag), tag); err != nil {
			return err
		}
	}
	for _, v := range p.Properties {
		if _, err := c.Exec(ctx, "INSERT INTO properties (page, key, value) VALUES (?, ?, ?)", id, v.Key, v.Value); err != nil {
			return err
		}
	}
	for _, t := range p.Tasks {
		if _, err := c.Exec(ctx, "INSERT INTO tasks (page, line, done, text) VALUES (?, ?, ?, ?)", id, t.Line, t.Done, t.Text); err != nil {
			return err
		}
	}
	for _, h := range p.Headings {
		if _, err := c.Exec(ctx, "INSERT INTO headings (page, line, level, text) VALUES (?, ?, ?, ?)", id, h.Line, h.Level, h.Text); err != nil {
			return err
		}
	}
	return nil
}

// Heads calls visit for every page below a folder, given with its slash; empty:
// all. They come in the order of their files.
func (x *Index) Heads(ctx context.Context, below string, visit func(file, title string, head Head)) error {
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
	}, "SELECT file, title, head FROM pages WHERE file >= ? AND file < ? ORDER BY file", below, after(below))
	return err
}

// Links calls visit for every page.
func (x *Index) Links(ctx context.Context, visit func(file, title string, head Head, found []links.Link)) error {
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
	}, "SELECT file, title, head, links FROM pages ORDER BY file")
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
