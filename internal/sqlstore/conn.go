package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// maxAttempts is how often a transaction is run before it fails with [ErrBusy].
const maxAttempts = 20

// ErrBusy means that other transactions kept one from running, again and again.
var ErrBusy = errors.New("the database is busy; try again later")

// ErrCommitUnknown means that a transaction was to be committed and no answer came: it may
// be committed, or not.
var ErrCommitUnknown = errors.New("the connection to the database was lost during a commit")

// A Conn runs statements: within Write and Read those of one transaction, from
// Reader each by itself.
//
// Arguments are written as ? in both dialects. Both know INSERT … ON CONFLICT
// (…) DO UPDATE SET x = excluded.x, and RETURNING. Times are kept as Unix
// nanoseconds. An operator of PostgreSQL with a question mark has a function to
// use instead, such as jsonb_exists.
type Conn struct {
	db      executor
	dialect Dialect
}

// An executor is a [sql.DB] or a [sql.Tx].
type executor interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Dialect returns the SQL that the connection understands.
func (c *Conn) Dialect() Dialect { return c.dialect }

// Exec runs a statement and returns how many rows it changed.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := c.db.ExecContext(ctx, rebind(c.dialect, query), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// QueryRow runs a query for one row. Its Scan returns [sql.ErrNoRows] if there is
// none.
func (c *Conn) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return c.db.QueryRowContext(ctx, rebind(c.dialect, query), args...)
}

// A Row is a row of a result.
type Row interface{ Scan(fields ...any) error }

// Select runs a query and reads every row with scan.
func Select[T any](ctx context.Context, c *Conn, scan func(Row) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := c.db.QueryContext(ctx, rebind(c.dialect, query), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Reader runs queries outside of a transaction: each sees what was committed
// when it began.
func (s *Store) Reader() *Conn { return &Conn{s.read, s.dialect} }

// Read runs fn in a transaction that sees the database at one moment and cannot
// change it.
func (s *Store) Read(ctx context.Context, fn func(*Conn) error) error {
	return s.transact(ctx, s.read, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, fn)
}

// ReadForWrite runs fn, which reads a few rows with short statements (as of [Conn.Short]), as
// from Reader: those that a Write will change next. In a SQLite file that is done by the
// connection that writes, if it is free. It has the pages in memory that it needs for the
// write, while every commit has all others forget what they know of the file.
func (s *Store) ReadForWrite(fn func(*Conn) error) error {
	if s.dialect == Sqlite {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
			return fn((&Conn{s.write, s.dialect}).Short())
		default: // somebody writes, which may take long
		}
	}
	return fn(s.Reader().Short())
}

// Write runs fn in a transaction, which is committed if fn returns nil.
// Transactions behave as if they ran one after another. One that cannot, because
// of another one, is rolled back and fn runs again: fn must have no effect but on
// the Conn. The error is fn's, or the database's. It is an [ErrCommitUnknown] if it is
// not known whether the transaction was committed.
func (s *Store) Write(ctx context.Context, fn func(*Conn) error) error {
	if s.dialect == Sqlite {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := s.transact(ctx, s.write, serializable, fn)
	if !IsInterrupted(err) {
		return err
	}
	// Those that were kept from running take turns, or they would keep each other
	// from running until none may try again.
	select {
	case s.retries <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.retries }()
	return s.retry(ctx, func() error { return s.transact(ctx, s.write, serializable, fn) })
}

// writeRow runs one statement that changes at most one row and returns what it
// returns. It reports false if that is nothing.
func (s *Store) writeRow(ctx context.Context, result any, query string, args ...any) (found bool, err error) {
	err = s.retry(ctx, func() error {
		return s.write.QueryRowContext(ctx, rebind(s.dialect, query), args...).Scan(result)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) transact(ctx context.Context, db *sql.DB, o *sql.TxOptions, fn func(*Conn) error) error {
	if s.dialect == Sqlite {
		o = nil // it has one isolation, and says by the connection what may write
	}
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it another error is returned
	if err := fn(&Conn{tx, s.dialect}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = tx.Commit()
	if s.dialect == Postgres && mayBeCommitted(err) {
		return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
	}
	return err
}

// retry runs fn until other transactions do not keep it from running.
func (s *Store) retry(ctx context.Context, fn func() error) error {
	for attempt := 1; ; attempt++ {
		err := fn()
		switch {
		case err == nil, !isSQLiteBusy(err) && !isSerializationFailure(err):
			return err
		case attempt == maxAttempts:
			return fmt.Errorf("%w: %w", ErrBusy, err)
		}
		if err := wait(ctx, jitter(time.Millisecond<<min(attempt, 7))); err != nil {
			return err
		}
	}
}

// IsInterrupted reports whether err is that of a transaction which another one kept
// from running. Who runs a part of a [Store.Write] must return it, so that all of
// it runs again.
func IsInterrupted(err error) bool {
	return !errors.Is(err, ErrBusy) && (isSQLiteBusy(err) || isSerializationFailure(err))
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// jitter is between half of d and d, so that those who wait do not meet again.
func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2) //nolint:gosec // not a secret
}

// rebind writes the arguments of a query as the dialect has them. What is quoted
// or a comment stays.
func rebind(d Dialect, query string) string {
	if d == Sqlite || !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	for n := 1; query != ""; {
		at := strings.IndexAny(query, `?'"-`)
		if at < 0 {
			break
		}
		end := at + 1
		switch c := query[at]; {
		case c == '?':
			b.WriteString(query[:at] + "$" + strconv.Itoa(n))
			n++
			query = query[end:]
			continue
		case c != '-':
			end = lengthUntil(query, end, string(c))
		case strings.HasPrefix(query[at:], "--"):
			end = lengthUntil(query, end, "\n")
		}
		b.WriteString(query[:end])
		query = query[end:]
	}
	b.WriteString(query)
	return b.String()
}

// lengthUntil is how long text is to the end of the first mark after from.
func lengthUntil(text string, from int, mark string) int {
	if i := strings.Index(text[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}
