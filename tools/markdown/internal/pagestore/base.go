package pagestore

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

// A Base is what a folder and a table both held when they last agreed, in a SQLite
// file, with the versions of pages that lost in a conflict. It is safe for concurrent
// use.
type Base struct {
	db  *sqlstore.Store
	now func() time.Time
}

// OpenBase opens a file; a missing one is an empty Base.
func OpenBase(ctx context.Context, file string, now func() time.Time) (*Base, error) {
	schema := sqlstore.Schema{Name: "base", Migrations: migrations, Folder: "migrations/base"}
	db, err := sqlstore.Open(ctx, sqlstore.Options{Database: file, Schema: schema, Now: now})
	if err != nil {
		return nil, err
	}
	return &Base{db, now}, nil
}

// Close closes the file.
func (b *Base) Close() error { return b.db.Close() }

// Load reads the pages.
func (b *Base) Load(ctx context.Context) (mirror.Tree, error) {
	pages := mirror.Tree{}
	_, err := sqlstore.Select(ctx, b.db.Reader(), func(r sqlstore.Row) (none struct{}, err error) {
		var id string
		var p mirror.Page
		err = r.Scan(&id, &p.Path, &p.Content)
		pages[id] = p
		return none, err
	}, "SELECT id, path, content FROM pages")
	return pages, err
}

// Update replaces pages and removes others: both sides hold them so.
func (b *Base) Update(ctx context.Context, pages mirror.Tree, gone []string) error {
	return b.db.Write(ctx, func(c *sqlstore.Conn) error {
		for id, p := range pages {
			if _, err := c.Exec(ctx, "INSERT INTO pages (id, path, content) VALUES (?, ?, ?) "+
				"ON CONFLICT (id) DO UPDATE SET path = excluded.path, content = excluded.content", id, p.Path, []byte(p.Content)); err != nil {
				return err
			}
		}
		for _, id := range gone {
			if _, err := c.Exec(ctx, "DELETE FROM pages WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// A Copy is the file's version of a page that could not be merged with the table's.
type Copy struct {
	Number int64
	mirror.ConflictCopy
	Time time.Time
}

// Keep keeps copies; one that is kept already is not kept twice.
func (b *Base) Keep(ctx context.Context, copies []mirror.ConflictCopy) error {
	return b.db.Write(ctx, func(c *sqlstore.Conn) error {
		for _, lost := range copies {
			hash := sha256.Sum256([]byte(lost.Content))
			if _, err := c.Exec(ctx, "INSERT INTO copies (page, path, content, hash, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				lost.ID, lost.Path, []byte(lost.Content), hash[:], b.now().UnixNano()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Copies are all copies that are kept, oldest first.
func (b *Base) Copies(ctx context.Context) ([]Copy, error) {
	return sqlstore.Select(ctx, b.db.Reader(), func(r sqlstore.Row) (kept Copy, err error) {
		var at int64
		err = r.Scan(&kept.Number, &kept.ID, &kept.Path, &kept.Content, &at)
		kept.Time = time.Unix(0, at)
		return kept, err
	}, "SELECT number, page, path, content, at FROM copies ORDER BY number")
}

// Remove removes a copy.
func (b *Base) Remove(ctx context.Context, number int64) error {
	return b.db.Write(ctx, func(c *sqlstore.Conn) error {
		_, err := c.Exec(ctx, "DELETE FROM copies WHERE number = ?", number)
		return err
	})
}
