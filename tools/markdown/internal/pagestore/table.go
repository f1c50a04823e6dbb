// Package pagestore keeps pages for the mirror of a folder: [Table] is the table of
// pages in PostgreSQL that other programs read and write too, [Base] what the folder
// and the table both held when they last agreed.
//
// It knows no folder and decides nothing: tools/markdown/internal/mirror plans, and
// tools/markdown carries out. Start reading at [Table].
package pagestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

//go:embed migrations
var migrations embed.FS

const (
	// readAllEvery is how often all pages are read although the outbox names those that
	// have changed: a trigger can be switched off.
	readAllEvery = 10 * time.Minute
	// batch is how many steps are one transaction.
	batch = 200
)

// Options say which table is opened.
type Options struct {
	URL    string // postgres://…
	Tenant string // whose pages; may be empty
	Now    func() time.Time
	// Describe reads the columns title and front_matter from a page; frontMatter is a
	// JSON object.
	Describe func(mirror.Page) (title, frontMatter string)
	Format   BlockFormat
}

// A Table is an open table of pages, and what was last read of it. One goroutine at
// a time uses it, but for Listen.
type Table struct {
	db       *sqlstore.Store
	o        Options
	url      string
	id       string
	pages    mirror.Tree
	versions map[string]int64
	cursor   string    // transactions before it are in pages; empty: nothing was read
	readAll  time.Time // when all pages were read last
	unread   map[string]BlocksError
}

// OpenTable opens the table and creates it if it is missing. No error contains the
// password of the URL.
func OpenTable(ctx context.Context, o Options) (*Table, error) {
	address, err := withTenant(o.URL, o.Tenant)
	if err != nil {
		return nil, err
	}
	schema := sqlstore.Schema{Name: "pages", Migrations: migrations, Folder: "migrations/table"}
	db, err := sqlstore.Open(ctx, sqlstore.Options{Database: address, Schema: schema, Now: o.Now})
	if err != nil {
		return nil, err
	}
	t := &Table{db: db, o: o, url: address, unread: map[string]BlocksError{}}
	if err := db.Reader().QueryRow(ctx, "SELECT id::text FROM pages_database").Scan(&t.id); err != nil {
		return nil, errors.Join(fmt.Errorf("read pages_database: %w", err), db.Close())
	}
	return t, nil
}

// withTenant adds the setting by which row-level security goes to a URL. Its errors
// do not quote the URL, which holds a password.
func withTenant(address, tenant string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", errors.New("the database URL cannot be read; it is postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	q := u.Query()
	q.Del("lectern.tenant")
	if tenant != "" {
		q.Set("lectern.tenant", tenant)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Close closes the connections.
func (t *Table) Close() error { return t.db.Close() }

// ID tells the database from every other one, wherever it is.
func (t *Table) ID() string { return t.id }

// Pages are the pages as they were last read or written. It must not be changed.
func (t *Table) Pages() mirror.Tree { return t.pages }

// Refresh reads what has changed since the last Refresh, and reports false if nothing
// has.
func (t *Table) Refresh(ctx context.Context) (changed bool, err error) {
	all := t.cursor == "" || t.o.Now().Sub(t.readAll).Abs() >= readAllEvery
	began := t.o.Now()
	pages, versions := maps.Clone(t.pages), maps.Clone(t.versions)
	if all {
		pages, versions = mirror.Tree{}, map[string]int64{}
		clear(t.unread)
	}
	rows := map[string]editedRow{}
	var cursor string
	found := 0
	err = t.db.Read(ctx, func(c *sqlstore.Conn) error {
		if err := c.QueryRow(ctx, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text").Scan(&cursor); err != nil {
			return err
		}
		query := "SELECT id, path, content, version, blocks_of IS NOT NULL, blocks_base, CASE WHEN blocks_base IS NOT NULL THEN blocks::text " +
			"END FROM pages WHERE tenant = ?"
		args := []any{t.o.Tenant}
		if !all {
			ids, err := t.changed(ctx, c)
			if found = len(ids); err != nil || found == 0 {
				return err
			}
			for _, id := range ids {
				delete(pages, id)
				delete(versions, id)
				delete(t.unread, id)
			}
			query, args = query+" AND id = ANY(?)", append(args, ids)
		}
		_, err := sqlstore.Select(ctx, c, func(r sqlstore.Row) (none struct{}, err error) {
			var id string
			var p mirror.Page
			var version int64
			var row editedRow
			err = r.Scan(&id, &p.Path, &p.Content, &version, &row.made, &row.base, &row.blocks)
			pages[id], versions[id], rows[id] = p, version, row
			return none, err
		}, query, args...)
		return err
	})
	if err != nil {
		t.cursor = ""
		return false, fmt.Errorf("read pages: %w", err)
	}
	t.pages, t.versions, t.cursor = pages, versions, cursor
	if err := t.reconcileBlocks(ctx, rows); err != nil {
		t.cursor = ""
		return false, fmt.Errorf("write blocks: %w", err)
	}
	if all {
		t.readAll = began
		return true, t.sweep(ctx)
	}
	return found > 0, nil
}

// changed are the pages that transactions have changed which had not ended at the
// last Refresh. One that is still running keeps them from being forgotten, so that
// some are read again.
func (t *Table) changed(ctx context.Context, c *sqlstore.Conn) ([]string, error) {
	return sqlstore.Select(ctx, c, func(r sqlstore.Row) (id string, err error) { return id, r.Scan(&id) },
		"SELECT DISTINCT page FROM pages_outbox WHERE tenant = ? AND xid >= (?::text)::xid8", t.o.Tenant, t.cursor)
}

// sweep forgets changes that every reader has seen: each reads all pages far more
// often.
func (t *Table) sweep(ctx context.Context) error {
	return t.db.Write(ctx, func(c *sqlstore.Conn) error {
		_, err := c.Exec(ctx, "DELETE FROM pages_outbox WHERE tenant = ? AND at < now() - interval '1 day'", t.o.Tenant)
		return err
	})
}

// Take carries out steps in order. Those whose page is not as it was last read, or
// whose path is taken, are not: their ids are returned, and Refresh says why.
func (t *Table) Take(ctx context.Context, steps []mirror.Step) (late map[string]bool, err error) {
	late = map[string]bool{}
	for len(steps) > 0 {
		n := min(batch, len(steps))
		err := t.take(ctx, steps[:n], late)
		if isTaken(err) && n > 1 { // another program was faster: find out with which
			for _, s := range steps[:n] {
				if err = t.take(ctx, []mirror.Step{s}, late); isTaken(err) {
					late[s.ID], err = true, nil
				}
				if err != nil {
					break
				}
			}
		} else if isTaken(err) {
			late[steps[0].ID], err = true, nil
		}
		if err != nil {
			t.cursor = "" // whether the transaction was committed is not known
			return late, fmt.Errorf("write pages: %w", err)
		}
		steps = steps[n:]
	}
	return late, nil
}

// isTaken reports whether a row could not be written because another has its path
// or its id.
func isTaken(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "23505" // unique_violation
}

// take carries out steps in one transaction.
func (t *Table) take(ctx context.Context, steps []mirror.Step, late map[string]bool) error {
	versions := map[string]int64{}
	var refused []string
	err := t.db.Write(ctx, func(c *sqlstore.Conn) error {
		versions, refused = map[string]int64{}, nil
		for _, s := range steps {
			held, known := versions[s.ID]
			if !known {
				held = t.versions[s.ID]
			}
			version, err := t.takeOne(ctx, c, s, held)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				refused = append(refused, s.ID)
			case err != nil:
				return err
			default:
				versions[s.ID] = version
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range refused {
		late[id] = true
	}
	t.pages, t.versions = maps.Clone(t.pages), maps.Clone(t.versions)
	for _, s := range steps {
		version, done := versions[s.ID]
		switch {
		case !done:
		case s.After == nil:
			delete(t.pages, s.ID)
			delete(t.versions, s.ID)
		default:
			t.pages[s.ID], t.versions[s.ID] = *s.After, version
		}
	}
	return nil
}

const pathIsFree = "NOT EXISTS (SELECT 1 FROM pages o WHERE o.tenant = ? AND o.path = ? AND o.id <> ?)"

// takeOne carries out a step if its page has this version, and returns the new one.
func (t *Table) takeOne(ctx context.Context, c *sqlstore.Conn, s mirror.Step, held int64) (version int64, err error) {
	tenant := t.o.Tenant
	if s.After == nil {
		return held, c.QueryRow(ctx, "DELETE FROM pages WHERE tenant = ? AND id = ? AND version = ? RETURNING version", tenant, s.ID, held).
			Scan(&version)
	}
	title, frontMatter := t.o.Describe(*s.After)
	blocks, hash := t.o.Format.Blocks(s.After.Content), hashOf(s.After.Content)
	if s.Before == nil {
		err = c.QueryRow(ctx, "INSERT INTO pages (tenant, id, path, title, front_matter, content, blocks, blocks_of) VALUES (?, ?, ?, ?, "+
			"(?::text)::jsonb, ?, (?::text)::jsonb, ?) "+
			"ON CONFLICT DO NOTHING RETURNING version", tenant, s.ID, s.After.Path, title, frontMatter, s.After.Content, blocks, hash).Scan(&version)
		return version, err
	}
	// Blocks that were edited and cannot be read are somebody's work: they stay.
	err = c.QueryRow(ctx, "UPDATE pages SET path = ?, title = ?, front_matter = (?::text)::jsonb, content = ?, "+
		"blocks = CASE WHEN blocks_base IS NULL THEN (?::text)::jsonb ELSE blocks END, blocks_of = CASE WHEN blocks_base IS NULL THEN ? ELSE "+
		"blocks_of END "+
		"WHERE tenant = ? AND id = ? AND version = ? AND "+pathIsFree+" RETURNING version",
		s.After.Path, title, frontMatter, s.After.Content, blocks, hash, tenant, s.ID, held, tenant, s.After.Path, s.ID).Scan(&version)
	return version, err
}

// Listen calls changed when pages may have changed, and at first. It returns when ctx
// ends or the connection is lost.
func (t *Table) Listen(ctx context.Context, changed func()) error {
	conn, err := pgx.Connect(ctx, t.url)
	if err != nil {
		return errors.New("cannot connect to the database") // err may quote the URL
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	if _, err := conn.Exec(ctx, "LISTEN pages"); err != nil {
		return err
	}
	for {
		changed()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("wait for changes of pages: %w", err)
		}
	}
}

// IsText reports whether PostgreSQL can keep text exactly: UTF-8 without NUL.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }
