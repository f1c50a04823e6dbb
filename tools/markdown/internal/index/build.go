package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// An index of a whole vault is made in a file of its own, without a log of its changes
// and without what only readers need: that takes half the time. FTS5 keeps what it is
// given in segments, and merges them again and again while it grows; here it merges
// them once, at the end (docs/adr/0049).

// A build is what a new index still lacks.
type build struct {
	target  string
	indexes []string // statements that create them
}

const newSuffix = "-new"

// Begin makes a new, empty index, which takes the place of the one in file when it is
// completed. Until then only Update may be used; a file must not be put into it twice.
// Close gives it up. Nobody may have the index in file open when Complete is called.
func Begin(ctx context.Context, file string) (*Index, error) {
	scratch := file + newSuffix
	if err := removeFiles(scratch); err != nil {
		return nil, fmt.Errorf("begin index: %w", err)
	}
	db, err := sqlstore.Open(ctx, sqlstore.Options{Database: scratch, Schema: schema(), Scratch: true, Now: time.Now})
	if err != nil {
		return nil, err
	}
	x := &Index{db: db, file: scratch, build: &build{target: file}}
	if err := db.Write(ctx, func(c *sqlstore.Conn) error { return x.build.prepare(ctx, c) }); err != nil {
		return nil, errors.Join(fmt.Errorf("begin index: %w", err), x.Close())
	}
	return x, nil
}

// maxSegments is how many segments of its words FTS5 keeps before it merges them. More
// of them take memory, and no less time: a merge reads them all at once.
const maxSegments = 100

func (b *build) prepare(ctx context.Context, c *sqlstore.Conn) error {
	type found struct{ name, statement string }
	all, err := sqlstore.Select(ctx, c, func(r sqlstore.Row) (f found, err error) {
		err = r.Scan(&f.name, &f.statement)
		return f, err
	}, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND name NOT LIKE 'sqlstore%' "+
		// pages come in the order of these
		"AND name NOT IN ('properties_of_page', 'stamps_of_pages', 'foreign_pages') ORDER BY name")
	for _, f := range all {
		b.indexes = append(b.indexes, f.statement)
		if err == nil {
			_, err = c.Exec(ctx, "DROP INDEX "+f.name)
		}
	}
	if err != nil {
		return err
	}
	return configureWords(ctx, c, 0, maxSegments)
}

// configureWords says how many segments FTS5 merges at a time, 0 for none, and how many
// there may be before it must.
func configureWords(ctx context.Context, c *sqlstore.Conn, automerge, crisismerge int) error {
	_, err := c.Exec(ctx, "INSERT INTO words (words, rank) VALUES ('automerge', ?), ('crisismerge', ?)", automerge, crisismerge)
	return err
}

// Complete puts a new index into the place of the one that [Begin] names, and opens it.
// x is closed then. One that is complete stays as it is.
func (x *Index) Complete(ctx context.Context) (*Index, error) {
	b := x.build
	if b == nil {
		return x, nil
	}
	err := x.db.Write(ctx, func(c *sqlstore.Conn) error { return b.finish(ctx, c) })
	if err == nil {
		err = removeFiles(b.target)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("complete index: %w", err), x.Close())
	}
	if err = x.db.Close(); err == nil {
		err = os.Rename(x.file, b.target)
	}
	if err == nil {
		err = markClosed(b.target)
	}
	if err != nil {
		return nil, fmt.Errorf("complete index: %w", err)
	}
	return open(ctx, b.target)
}

func (b *build) finish(ctx context.Context, c *sqlstore.Conn) error {
	for _, statement := range b.indexes {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := c.Exec(ctx, "INSERT INTO words (words) VALUES ('optimize')"); err != nil {
		return err
	}
	return configureWords(ctx, c, 4, 16) // what FTS5 does by itself
}

// Files are an index, what belongs to it, and those of a new one that takes its place.
func Files(file string) []string {
	return append(databaseFiles(file), databaseFiles(file+newSuffix)...)
}

// databaseFiles are a database and what belongs to it.
func databaseFiles(file string) []string {
	return []string{file, file + "-wal", file + "-shm", file + closedSuffix}
}

func removeFiles(file string) error {
	for _, name := range databaseFiles(file) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
