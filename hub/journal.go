package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// countOn counts sessions on from those of earlier hubs, so that the name of one
// means it for good.
func (h *Hub) countOn() {
	if h.journal == nil {
		return
	}
	last, err := h.journal.Sessions()
	if err != nil {
		h.log.Error("open journal", "part", journalPart, "err", err) // the next write says so to people
	}
	h.ids.Store(last)
}

// What can be wrong with the journal of changes.
var (
	journalStopped = status.ProblemType{
		Code: "journal.stopped", Severity: status.Error,
		Description: "The journal of changes cannot be written, so agents cannot write either: what is not in the journal could not be taken back. Reading goes on.",
		Title:       "agents cannot write: {why}",
		Fix:         "Make room on the disk, or do what the message says. Every write of an agent tries the journal again.",
	}
	journalUnsure = status.ProblemType{
		Code: "journal.unsure", Severity: status.Warning,
		Description: "Lectern ended in the middle of a write, and what the write was about has been edited since, so that it cannot be told whether it happened. Nothing was overwritten.",
		Title:       "it is not known whether {count} of agents in {source} happened",
		Fix:         "Run `lectern changes --source {source}` and look at those that are unsure. This notice goes when the hub restarts.",
	}
	journalStuck = status.ProblemType{
		Code: "journal.stuck", Severity: status.Warning,
		Description: "Lectern ended in the middle of an undo and could not go on with it, because something was edited since. What was taken back stays so, the rest stays as it is.",
		Title:       "an undo in {source} stopped half-way at {targets}",
		Fix:         "Run `lectern changes --source {source}` to see what stands, and take that back with `lectern undo`. This notice goes when the hub restarts.",
	}
)

// listen makes the Recorder of a call that may write; nil: the call reads, or
// there is no journal.
func (h *Hub) listen(c *call, src *source, t *tool) *journal.Recorder {
	if h.journal == nil || t.info.Effect == tools.Reads {
		return nil
	}
	o := journal.Origin{
		Client: c.session.clientName(), Proven: c.session.proven != "", Session: c.session.id,
		Source: src.conf.Name, Tool: t.info.Name, Reason: c.reason,
	}
	if t.past != nil {
		o.Tool = journal.UndoTool
	}
	return h.journal.Record(o)
}

// run runs the tool of a call. What it writes is in the journal before it is
// written, and marked there when the tool has returned, however late.
func (h *Hub) run(ctx context.Context, c *call, src *source, t *tool, open *lease, l leave) (tools.Result, error) {
	if c.changes == nil {
		return h.invoke(ctx, c, src, t, open, l.caller(fused{c.caller, h, c.client, l.asked}), l.args)
	}
	res, err := protected(func() (tools.Result, error) {
		return h.invoke(ctx, c, src, t, open, l.caller(fused{recording{c.caller, c.changes, h}, h, c.client, l.asked}), l.args)
	})
	c.changes.End(ctx, open.Restorer(), err)
	return res, err
}

// recording is a Caller whose Changes go to the journal.
type recording struct {
	tools.CallContext
	recorder *journal.Recorder
	hub      *Hub
}

// BeforeWrite implements [tools.CallContext].
func (r recording) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	err := r.recorder.BeforeWrite(ctx, changes...)
	r.hub.journalIs(err)
	return err
}

// AfterWrite implements [tools.CallContext].
func (r recording) AfterWrite(target string, after tools.State) { r.recorder.AfterWrite(target, after) }

// journalPart is the Part that Problems of the journal are about.
const journalPart = "journal"

// journalIs raises or clears the Problem of a journal that cannot be written.
func (h *Hub) journalIs(err error) {
	e, ok := errors.AsType[*tools.Error](err)
	switch {
	case err == nil && h.stopped.Swap(false):
		h.picture.clear(journalStopped.Code, journalPart)
	case ok && e.Code == tools.Unavailable && !h.stopped.Swap(true):
		p := journalStopped.New(journalPart, status.Args{"why": e.Message})
		p.Since = h.now()
		h.picture.raise(p)
		h.log.Error("journal cannot be written", "part", journalPart, "err", e.Cause)
	}
}

// settleWithin is how long a source is asked what became of writes that were
// cut short.
const settleWithin = 30 * time.Second

// settle finds out what became of writes to the source that were cut short, and
// says so. It reports whether that is done.
func (s *source) settle() bool {
	j := s.hub.journal
	if j == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(s.life, settleWithin)
	defer cancel()
	found, err := leased(ctx, s, func(open *lease) (journal.Reconciliation, error) {
		return j.Reconcile(ctx, s.conf.Name, open.Restorer())
	})
	if err != nil {
		if s.life.Err() == nil {
			s.hub.log.Warn("writes that were cut short wait to be looked at", "part", s.conf.Name, "err", err)
		}
		return false
	}
	if found.HasFindings() {
		s.hub.log.Warn("found writes that were cut short", "part", s.conf.Name, "happened", found.Happened,
			"dropped", found.Dropped, "unsure", found.Unknown, "undos_resumed", found.Resumed, "undos_stuck", len(found.Conflicted))
	}
	if found.Unknown > 0 {
		s.raise(journalUnsure, status.Args{"count": counted(found.Unknown, "write")})
	}
	if len(found.Conflicted) > 0 {
		s.raise(journalStuck, status.Args{"targets": strings.Join(found.Conflicted, ", ")})
	}
	return true
}

// serves says whether the source is open and well.
func (s *source) serves() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open != nil && s.why == nil
}

// loose says whether there is something to settle since the last time.
func (s *source) loose() bool {
	return s.hub.journal != nil && s.hub.journal.NeedsRecovery(s.conf.Name)
}

func (s *source) raise(t status.ProblemType, w status.Args) {
	w["source"] = s.conf.Name
	p := t.New(s.conf.Name, w)
	p.Since = s.hub.now()
	s.hub.picture.raise(p)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// errNoJournal is for hubs of tests.
var errNoJournal = errors.New("this hub keeps no changes")

// Changes answers the Changes of agents, newest first, as status.Ledger
// promises.
func (h *Hub) Changes(ctx context.Context, p status.Filter) (status.Changes, error) {
	if h.journal == nil {
		return status.Changes{}, fmt.Errorf("list changes: %w", errNoJournal)
	}
	return h.journal.Changes(ctx, p)
}

// PlanUndo says what Undo would change, with the diffs.
func (h *Hub) PlanUndo(ctx context.Context, p status.Filter) (status.Plan, error) {
	if h.journal == nil {
		return status.Plan{}, fmt.Errorf("undo: %w", errNoJournal)
	}
	return h.journal.PlanUndo(ctx, p, h.lend)
}

// Undo takes back what p picks, for a person: grants do not count.
func (h *Hub) Undo(ctx context.Context, p status.Filter) error {
	if h.journal == nil {
		return fmt.Errorf("undo: %w", errNoJournal)
	}
	err := h.journal.Undo(ctx, p, journal.Origin{Client: "lectern undo"}, h.lend)
	h.picture.touch()
	return err
}

// lend opens a source to the journal.
func (h *Hub) lend(ctx context.Context, name string) (tools.Restorer, func(), error) {
	h.mu.RLock()
	sources := h.sources
	h.mu.RUnlock()
	for _, s := range sources {
		if s.conf.Name == name {
			open, leave, err := s.acquire(ctx)
			if err != nil {
				return nil, nil, err
			}
			return open.Restorer(), leave, nil
		}
	}
	return nil, nil, fmt.Errorf("no source is named %s any more; `lectern source add` brings it back", name)
}
