// Package journal records every Change that agents make, so that it can be
// shown as a diff and undone.
//
// A Change is on disk, complete, before the write it belongs to begins.
// Afterwards it is marked as written or dropped, as the writer tells. A crash in between
// leaves it pending, and [Journal.ReconcileInterruptedCalls] finds out what happened: from
// the revisions of the target, or where it has none from what it holds now. A write that
// cannot be recorded is refused.
//
// It is not a backup and not a log of calls: contents are kept as long and as
// far as [Options] say, and people's own edits are not recorded. It knows no
// System, only [tools.Restorer], and no protocol. hub and cmd/lectern import
// it.
//
// Start reading at [Recorder], then reconcile.go, then undo.go.
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
	"syscall"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqliteconn"
	"github.com/lectern-mcp/lectern/tools"
)

// Options configures a Journal. Dir, Now and Log are required.
type Options struct {
	Dir string // for the journal only, created with mode 0700
	Now func() time.Time
	Log *slog.Logger
	// Keep is how long contents are kept; 0 means 90 days. A Change without its
	// content stays listed for ten times as long.
	Keep time.Duration
	// MaxBytes bounds the contents, not counting the newest call; 0 means 512 MB.
	MaxBytes int64
}

// Defaults of [Options].
const (
	DefaultKeepTime = 90 * 24 * time.Hour
	DefaultMaxBytes = 512 << 20
)

// A Journal opens its database when it is first needed, and again after an
// error. Its methods are safe for concurrent use. One process at a time has
// the database open.
type Journal struct {
	*database

	undoLock      contextMutex // one undo or reconciliation at a time
	reconcileLock sync.Mutex   // taken before undoLock, for which a reconciliation does not wait
}

// A database is the file that a Journal keeps, and what is to be written into it.
type database struct {
	opts Options

	mu            contextMutex // guards the fields below and every use of db
	db            *sql.DB      // nil: not open
	key           *encryptionKey
	suspect       bool // something has found it damaged
	closed        bool
	running       map[int64]bool                  // calls that have not ended
	runningGroups map[int64]bool                  // groups that have not ended
	needsRecovery map[string]bool                 // sources that may have pending Changes of ended calls
	leftInPart    map[int64]map[string]bool       // targets of calls that could not take them back
	moves         map[int64]map[int64]movedTarget // of calls that have ended, by the numbers of their Changes
	queued        []outcomeUpdate                 // outcomes that are not on disk yet
	nextCheck     nextRetentionCheck
	flushTimer    *time.Timer // writes them; nil: none are waiting
}

// DatabaseFile is the file that the process which serves a journal's folder has open.
func DatabaseFile(dir string) string { return filepath.Join(dir, databaseName) }

// New makes a Journal. It does not touch the disk.
func New(o Options) *Journal {
	if o.Keep == 0 {
		o.Keep = DefaultKeepTime
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &Journal{undoLock: newContextMutex(), database: &database{
		mu: newContextMutex(), opts: o, running: map[int64]bool{}, runningGroups: map[int64]bool{}, needsRecovery: map[string]bool{},
		leftInPart: map[int64]map[string]bool{},
	}}
}

// outcomeFlushDelay is how long an outcome waits for others before it is written. One
// that a crash loses is found again at the next start.
const outcomeFlushDelay = 250 * time.Millisecond

// Close writes the queued outcomes. Nothing can be recorded afterwards.
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
	err := errors.Join(j.flush(), j.db.Close())
	j.db = nil
	if err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// ensureOpen opens the database if it is not open. The caller holds mu.
func (d *database) ensureOpen() error {
	if d.db != nil {
		return nil
	}
	if d.closed {
		return errors.New("the journal is closed")
	}
	if err := os.MkdirAll(d.opts.Dir, 0o700); err != nil {
		return err
	}
	lost := HasLostDatabase(d.opts.Dir)
	key, isNew, err := loadOrCreateKey(d.opts.Dir)
	if err != nil {
		return err
	}
	db, err := openDatabase(d.opts, key, d.suspect)
	if err != nil {
		return err
	}
	if isNew {
		if err := renameNewKeyFile(d.opts.Dir); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	d.db, d.key, d.suspect, d.moves = db, key, false, nil
	if lost {
		d.opts.Log.Error("the journal was empty or missing; a new one begins, and earlier changes cannot be undone",
			"component", "journal", "dir", d.opts.Dir)
		return d.transact(func(tx *sql.Tx) error { return insertNotice(d, tx, &Notice{Time: d.opts.Now()}) })
	}
	return nil
}

// closeIfDamaged adds the name of the database to err. After an error that means
// damage it closes the database, which opening then checks completely. The
// caller holds mu.
func (d *database) closeIfDamaged(err error) error {
	if d.db != nil && isDamageError(err) {
		_ = d.db.Close() // what it says adds nothing
		d.db, d.suspect = nil, true
	}
	if sqliteconn.Code(err) != 0 {
		return fmt.Errorf("%s: %w", DatabaseFile(d.opts.Dir), err)
	}
	return err
}

// transact runs f in a transaction, after the queued outcomes, and returns
// when everything is on disk. The caller holds mu.
func (d *database) transact(f func(*sql.Tx) error) error {
	if err := d.ensureOpen(); err != nil {
		return err
	}
	tx, err := d.db.BeginTx(context.Background(), nil)
	if err != nil {
		return d.closeIfDamaged(err)
	}
	err = d.writeOutcomes(tx)
	if err == nil {
		err = f(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback() // the first error says what is wrong
		return d.closeIfDamaged(err)
	}
	d.queued = d.queued[:0]
	return nil
}

// flush writes the queued outcomes. The caller holds mu.
func (d *database) flush() error { return d.transact(func(*sql.Tx) error { return nil }) }

// queueOutcomes queues outcomes for the next transaction. The caller holds
// mu.
func (d *database) queueOutcomes(marks ...outcomeUpdate) {
	if len(marks) == 0 || d.closed {
		return
	}
	d.queued = append(d.queued, marks...)
	if d.flushTimer == nil {
		d.flushTimer = time.AfterFunc(outcomeFlushDelay, d.flushOutcomes)
	}
}

func (d *database) flushOutcomes() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flushTimer = nil
	if len(d.queued) == 0 || d.closed {
		return
	}
	if err := d.flush(); err != nil {
		d.opts.Log.Warn("queued outcomes could not be written yet", "component", "journal", "count", len(d.queued), "err", err)
	}
}

// unavailableError is the error that an agent gets when its write cannot be
// recorded.
func unavailableError(err error) error {
	e := tools.Errorf(tools.Unavailable, "the journal of changes cannot be written, so nothing was changed: %s", describeWriteFailure(err))
	e.Cause = err
	return e.WithHint("Tell the user; `lectern doctor` says more. Reading still works.")
}

// describeWriteFailure is why a write failed. Where the disk is full, which files were on the
// way to it is for the log.
func describeWriteFailure(err error) string {
	switch {
	case errors.Is(err, syscall.EDQUOT):
		return syscall.EDQUOT.Error()
	case sqliteconn.IsDiskFull(err):
		return syscall.ENOSPC.Error()
	}
	return err.Error()
}
