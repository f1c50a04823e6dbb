//go:build linux || darwin

package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A commitReader reads the head of the index of the log of a SQLite file where SQLite has
// it: in memory that all processes share.
//
// SQLite's locks are on that file, and whoever closes it gives up all locks that the process
// has on it. So it stays open until it is removed, which the last of all connections does. A
// commitReader that is closed before that, because another store or process has the database
// open, leaves it open.
type commitReader struct {
	connection *sql.Conn // nobody uses it: while it is open, the file is not removed
	file       int       // no os.File, which closes itself when it is dropped
	memory     []byte
}

// openCommitReader opens the index of the log of a database, to which db makes connections.
func openCommitReader(ctx context.Context, database string, db *sql.DB) (r *commitReader, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	r = &commitReader{connection: c, file: -1}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	var tables int // to read anything opens the log
	if err = c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, err
	}
	if r.file, err = syscall.Open(database+"-shm", syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err != nil {
		r.file = -1
		return nil, fmt.Errorf("open the index of the log: %w", err)
	}
	if r.memory, err = syscall.Mmap(r.file, 0, int(unsafe.Sizeof([2]Version{})), syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map the index of the log: %w", err)
	}
	return r, nil
}

// version reads both copies of the head, the first one first: who commits writes it last.
func (r *commitReader) version() (v Version, known bool) {
	head := (*[2]Version)(unsafe.Pointer(unsafe.SliceData(r.memory))) //nolint:gosec // as large, and at the beginning of a page
	var copies [2]Version
	for i := range head {
		for j := range head[i] {
			copies[i][j] = atomic.LoadUint64(&head[i][j])
		}
	}
	return copies[0], copies[0] == copies[1] && copies[0] != Version{}
}

// close comes after all other connections of the store are closed.
func (r *commitReader) close() {
	_ = r.connection.Close() // it has only read
	if r.memory != nil {
		_ = syscall.Munmap(r.memory) // so has this
	}
	var info syscall.Stat_t
	if r.file >= 0 && syscall.Fstat(r.file, &info) == nil && info.Nlink == 0 {
		_ = syscall.Close(r.file) // and this
	}
}
