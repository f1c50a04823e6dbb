// Package journal keeps every Change that agents make, so that it can be shown
// as a diff and taken back.
//
// A Change is on disk, whole, before the write it belongs to begins; afterwards
// it is marked as having happened, or dropped. A crash in between leaves it
// pending, and [Journal.Settle] finds out by what the target holds now. What
// cannot be put on disk stops the write.
//
// It is not a backup and not a log of calls: contents are kept for as long and
// as far as [Options] say, and what people edit themselves is not in it. It
// knows no System, only [tools.Keeper], and no protocol. hub imports it.
//
// Start reading at [Recorder], then settle.go, then undo.go.
package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// Options says where a Journal is and what bounds it. Dir, Now and Log are
// required.
type Options struct {
	Dir string // its own, made for this user alone
	Now func() time.Time
	Log *slog.Logger
	// Keep is how long contents are kept; 0: 90 days. A Change without its
	// content stays listed for ten times as long.
	Keep time.Duration
	// MaxBytes of contents are kept, besides those of the newest call; 0: 512 MB.
	MaxBytes int64
}

// The defaults of [Options].
const (
	DefaultKeep     = 90 * 24 * time.Hour
	DefaultMaxBytes = 512 << 20
)

// A Journal is opened when it is first needed, and again after an error. Its
// methods may be used from any goroutine. One process at a time has it open.
type Journal struct {
	opts Options

	undoing sync.Mutex // one undo at a time

	mu  sync.Mutex // of all below, and of everything that is asked of db
	db  *sql.DB    // nil: not open
	key *contentKey
	// prepared are statements of db, which closes them with itself.
	prepared map[string]*sql.Stmt
	doubt    bool // something has found it damaged
	closed   bool
	live     map[int64]bool  // calls that have not ended
	loose    map[string]bool // sources that may have pending Changes of ended calls
	marks    []mark          // outcomes that are not on disk yet
	flush    *time.Timer     // writes them; nil: none are waiting
}

// New makes a Journal. It touches nothing on disk.
func New(o Options) *Journal {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &Journal{opts: o, live: map[int64]bool{}, loose: map[string]bool{}}
}

// flushAfter is how long an outcome waits for others before it is written. When
// it is lost, the next start finds it out.
const flushAfter = 250 * time.Millisecond

// Close writes what is waiting. Nothing can be recorded afterwards.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.flush != nil {
		j.flush.Stop()
	}
	if j.db == nil {
		return nil
	}
	err := errors.Join(j.write(func(batch) error { return nil }), j.db.Close())
	j.db = nil
	if err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// openUnless opens the database unless it is open. With the lock.
func (j *Journal) openUnless() error {
	if j.db != nil {
		return nil
	}
	if j.closed {
		return errors.New("the journal is closed")
	}
	if err := os.MkdirAll(j.opts.Dir, 0o700); err != nil {
		return err
	}
	key, err := loadKey(j.opts.Dir)
	if err != nil {
		return err
	}
	db, err := openFile(j.opts, key, j.doubt)
	if err != nil {
		return err
	}
	j.prepared, err = prepared(context.Background(), db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	j.db, j.key, j.doubt = db, key, false
	return nil
}

// failed is err with the name of the database, which is closed after one that
// calls it damaged: opening it again looks closer. With the lock.
func (j *Journal) failed(err error) error {
	if j.db != nil && damaged(err) {
		_ = j.db.Close() // what it says adds nothing
		j.db, j.doubt = nil, true
	}
	if code(err) != 0 {
		return fmt.Errorf("%s: %w", filepath.Join(j.opts.Dir, databaseName), err)
	}
	return err
}

// write runs f in a transaction, after the outcomes that wait to be written,
// and returns when all of it is on disk. With the lock.
func (j *Journal) write(f func(batch) error) error {
	if err := j.openUnless(); err != nil {
		return err
	}
	begun, err := j.db.BeginTx(context.Background(), nil)
	if err != nil {
		return j.failed(err)
	}
	tx := batch{begun, j.prepared}
	err = j.markAll(tx)
	if err == nil {
		err = f(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback() // the first error says what is wrong
		return j.failed(err)
	}
	j.marks = j.marks[:0]
	return nil
}

// later notes outcomes down to be written with the next transaction. With the
// lock.
func (j *Journal) later(marks ...mark) {
	if len(marks) == 0 || j.closed {
		return
	}
	j.marks = append(j.marks, marks...)
	if j.flush == nil {
		j.flush = time.AfterFunc(flushAfter, j.flushed)
	}
}

func (j *Journal) flushed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush = nil
	if len(j.marks) == 0 || j.closed {
		return
	}
	if err := j.write(func(batch) error { return nil }); err != nil {
		j.opts.Log.Warn("outcomes wait to be written", "part", "journal", "count", len(j.marks), "err", err)
	}
}

// stopped is the error that reaches an agent when its write cannot be
// remembered.
func stopped(err error) error {
	e := tools.Errorf(tools.Unavailable, "the journal of changes cannot be written, so nothing was changed: %w", err)
	return e.WithHint("Tell the user; `lectern doctor` says more. Reading still works.")
}
