package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// journalComponent is the Component that Problems of the journal are about.
const journalComponent = "journal"

// A ChangeLog is what agents changed: it records their calls, and lists and
// undoes their Changes for a person.
type ChangeLog struct {
	journal  *journal.Journal // nil: nothing is recorded
	sources  *sourceCatalog
	snapshot *snapshotUpdater
	log      *slog.Logger
	stopped  atomic.Bool // the journal cannot be written
}

// lastSessionNumber is the number of the newest session of earlier hubs; 0: there is
// none.
func (l *ChangeLog) lastSessionNumber() uint64 {
	if l.journal == nil {
		return 0
	}
	last, err := l.journal.LastSessionNumber()
	if err != nil {
		l.log.Error("open journal", "component", journalComponent, "err", err) // the next write reports it to people
	}
	return last
}

// newRecorder makes the Recorder of a call that may write; nil: the call reads,
// or there is no journal.
func (l *ChangeLog) newRecorder(c *call) *journal.Recorder {
	if l.journal == nil || c.tool.info.Effect == tools.Reads {
		return nil
	}
	o := journal.CallOrigin{
		Client: c.session.ClientName(), Proven: c.session.Proven != "", Session: c.session.ID,
		Source: c.source.conf.Name, Tool: c.tool.info.Name, Reason: c.Reason, Approval: c.approvalID(), PersonEdit: c.record.edit,
	}
	if c.decided.group != nil {
		o.Group = c.decided.group.recorded
	}
	if maker := c.selfOrNestingCall(); maker != nil {
		o.Run = journal.ScriptRunID(maker.seed)
	}
	if c.tool.ownChanges != nil {
		o.Tool = journal.UndoToolName
	}
	return l.journal.NewRecorder(o)
}

// updateJournalProblem raises or clears the Problem of a journal that cannot be
// written.
func (l *ChangeLog) updateJournalProblem(err error) {
	e, ok := errors.AsType[*tools.Error](err)
	switch {
	case err == nil && l.stopped.Swap(false):
		l.snapshot.clearProblem(journalStoppedProblem.Code, journalComponent)
	case ok && e.Code == tools.Unavailable && !l.stopped.Swap(true):
		l.snapshot.raiseProblem(journalStoppedProblem.New(journalComponent, status.Args{"why": e.Message}))
		l.log.Error("journal cannot be written", "component", journalComponent, "err", e.Cause)
	}
}

// recoveryTimeout bounds the recovery of one source.
const recoveryTimeout = 30 * time.Second

// recoverWrites settles writes to the source that a crash cut short, and reports
// it. It returns whether that is done.
func (s *source) recoverWrites(ref *sourceRef) bool {
	j := s.hub.changes.journal
	if j == nil || ref == nil {
		return j == nil
	}
	ctx, cancel := context.WithTimeout(s.life, recoveryTimeout)
	defer cancel()
	found, err := catchPanic(func() (journal.Reconciliation, error) {
		return j.ReconcileInterruptedCalls(ctx, s.conf.Name, ref.Restorer(), s.kind.Peer() != nil)
	})
	if err != nil {
		if why := err.Error(); s.life.Err() == nil && why != s.postponed { // it is tried again every few seconds
			s.postponed = why
			s.hub.log.Warn("recovery of interrupted writes is postponed", "component", s.conf.Name, "err", err)
		}
		return false
	}
	s.postponed = ""
	if found.HasFindings() {
		s.hub.log.Warn("recovered interrupted writes", "component", s.conf.Name, "happened", found.Written, "dropped", found.Dropped,
			"unsure", found.Unknown, "taken_back", found.TakenBack, "undos_resumed", found.Resumed, "undos_stuck", len(found.Conflicted))
		s.hub.changes.showNotices()
	}
	if len(found.Conflicted) > 0 {
		s.raiseProblem(journalStuckProblem, status.Args{"targets": strings.Join(found.Conflicted, ", ")})
	}
	return true
}

// needsRecovery reports whether writes were cut short since the last recovery.
func (s *source) needsRecovery() bool {
	return s.hub.changes.journal != nil && s.hub.changes.journal.SourceNeedsRecovery(s.conf.Name)
}

// errNoJournal is for hubs of tests.
var errNoJournal = errors.New("this hub has no journal")

// List is the Changes of agents, newest first, as [status.ChangesQuery] promises.
func (l *ChangeLog) List(ctx context.Context, f status.Filter) (status.Changes, error) {
	if l.journal == nil {
		return status.Changes{}, fmt.Errorf("list changes: %w", errNoJournal)
	}
	return l.journal.Changes(ctx, f)
}

// PlanUndo is what Undo would change, with the diffs.
func (l *ChangeLog) PlanUndo(ctx context.Context, f status.Filter) (status.Plan, error) {
	if l.journal == nil {
		return status.Plan{}, fmt.Errorf("undo: %w", errNoJournal)
	}
	return l.journal.PlanUndo(ctx, f, l.openRestorer)
}

// Undo takes back the Changes that match f, for a person: grants do not count.
func (l *ChangeLog) Undo(ctx context.Context, f status.Filter) error {
	if l.journal == nil {
		return fmt.Errorf("undo: %w", errNoJournal)
	}
	err := l.journal.Undo(ctx, f, journal.CallOrigin{Client: "lectern undo"}, l.openRestorer)
	l.snapshot.requestUpdate()
	return err
}

// openRestorer gives the journal a source's end of an undo, until release is called.
func (l *ChangeLog) openRestorer(ctx context.Context, name string) (r tools.Restorer, release func(), err error) {
	s, ok := l.sources.named(name)
	if !ok {
		return nil, nil, fmt.Errorf("source %s is not configured any more; `lectern source add` brings it back", name)
	}
	open, release, err := s.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	return open.Restorer(), release, nil
}
