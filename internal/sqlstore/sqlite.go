package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	sqlitelib "modernc.org/sqlite/lib"

	"github.com/lectern-mcp/lectern/internal/sqliteconn"
)

// maxReaders is how many connections read a SQLite file at the same time.
const maxReaders = 4

// openSQLite opens one connection that writes, because SQLite has one writer at
// a time anyway and queueing in the process is fairer than its busy handler, and
// a pool that only reads and is never blocked by it.
func (s *Store) openSQLite(o Options) error {
	file, err := filepath.Abs(o.Database)
	if err != nil {
		return err
	}
	s.dialect, s.locks = Sqlite, fileLocker(file)
	if err := createPrivateFile(file); err != nil {
		return err
	}
	common := []string{"busy_timeout(5000)", "synchronous(full)", "foreign_keys(on)", cacheSize(o)}
	if o.Cache || o.Scratch {
		common[1] = "synchronous(off)"
	}
	writing := append(slices.Clone(common), "auto_vacuum(incremental)", "journal_mode(wal)", "journal_size_limit(4194304)")
	if o.Scratch {
		writing = append(slices.Clone(common), "auto_vacuum(incremental)", "journal_mode(off)", "foreign_keys(off)")
	}
	if s.write, err = sqliteconn.Open(file, "immediate", writing...); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	reading := append(slices.Clone(common), "query_only(on)")
	if s.read, err = sqliteconn.Open(file, "deferred", reading...); err != nil {
		return errors.Join(err, s.write.Close())
	}
	s.read.SetMaxOpenConns(maxReaders)
	s.read.SetMaxIdleConns(maxReaders) // each has compiled its statements
	return nil
}

// cacheSize is how many pages a connection adds to those that all connections of the process
// keep in common: SQLite is compiled to share them, and a page takes twice its size of memory
// (docs/adr/0117).
func cacheSize(o Options) string {
	switch {
	case o.Scratch:
		return "cache_size(-8192)"
	case o.SmallCache, o.Cache: // of an index mostly long lists are read, which the system keeps
		return "cache_size(-1024)"
	}
	return "cache_size(-8192)" // the index of many notes is read again and again
}

// createPrivateFile creates file if it is missing, since SQLite would make it
// readable to others. Its write-ahead log has the mode of the file.
func createPrivateFile(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", file)
	case info.Mode().Perm()&0o077 != 0:
		err = f.Chmod(0o600)
	}
	return errors.Join(err, f.Close())
}

// isSQLiteBusy reports whether another process kept err's statement from
// running, so that it may run later.
func isSQLiteBusy(err error) bool {
	code := sqliteconn.Code(err)
	return code == sqlitelib.SQLITE_BUSY || code == sqlitelib.SQLITE_LOCKED
}

// CopyTo writes the database as it is now into a new file. A store on PostgreSQL
// returns [errors.ErrUnsupported].
func (s *Store) CopyTo(ctx context.Context, file string) error {
	if s.dialect != Sqlite {
		return errors.ErrUnsupported
	}
	if err := createPrivateFile(file); err != nil { // SQLite takes one that is empty
		return err
	}
	conn, err := s.read.Conn(ctx) // it does not wait for who writes
	if err != nil {
		return err
	}
	defer conn.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // closes the connection: it may write now
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only(off)"); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", file)
	return err
}

// vacuum gives the space of deleted rows back to the file system.
func (s *Store) vacuum(ctx context.Context) error {
	if s.dialect != Sqlite {
		return nil // autovacuum does it
	}
	_, err := s.write.ExecContext(ctx, "PRAGMA incremental_vacuum")
	return err
}
