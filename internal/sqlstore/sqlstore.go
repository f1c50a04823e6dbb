// Package sqlstore keeps tables: in a SQLite file, or in a PostgreSQL database
// that several hubs share. It migrates them, runs transactions that behave the
// same on both, and has what processes need to work on the same tables: locks,
// idempotency keys and rate limits.
//
// It is not an object mapper: callers write SQL, once for both databases where
// they can. It knows no table but its own, which begin with sqlstore_. What
// keeps tables imports it; the journal, whose file no other process opens, does
// not. Start reading at [Open], then conn.go.
package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// A Dialect is the SQL that a store understands. It is the name of the folder
// with its migrations.
type Dialect string

// All dialects.
const (
	Sqlite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Options configure a Store.
type Options struct {
	// Database is a URL (postgres://user:password@host/database?search_path=…), or
	// the name of a SQLite file, which is created with its folder if it is missing.
	Database string
	Schema   Schema
	// Cache: what a SQLite file holds can be made again, so writes do not wait for
	// the disk. After the machine has crashed the file may be damaged.
	Cache bool
	// Scratch: nothing else opens a SQLite file before it is closed, and a crash may
	// leave it unusable. It is written in half the time, and whether rows that others
	// refer to exist is for the caller to know.
	Scratch bool
	// SmallCache: a SQLite file is written far more than read, so few of its pages are kept
	// in memory.
	SmallCache bool
	// Now is what idempotency keys and rate limits go by. The clocks of
	// processes that share a database must differ by less than these last.
	Now func() time.Time
}

// A Schema is a set of tables and how they came about.
type Schema struct {
	// Name is unique among the schemas of one database.
	Name string
	// Migrations holds sqlite/0001_NAME.sql, sqlite/0002_NAME.sql and so on, and the
	// same numbers in postgres. A migration is never changed once it was released.
	Migrations fs.FS
	Folder     string // of Migrations in which they are; empty: its top
}

// coordination is the schema of the package's own tables.
//
//go:embed migrations
var coordination embed.FS

// A Store is an open database. Its methods are safe for concurrent use.
type Store struct {
	dialect Dialect
	now     func() time.Time
	write   *sql.DB // SQLite: one connection
	read    *sql.DB
	locks   locker
	writing chan struct{} // SQLite: who has it may use the connection that writes
	retries chan struct{} // one transaction at a time runs again

	lockCheck time.Duration
}

// Open opens a database, creates what is missing and migrates the rest. It
// returns [ErrNewerSchema] if a newer build has migrated it further. No error
// contains the password of a URL.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{now: o.Now, lockCheck: lockCheck, writing: make(chan struct{}, 1), retries: make(chan struct{}, 1)}
	var err error
	if strings.HasPrefix(o.Database, "postgres://") || strings.HasPrefix(o.Database, "postgresql://") {
		err = s.openPostgres(o.Database)
	} else {
		err = s.openSQLite(o)
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", o.Schema.Name, err)
	}
	if err := s.migrate(ctx, Schema{"sqlstore", coordination, "migrations"}, o.Schema); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", o.Schema.Name, err), s.Close())
	}
	return s, nil
}

// Dialect returns the SQL that the store understands.
func (s *Store) Dialect() Dialect { return s.dialect }

// Close waits for running statements and closes the database.
func (s *Store) Close() error {
	err := s.write.Close()
	if s.read != s.write {
		err = errors.Join(err, s.read.Close())
	}
	return errors.Join(err, s.locks.close())
}
