package sqlstore

import (
	"context"
	"database/sql"
)

// Short is c for statements that read or write a few rows by an index. In a SQLite file
// they take some microseconds, and do not end early with their context: to watch it takes
// two goroutines for each, and a third of the time. PostgreSQL is waited for as always.
func (c *Conn) Short() *Conn {
	if c.dialect != Sqlite {
		return c
	}
	return &Conn{shortExecutor{c.db}, c.dialect}
}

type shortExecutor struct{ executor }

// withoutEnd is a context that does not end; one that has ended stays as it is.
func withoutEnd(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

func (e shortExecutor) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return e.executor.ExecContext(withoutEnd(ctx), query, args...)
}

func (e shortExecutor) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return e.executor.QueryContext(withoutEnd(ctx), query, args...)
}

func (e shortExecutor) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return e.executor.QueryRowContext(withoutEnd(ctx), query, args...)
}
