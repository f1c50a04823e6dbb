package org

import (
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// rootOf finds the root of a target of a Change.
func (s *Source) rootOf(target string) (r *root, rel string, ok bool) {
	for _, r := range s.roots() {
		if rel, ok := strings.CutPrefix(target, r.prefix); ok {
			return r, rel, true
		}
	}
	return nil, "", false
}

// State implements [tools.Restorer].
func (s *Source) State(_ context.Context, target string) (tools.State, error) {
	r, rel, ok := s.rootOf(target)
	if !ok {
		return tools.State{}, nil
	}
	st, err := r.store.State(rel)
	if err != nil {
		return tools.State{}, s.toolError(target, err)
	}
	return toolState(st), nil
}

// Restore implements [tools.Restorer].
func (s *Source) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := s.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.writing.Release(1)
	byRoot, err := s.changesByRoot(changes)
	if err != nil {
		return err
	}
	plan, reported, err := s.planRestore(byRoot)
	if err != nil {
		return err
	}
	if err := c.BeforeWrite(ctx, reported...); err != nil {
		return err
	}
	if err := s.restoreRoots(c, plan, byRoot); err != nil {
		return err
	}
	for _, r := range plan {
		s.announceRestored(ctx, r, byRoot[r])
	}
	return nil
}

// changesByRoot sorts changes by the folders that their files are in.
func (s *Source) changesByRoot(changes []tools.Change) (map[*root][]folder.Change, error) {
	byRoot := map[*root][]folder.Change{}
	for _, change := range changes {
		r, rel, ok := s.rootOf(change.Target)
		if !ok {
			return nil, tools.Errorf(tools.Conflict, "%s is in no folder of this source any more", change.Target)
		}
		if s.buffers.isLost(r.path(rel), change.Before.Data) {
			return nil, tools.Errorf(tools.NotFound, "the change of %s was made in an Emacs buffer that was reverted or closed; it never reached "+
				"the disk", change.Target).
				WithHint("There is nothing to undo.")
		}
		byRoot[r] = append(byRoot[r], folder.Change{Target: rel, Before: folderState(change.Before), After: folderState(change.After)})
	}
	return byRoot, nil
}

// planRestore finds out what a Restore will do in all roots, in their order, and writes
// nothing: the changes of several roots are reported once.
func (s *Source) planRestore(byRoot map[*root][]folder.Change) (plan []*root, reported []tools.Change, err error) {
	for _, r := range s.roots() {
		if len(byRoot[r]) == 0 {
			continue
		}
		plan = append(plan, r)
		_, err := r.store.Restore(byRoot[r], func(all []folder.Change) error {
			reported = append(reported, r.toolChanges(all)...)
			return errPlanned
		})
		if err != nil && !errors.Is(err, errPlanned) {
			return nil, nil, s.restoreError(r, err)
		}
	}
	return plan, reported, nil
}

// restoreRoots restores one root after the other. Each does all or nothing by itself;
// if one fails, those before it are taken back, so that this holds for all together.
func (s *Source) restoreRoots(c tools.CallContext, plan []*root, byRoot map[*root][]folder.Change) error {
	var done []rootWrite
	for _, r := range plan {
		written, err := r.store.Restore(byRoot[r], reportedAlready)
		done = append(done, rootWrite{r, written})
		if err != nil {
			return endWrites(c, done, err, s.restoreError(r, err))
		}
	}
	return endWrites(c, done, nil, nil)
}

// reportedAlready is for changes of a root that were reported with those of others.
func reportedAlready([]folder.Change) error { return nil }

// A rootWrite is what was written in one folder.
type rootWrite struct {
	*root

	written []folder.Change
}

// endWrites reports what was written in several folders, one after the other. After a
// failure in the last, cause, which agents are told as told, all is put back; where that
// fails the journal does it.
func endWrites(c tools.CallContext, done []rootWrite, cause, told error) error {
	var errs []error
	for i := range done {
		if last := i == len(done)-1; cause != nil && !last && len(done[i].written) > 0 {
			_, err := done[i].store.Restore(reverseChanges(done[i].written), reportedAlready)
			if err != nil {
				errs = append(errs, err)
			} else {
				done[i].written = nil
			}
		}
		c.ReportWritten(done[i].toolChanges(done[i].written)...)
	}
	if unknown, ok := errors.AsType[*folder.OutcomeUnknownError](cause); ok {
		c.OutcomeUnknown(done[len(done)-1].prefix + unknown.Target)
	}
	if len(errs) > 0 {
		return partlyWrittenError(&folder.PartlyWrittenError{Err: errors.Join(append(errs, cause)...)})
	}
	return told
}

// toolChanges are Changes of files of r as those of tools.
func (r *root) toolChanges(changes []folder.Change) []tools.Change {
	all := make([]tools.Change, len(changes))
	for i, c := range changes {
		all[i] = tools.Change{Target: r.prefix + c.Target, Before: toolState(c.Before), After: toolState(c.After)}
	}
	return all
}

func toolState(s folder.State) tools.State {
	return tools.State{Exists: s.Exists, Data: s.Data, Mode: s.Mode}
}

func folderState(s tools.State) folder.State {
	return folder.State{Exists: s.Exists, Data: s.Data, Mode: s.Mode}
}

// errPlanned ends a Restore that only finds out what it would do.
var errPlanned = errors.New("planned")

func reverseChanges(changes []folder.Change) []folder.Change {
	var back []folder.Change
	for _, c := range changes {
		back = append(back, folder.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	return back
}

func (s *Source) restoreError(r *root, err error) error {
	e, ok := errors.AsType[*folder.ConflictError](err)
	if _, partly := errors.AsType[*folder.PartlyWrittenError](err); ok && !partly {
		return tools.Errorf(tools.Conflict, "%s was edited later; nothing was changed", r.prefix+e.Target).
			WithHint("Read it: a change cannot be undone over a later edit.")
	}
	return s.toolError(r.prefix, err)
}

// announceRestored announces what a Restore has changed.
func (s *Source) announceRestored(ctx context.Context, r *root, changes []folder.Change) {
	var names []string
	for _, c := range changes {
		names = append(names, r.prefix+c.Target)
		s.forget(r.prefix + c.Target)
	}
	s.announce(ctx, names...)
}
