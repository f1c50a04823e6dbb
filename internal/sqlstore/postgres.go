package sqlstore

import (
	"cmp"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// maxConnections is how many connections a store has to PostgreSQL at the same
// time, besides one for each lock that it holds or waits for.
const maxConnections = 8

func (s *Store) openPostgres(dsn string) error {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return errors.New("the database URL cannot be read; it is postgres://USER:PASSWORD@HOST:PORT/DATABASE") // err may quote it
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "lectern"
	}
	s.dialect = Postgres
	s.write = stdlib.OpenDB(*c)
	s.write.SetMaxOpenConns(maxConnections)
	s.write.SetMaxIdleConns(maxConnections)
	s.write.SetConnMaxIdleTime(5 * time.Minute)
	s.read = s.write
	locks := stdlib.OpenDB(*c)
	locks.SetMaxIdleConns(0) // a closed session gives up its locks whatever happened to it
	s.locks = postgresLocker{locks}
	return nil
}

// isSerializationFailure reports whether PostgreSQL rolled back err's
// transaction because of another one, so that it may run again.
func isSerializationFailure(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "40001" || e.Code == "40P01") // serialization_failure, deadlock_detected
}

// mayBeCommitted reports whether PostgreSQL may have committed a transaction although its
// commit returned err.
func mayBeCommitted(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "57") // the server ends; others say that it was rolled back
	}
	return err != nil && !errors.Is(err, sql.ErrTxDone) && !errors.Is(err, pgx.ErrTxCommitRollback)
}

var serializable = &sql.TxOptions{Isolation: sql.LevelSerializable}
