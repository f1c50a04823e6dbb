// Package cardstore keeps a wiki of cards in a database: cards with Decko's naming,
// types, references, revisions, a trash, and who may read and change them.
//
// It speaks no HTTP and knows no tokens: a [Caller] says who asks. What a caller may
// not read is absent from every answer, list and count, by one condition in every
// query. tools/cards imports it. Start reading at [Store.Get], then access.go.
package cardstore

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

//go:embed migrations
var migrations embed.FS

// A Store is an open wiki. It is safe for concurrent use, and by several processes
// at once.
type Store struct {
	*shared
	tx     *sqlstore.Conn // nil: every method has a transaction of its own
	record *Record        // nil: nobody wants to know what is written
}

type shared struct {
	db  *sqlstore.Store
	now func() time.Time

	mu   sync.Mutex
	last int64 // the youngest position that this process gave
}

// Options configure a Store.
type Options struct {
	Database string // as in [sqlstore.Options]
	Now      func() time.Time
}

// Open opens a wiki and, where it is new, fills it with the types, roles and service
// accounts that every wiki has.
func Open(ctx context.Context, o Options) (*Store, error) {
	db, err := sqlstore.Open(ctx, sqlstore.Options{
		Database: o.Database, Schema: sqlstore.Schema{Name: "cards", Migrations: migrations, Folder: "migrations"}, Now: o.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("open cards: %w", err)
	}
	s := &Store{shared: &shared{db: db, now: o.Now}}
	if err := errors.Join(s.seed(ctx), s.fillSearched(ctx)); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open cards: %w", err)
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// DB is the database, for tables of others beside the cards.
func (s *Store) DB() *sqlstore.Store { return s.db }

// Within is the store within a transaction of its database, which others end.
func (s *Store) Within(q *sqlstore.Conn) *Store { return &Store{s.shared, q, s.record} }

// Together runs fn in one transaction, which fails as a whole.
func (s *Store) Together(ctx context.Context, fn func(*Store) error) error {
	return s.write(ctx, func(q *sqlstore.Conn) error { return fn(s.Within(q)) })
}

// write runs fn in a transaction. Within one that others end, it takes back what fn
// did alone if that fails.
func (s *Store) write(ctx context.Context, fn func(*sqlstore.Conn) error) error {
	if s.tx == nil {
		return s.db.Write(ctx, fn)
	}
	if _, err := s.tx.Exec(ctx, "SAVEPOINT cards"); err != nil {
		return err
	}
	if err := fn(s.tx); err != nil {
		_, back := s.tx.Exec(ctx, "ROLLBACK TO SAVEPOINT cards")
		if back == nil { // else it stays open, and a later ROLLBACK TO would stop at it
			_, back = s.tx.Exec(ctx, "RELEASE SAVEPOINT cards")
		}
		return errors.Join(err, back)
	}
	_, err := s.tx.Exec(ctx, "RELEASE SAVEPOINT cards")
	return err
}

func (s *Store) read(ctx context.Context, fn func(*sqlstore.Conn) error) error {
	if s.tx != nil {
		return fn(s.tx)
	}
	return s.db.Read(ctx, fn)
}

func (s *Store) reader() *sqlstore.Conn {
	if s.tx != nil {
		return s.tx
	}
	return s.db.Reader()
}

// nextPosition is a moment that orders cards and revisions: later than all that this
// process gave.
func (s *Store) nextPosition() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last+1, s.now().UnixNano())
	return s.last
}

// newID is a new id: random, or of the sequence that the record of the writes began
// with.
func (s *Store) newID() int64 {
	if s.record != nil {
		return idOf(s.record.random.Uint64())
	}
	return newID()
}

// NewID is an id for what is kept beside the cards.
func NewID() int64 { return newID() }

// newID is a random positive number that JavaScript can hold: numbers that count up
// would tell how many cards there are that a reader does not see.
func newID() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return idOf(binary.BigEndian.Uint64(b[:]))
}

func idOf(random uint64) int64 { return int64(random>>11) | 1<<20 }
