package sqliteconn

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// maxStatements is how many compiled statements a connection to a SQLite file
// keeps. Callers have a few dozen texts; one that makes texts of its input only
// loses the gain.
const maxStatements = 128

// A statementConnector opens connections that compile each text once: that is a
// third of the time of a small write.
type statementConnector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c statementConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("connect: %T lacks methods", conn), conn.Close())
	}
	return &cachingConn{full, map[string]*cachedStatement{}}, nil
}

// A sqliteConn is what database/sql asks of a connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// A cachingConn is used by one goroutine at a time, which database/sql sees to.
type cachingConn struct {
	sqliteConn
	statements map[string]*cachedStatement
}

// A cachedStatement is a compiled text.
type cachedStatement struct {
	statement
	busy bool // rows of it are being read
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Close implements [driver.Conn].
func (c *cachingConn) Close() error { return errors.Join(c.forget(), c.sqliteConn.Close()) }

// forget closes the statements that nobody uses.
func (c *cachingConn) forget() (err error) {
	for text, s := range c.statements {
		if !s.busy {
			err = errors.Join(err, s.Close())
			delete(c.statements, text)
		}
	}
	return err
}

// take returns the statement of a text, busy until its user gives it back; false:
// its rows are being read, so that it cannot be used a second time.
func (c *cachingConn) take(ctx context.Context, text string) (*cachedStatement, bool, error) {
	if s := c.statements[text]; s != nil {
		free := !s.busy
		s.busy = true
		return s, free, nil
	}
	if len(c.statements) >= maxStatements {
		if err := c.forget(); err != nil {
			return nil, false, err
		}
	}
	prepared, err := c.PrepareContext(ctx, hideLimits(text))
	if err != nil {
		return nil, false, err
	}
	full, ok := prepared.(statement)
	if !ok {
		return nil, false, errors.Join(fmt.Errorf("prepare: %T lacks methods", prepared), prepared.Close())
	}
	s := &cachedStatement{full, true}
	c.statements[text] = s
	return s, true, nil
}

// hideLimits keeps the planner from looking at the values of limits. A statement whose
// plan depends on a value is compiled again each time that one is given, which takes
// longer than most queries.
func hideLimits(text string) string { return strings.ReplaceAll(text, "LIMIT ?", "LIMIT (? + 0)") }

// ExecContext implements [driver.ExecerContext].
func (c *cachingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, free, err := c.take(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case !free:
		return nil, driver.ErrSkip
	}
	s.busy = false
	return s.ExecContext(ctx, args)
}

// QueryContext implements [driver.QueryerContext].
func (c *cachingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, free, err := c.take(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case !free:
		return nil, driver.ErrSkip // database/sql compiles the text once more
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		s.busy = false
		return nil, err
	}
	return cachedRows{rows, s}, nil
}

// cachedRows give their statement back when they are closed, which resets it.
type cachedRows struct {
	driver.Rows
	statement *cachedStatement
}

// Close implements [driver.Rows].
func (r cachedRows) Close() error {
	err := r.Rows.Close()
	r.statement.busy = false
	return err
}
