package markdown

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/watch"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagesync"
)

var (
	syncStopped = status.ProblemType{
		Code: "markdown.sync", Severity: status.Warning,
		Description: "The pages of a source and those in its database are not in step: the database cannot be reached, a page cannot be " +
			"written, or many pages are gone from one side at once. Both sides keep what they have.",
		Title: "{source} is not in step with its database: {why}",
		Fix:   "`lectern markdown sync status` shows more; Lectern tries again automatically.",
	}
	syncConflicts = status.ProblemType{
		Code: "markdown.conflicts", Severity: status.Warning,
		Description: "The same lines of a page were edited in the folder and in the database. The database's version is in place on both " +
			"sides; the folder's is kept.",
		Title: "{count} pages of {source} were edited both in the folder and in the database",
		Fix: "See the versions that were kept with `lectern markdown sync conflicts`, and choose one with `lectern markdown sync resolve " +
			"NUMBER KEEP`.",
	}
)

// syncPoll is how often both sides are looked at although nobody tells of a change.
const syncPoll = 5 * time.Second

// maxSyncPause is the longest pause between two tries to write what cannot be written.
const maxSyncPause = time.Minute

// A syncer keeps the folder of a notebook in step with a table of pages.
type syncer struct {
	n       *Notebook
	url     tools.Secret
	tenant  string
	reveal  tools.Reveal
	data    string // folder for what both sides held
	folder  *syncFolder
	waiting chan struct{} // cap 1: the database may have changed

	mu     sync.Mutex
	accept bool            // the next pass believes that a side has lost many pages
	base   *pagestore.Base // nil: not open
	last   pagesync.Result
	ended  time.Time // of the last pass without an error; zero: there was none
	why    string    // why there is none now; empty: there is
	unread []pagestore.BlocksError
}

// newSyncer prepares a syncer; nil without a database.
func newSyncer(n *Notebook, c Config, disk *folder.Committer, all *folder.View, env tools.Env) *syncer {
	if c.Sync.IsZero() || env.Calls == nil || env.Data == "" {
		return nil
	}
	return &syncer{
		n: n, url: c.Sync, tenant: c.Tenant, reveal: env.Reveal, data: env.Data, waiting: make(chan struct{}, 1),
		folder: &syncFolder{
			n: n, disk: disk, all: all, calls: env.Calls,
			watcher: watch.New(watch.Options{Folder: all.Path(), Skip: isForeign, Now: env.Now}),
		},
	}
}

// run keeps both sides in step until ctx ends. What fails is a Problem, and is tried
// again.
func (s *syncer) run(ctx context.Context) {
	release := s.n.report.BlockIdleExit("synchronises with a database")
	defer release()
	delays := []time.Duration{time.Second, 2 * time.Second, syncPoll, 10 * time.Second, 30 * time.Second}
	for failures := 0; ctx.Err() == nil; failures++ {
		began := s.n.now()
		err := s.runConnected(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.n.now().Sub(began) > time.Minute {
			failures = 0
		}
		s.fail(err)
		s.wait(ctx, delays[min(failures, len(delays)-1)], false)
	}
}

// fail shows why both sides are not in step.
func (s *syncer) fail(err error) {
	s.mu.Lock()
	s.why = err.Error()
	s.mu.Unlock()
	s.n.log.Warn("not in step with the database", "err", err)
	s.n.report.Raise(syncStopped, status.Args{"source": s.n.name, "why": err.Error()})
}

// runConnected makes passes until one fails.
func (s *syncer) runConnected(ctx context.Context) (err error) {
	address, err := s.reveal(ctx, s.url)
	if err != nil {
		return err
	}
	format := &blockFormat{}
	table, err := pagestore.OpenTable(ctx, pagestore.Options{
		URL: address, Tenant: s.tenant, Now: s.n.now, Describe: readColumns, Format: format,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	base, err := pagestore.OpenBase(ctx, s.baseFile(table), s.n.now)
	if err != nil {
		return err
	}
	format.base = base
	s.setBase(base)
	defer func() { s.setBase(nil); err = errors.Join(err, base.Close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	var listener sync.WaitGroup
	defer listener.Wait()
	defer cancel(nil)
	listener.Go(func() { cancel(table.Listen(ctx, s.wake)) })
	m := &pagesync.Mirror{
		Folder: s.folder, Table: table, Base: base, Now: s.n.now, NewID: newID, Allowed: isSyncPath,
		Progress: func(done, total int) { s.n.report.Progress("sync pages", int64(done), int64(total)) },
	}
	for pause := syncPoll; ; {
		result, err := s.pass(ctx, m, base)
		s.showBlocks(table.Unreadable())
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		switch {
		case result.Again, result.Skipped > 0 && result.ToFolder+result.ToTable > 0:
			pause = time.Second
		case result.Skipped > 0: // such as a read-only file: each try is a call
			pause = min(max(2*pause, syncPoll), maxSyncPause)
		default:
			pause = syncPoll
		}
		s.wait(ctx, pause, true)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// baseFile is a file for what this folder and this database held.
func (s *syncer) baseFile(table *pagestore.Table) string {
	sum := sha256.Sum256([]byte(s.folder.all.Path() + "\x00" + table.ID() + "\x00" + s.tenant))
	return filepath.Join(s.data, "sync-"+hex.EncodeToString(sum[:8])+".db")
}

func (s *syncer) setBase(base *pagestore.Base) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = base
}

// pass makes one pass and shows what came of it.
func (s *syncer) pass(ctx context.Context, m *pagesync.Mirror, base *pagestore.Base) (result pagesync.Result, err error) {
	s.mu.Lock()
	accept := s.accept
	s.accept = false
	s.mu.Unlock()
	result, err = m.Reconcile(ctx, accept)
	if vanished, ok := errors.AsType[*pagesync.VanishedError](err); ok {
		s.fail(fmt.Errorf("%w. Bring them back, or run: lectern markdown sync accept", vanished))
		return result, nil
	}
	if err != nil {
		return result, err
	}
	if s.folder.failed != nil {
		s.fail(s.folder.failed)
	} else {
		s.n.report.Clear(syncStopped)
	}
	s.mu.Lock()
	s.last, s.ended = result, s.n.now()
	if s.folder.failed == nil {
		s.why = ""
	}
	s.mu.Unlock()
	return result, s.showConflicts(ctx, base)
}

// showConflicts raises or clears the Problem of conflicts.
func (s *syncer) showConflicts(ctx context.Context, base *pagestore.Base) error {
	copies, err := base.Copies(ctx)
	if err != nil {
		return err
	}
	if len(copies) == 0 {
		s.n.report.Clear(syncConflicts)
		return nil
	}
	s.n.report.Raise(syncConflicts, status.Args{"source": s.n.name, "count": fmt.Sprint(len(copies))})
	return nil
}

// wake ends a wait.
func (s *syncer) wake() {
	select {
	case s.waiting <- struct{}{}:
	default: // it will end
	}
}

// wait waits for a change of either side, or for a time.
func (s *syncer) wait(ctx context.Context, d time.Duration, watched bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	var woken sync.WaitGroup
	defer woken.Wait()
	defer cancel()
	woken.Go(func() {
		select {
		case <-s.waiting:
			cancel()
		case <-ctx.Done():
		}
	})
	if watched {
		_ = s.folder.watcher.Wait(ctx) // its error is that the time is over
		return
	}
	<-ctx.Done()
}

// close ends the watching.
func (s *syncer) close() error { return s.folder.watcher.Close() }
