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
// and without what only readers need: that takes half the time (docs/adr/0049).

// A build is what a new index still lacks.
type build struct {
	target  string
	indexes []string // statements that create them
	words   *wordBuild
	keys    *keyBuild
}

// Begin makes a new, empty index, which takes the place of the one in file when it is
// completed. Until then only Update may be used; a file must not be put into it twice.
// Close gives it up. Nobody may have the index in file open when Complete is called.
func Begin(ctx context.Context, file string) (*Index, error) {
	scratch := file + "-new"
	if err := removeFiles(scratch); err != nil {
		return nil, fmt.Errorf("begin index: %w", err)
	}
	db, err := sqlstore.Open(ctx, sqlstore.Options{Database: scratch, Schema: schema(), Scratch: true, Now: time.Now})
	if err != nil {
		return nil, err
	}
	x := &Index{db: db, file: scratch, build: &build{target: file, words: newWordBuild(scratch), keys: newKeyBuild(scratch)}}
	if err := db.Write(ctx, func(c *sqlstore.Conn) error { return x.build.prepare(ctx, c) }); err != nil {
		return nil, errors.Join(fmt.Errorf("begin index: %w", err), x.Close())
	}
	return x, nil
}

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
	if err = errors.Join(x.db.Close(), b.close()); err == nil {
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

// close removes temporary files.
func (b *build) close() error { return errors.Join(b.words.close(), b.keys.close()) }

func (b *build) finish(ctx context.Context, c *sqlstore.Conn) error {
	if err := b.keys.finish(ctx, c); err != nil {
		return err
	}
	for _, statement := range b.indexes {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return b.words.finish(ctx, c)
}

// add adds the words and keys of pages, which get the ids after last.
func (b *build) add(put []Page, last int64) error {
	for i := range put {
		page := uint32(last) + uint32(i) + 1
		if err := errors.Join(b.words.add(page, put[i].row), b.keys.add(page, &put[i])); err != nil {
			return err
		}
	}
	return nil
}

// Suffixes of the temporary files of an index that is built.
const (
	wordsSuffix = "-words"
	namesSuffix = "-names"
	linksSuffix = "-links"
)

// removeFiles removes a database and what belongs to it.
func removeFiles(file string) error {
	for _, suffix := range []string{"", "-wal", "-shm", closedSuffix, wordsSuffix, namesSuffix, linksSuffix} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
