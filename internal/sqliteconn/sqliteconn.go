// Package sqliteconn opens SQLite files whose connections compile each statement
// once.
//
// It knows no tables and makes no transactions: that is for internal/sqlstore,
// whose tables every part of Lectern may use, and for the journal, which has one
// connection and a format of its own. Start reading at [Open].
package sqliteconn

import (
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// Open prepares connections to a file, whose path is absolute. The first use
// opens one and creates the file if it is missing. Each connection runs the
// pragmas, such as "busy_timeout(5000)", and begins its transactions as begin
// says: "deferred" or "immediate".
func Open(file, begin string, pragmas ...string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(address(file, begin, pragmas))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(statementConnector{c}), nil
}

func address(file, begin string, pragmas []string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	query := url.Values{"_txlock": {begin}, "_pragma": pragmas}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// Code is SQLite's primary result code of err, such as SQLITE_BUSY; 0 if err is
// not SQLite's.
func Code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// IsDiskFull reports whether err is that of a write, by SQLite or to a file, for which there
// was no room.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || Code(err) == sqlitelib.SQLITE_FULL
}
