package workspace

import (
	"context"
	"errors"
	"slices"

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
	changes = slices.Clone(changes)
	for i, change := range changes {
		made, err := draft.State(ctx, change.Target)
		if err != nil {
			return err
		}
		changes[i].After.Revision = made.Revision
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	err := draft.Commit(ctx)
	if reportCommit(err, announcement{c, changes}); err != nil {
		return restoreError(err)
	}
	for _, change := range changes {
		w.announceChange(ctx, change)
	}
	return nil
}

// HasRevision implements [tools.RevisionRestorer].
func (w *Workspaces) HasRevision(ctx context.Context, target, revision string) (bool, error) {
	return notestore.HasRevision(ctx, w.store.Begin(notestore.View{}), target, revision)
}

func restoreError(err error) error {
	if conflict, ok := errors.AsType[*notestore.ConflictError](err); ok {
		return tools.Errorf(tools.Conflict, "%.80q was edited later", conflictTarget(conflict))
	}
	return commitError(err)
}

func conflictTarget(e *notestore.ConflictError) string {
	if e.Kind == "" {
		return notePath(e.Workspace, e.ID)
	}
	return e.Workspace + "/" + string(e.Kind) + ":" + e.ID
}
