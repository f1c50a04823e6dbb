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

	undoLock sync.Mutex // one undo at a time

	mu            sync.Mutex // of all below, and of everything that is asked of db
	db            *sql.DB    // nil: not open
	key           *contentKey
	suspect       bool // something has found it damaged
	closed        bool
	running       map[int64]bool  // calls that have not ended
	needsRecovery map[string]bool // sources that may have pending Changes of ended calls
	queued        []outcomeUpdate // outcomes that are not on disk yet
	flushTimer    *time.Timer     // writes them; nil: none are waiting
}

// New makes a Journal. It touches nothing on disk.
func New(o Options) *Journal {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &Journal{opts: o, running: map[int64]bool{}, needsRecovery: map[string]bool{}}
}

// flushAfter is how long an outcome waits for others before it is written. When
// it is lost, the next start finds it out.
const flushAfter = 250 * time.Millisecond

// Close writes what is waiting. Nothing can be recorded afterwards.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.flushTimer != nil {
		j.flushTimer.Stop()
	}
	if j.db == nil {
		return nil
	}
	err := errors.Join(j.transact(func(*sql.Tx) error { return nil }), j.db.Close())
	j.db = nil
	if err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// ensureOpen opens the database unless it is open. With the lock.
func (j *Journal) ensureOpen() error {
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
	db, err := openFile(j.opts, key, j.suspect)
	if err != nil {
		return err
	}
	j.db, j.key, j.suspect = db, key, false
	return nil
}

// wrapDBError is err with the name of the database, which is closed after one that
// calls it damaged: opening it again looks closer. With the lock.
func (j *Journal) wrapDBError(err error) error {
	if j.db != nil && isDamaged(err) {
		_ = j.db.Close() // what it says adds nothing
		j.db, j.suspect = nil, true
	}
	if sqliteCode(err) != 0 {
		return fmt.Errorf("%s: %w", filepath.Join(j.opts.Dir, databaseName), err)
	}
	return err
}

// transact runs f in a transaction, after the outcomes that wait to be written,
// and returns when all of it is on disk. With the lock.
func (j *Journal) transact(f func(*sql.Tx) error) error {
	if err := j.ensureOpen(); err != nil {
		return err
	}
	tx, err := j.db.BeginTx(context.Background(), nil)
	if err != nil {
		return j.wrapDBError(err)
	}
	err = j.writeOutcomes(tx)
	if err == nil {
		err = f(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback() // the first error says what is wrong
		return j.wrapDBError(err)
	}
	j.queued = j.queued[:0]
	return nil
}

// queueOutcomes notes outcomes down to be written with the next transaction. With the
// lock.
func (j *Journal) queueOutcomes(marks ...outcomeUpdate) {
	if len(marks) == 0 || j.closed {
		return
	}
	j.queued = append(j.queued, marks...)
	if j.flushTimer == nil {
		j.flushTimer = time.AfterFunc(flushAfter, j.flushOutcomes)
	}
}

func (j *Journal) flushOutcomes() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flushTimer = nil
	if len(j.queued) == 0 || j.closed {
		return
	}
	if err := j.transact(func(*sql.Tx) error { return nil }); err != nil {
		j.opts.Log.Warn("outcomes wait to be written", "part", "journal", "count", len(j.queued), "err", err)
	}
}

// unavailableError is the error that reaches an agent when its write cannot be
// remembered.
func unavailableError(err error) error {
	e := tools.Errorf(tools.Unavailable, "the journal of changes cannot be written, so nothing was changed: %w", err)
	return e.WithHint("Tell the user; `lectern doctor` says more. Reading still works.")
}
