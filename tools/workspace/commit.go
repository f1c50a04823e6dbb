package workspace

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// newCaller is who writes, for the API.
func newCaller(c tools.CallContext, run string) notesapi.Caller {
	return notesapi.Caller{Author: c.Identity.Client, Run: run, Began: c.Began, Seed: c.Seed}
}

// A draftLog is the one overlay of a draft of the source: what has been written to
// it, and what of that was reported already.
type draftLog struct {
	mu       sync.Mutex // an overlay is for one goroutine
	overlay  *notesapi.Overlay
	reported map[string]tools.State
}

// Draft implements [tools.Drafter].
func (w *Workspaces) Draft(ctx context.Context) (tools.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := *w
	d.draft = &draftLog{overlay: w.api.Begin(notesapi.Caller{}), reported: map[string]tools.State{}}
	d.notes, d.runs, d.changed = d.draft, &scriptRuns{by: map[string]*scriptRun{}, source: w.runs}, func(string) {}
	return &d, nil
}

// Serve implements requester.
func (d *draftLog) Serve(ctx context.Context, r notesapi.Request) notesapi.Response {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.overlay.Serve(ctx, r)
}

// begin begins to collect what a call writes; on a draft, on top of what calls
// before it have written.
func (w *Workspaces) begin(c notesapi.Caller) *notesapi.Overlay {
	if w.draft != nil {
		return w.draft.overlay.As(c)
	}
	return w.api.Begin(c)
}

// changesOf are the changes of an overlay; on a draft, those that were not reported
// before.
func (w *Workspaces) changesOf(overlay *notesapi.Overlay) ([]tools.Change, error) {
	all, err := overlay.Changes()
	if err != nil || w.draft == nil {
		return all, err
	}
	var added []tools.Change
	for _, c := range all {
		if before, known := w.draft.reported[c.Target]; known {
			c.Before = before
		}
		if c.Before.Exists != c.After.Exists || !bytes.Equal(c.Before.Data, c.After.Data) {
			added = append(added, c)
		}
	}
	return added, nil
}

// write makes one request that writes, for good: it is reported before.
func (w *Workspaces) write(ctx context.Context, c tools.CallContext, r notesapi.Request) (notesapi.Response, error) {
	if err := ctx.Err(); err != nil {
		return notesapi.Response{}, err
	}
	overlay := w.begin(newCaller(c, ""))
	answer := overlay.Serve(ctx, r)
	if answer.Status >= http.StatusBadRequest {
		return answer, hiddenError(answer)
	}
	changes, err := w.changesOf(overlay)
	if err != nil || len(changes) == 0 {
		return answer, err
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return answer, err
	}
	return answer, w.commit(ctx, overlay, announcement{c, changes})
}

// tryWrite is write up to where it would report.
func (w *Workspaces) tryWrite(ctx context.Context, c tools.CallContext, r notesapi.Request) (notesapi.Response, error) {
	if err := ctx.Err(); err != nil {
		return notesapi.Response{}, err
	}
	answer := w.begin(newCaller(c, "")).Serve(ctx, r)
	return answer, hiddenError(answer)
}

// hiddenError is the error, which the hub counts, of an answer that was refused
// because of what is hidden. Other refusals are answers.
func hiddenError(a notesapi.Response) error {
	if a.Hidden {
		return answerError(a)
	}
	return nil
}

// An announcement is what a call has told its observer before it is written.
type announcement struct {
	call    tools.CallContext
	changes []tools.Change
}

// reportCommit tells what became of what was announced: err is that of its commit.
func reportCommit(err error, all ...announcement) {
	for _, a := range all {
		switch {
		case err == nil:
			a.call.ReportWritten(a.changes...)
		case errors.Is(err, sqlstore.ErrCommitUnknown):
			for _, c := range a.changes {
				a.call.OutcomeUnknown(c.Target)
			}
		}
	}
}

// commit makes changes that were announced.
func (w *Workspaces) commit(ctx context.Context, overlay *notesapi.Overlay, announced ...announcement) error {
	var changes []tools.Change
	for _, a := range announced {
		changes = append(changes, a.changes...)
	}
	if w.draft != nil {
		for _, c := range changes {
			w.draft.reported[c.Target] = c.After
		}
		reportCommit(nil, announced...)
		return nil
	}
	for _, c := range changes {
		id, isWorkspace := strings.CutSuffix(c.Target, "/"+string(notestore.WorkspaceKind)+":")
		if isWorkspace && !c.Before.Exists && !w.ids.extend(w.owned, id) {
			return tools.Errorf(tools.Conflict, "the workspace %q already exists", id).WithHint("Choose another id.")
		}
	}
	err := overlay.Commit(ctx)
	reportCommit(err, announced...)
	if err != nil {
		return commitError(err)
	}
	for _, c := range changes {
		w.announceChange(ctx, c)
	}
	return nil
}

// commitError is why nothing was written, or why nobody knows.
func commitError(err error) error {
	if errors.Is(err, sqlstore.ErrCommitUnknown) {
		return tools.Errorf(tools.Unavailable, "the connection to the database was lost, so this may or may not have been written").
			WithHint("Read before you write it again.")
	}
	if conflict, ok := errors.AsType[*notestore.ConflictError](err); ok {
		return tools.Errorf(tools.Conflict, "%w; nothing was written", conflict).WithHint("Read again, then write.")
	}
	return err
}

// commitRun makes what a run has collected, as the tools that write and that delete:
// each is judged by itself. Deletions are reported first and made together with the
// writes.
func commitRun(ctx context.Context, c tools.CallContext, run *scriptRun, changes []tools.Change) error {
	for _, name := range []string{deleteTool, writeTool} {
		if len(partOf(changes, name)) == 0 {
			continue
		}
		if _, err := c.CallWithInput(ctx, name, RequestIn{Run: run.id, Commit: true}); err != nil {
			return err
		}
	}
	return nil
}

// partOf is what one of the tools reports of all changes.
func partOf(changes []tools.Change, name string) (part []tools.Change) {
	for _, c := range changes {
		if (name == deleteTool) == (c.Before.Exists && !c.After.Exists) {
			part = append(part, c)
		}
	}
	return part
}

// commitPart is what the tool of this name does for commitRun.
func (w *Workspaces) commitPart(ctx context.Context, c tools.CallContext, run *scriptRun, name string) error {
	changes, err := w.changesOf(run.overlay)
	if err != nil {
		return err
	}
	part := partOf(changes, name)
	if len(part) == 0 {
		return tools.Errorf(tools.Invalid, "the run has nothing for %s", name)
	}
	if err := c.BeforeWrite(ctx, part...); err != nil {
		return err
	}
	run.announced = append(run.announced, announcement{c, part})
	if name == deleteTool && len(part) < len(changes) {
		return nil // the writes follow
	}
	return w.commit(ctx, run.overlay, run.announced...)
}
