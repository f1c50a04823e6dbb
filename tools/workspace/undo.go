package workspace

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// State implements [tools.Restorer]. Targets are those of [notestore.Draft].Changes.
func (w *Workspaces) State(ctx context.Context, target string) (tools.State, error) {
	if w.draft != nil {
		w.draft.mu.Lock()
		defer w.draft.mu.Unlock()
		return w.draft.overlay.Draft().State(ctx, target)
	}
	return w.store.Begin(notestore.View{}).State(ctx, target)
}

// Restore implements [tools.Restorer]: what it writes is new revisions, so that the
// history keeps what was undone.
func (w *Workspaces) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	draft := w.store.Begin(notestore.View{Author: c.Identity.Client, Began: c.Began, Seed: c.Seed})
	if err := draft.Restore(ctx, changes); err != nil {
		return restoreError(err)
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	if err := draft.Commit(ctx); err != nil {
		return restoreError(err)
	}
	for _, change := range changes {
		w.announceChange(ctx, change)
	}
	return nil
}

func restoreError(err error) error {
	if conflict, ok := errors.AsType[*notestore.ConflictError](err); ok {
		return tools.Errorf(tools.Conflict, "%.80q was edited later", conflictTarget(conflict))
	}
	return err
}

func conflictTarget(e *notestore.ConflictError) string {
	if e.Kind == "" {
		return notePath(e.Workspace, e.ID)
	}
	return e.Workspace + "/" + string(e.Kind) + ":" + e.ID
}
