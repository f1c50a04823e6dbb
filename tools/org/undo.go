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
	for _, r := range s.roots {
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
	return tools.State(st), nil
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
	if err := s.restoreRoots(plan, byRoot); err != nil {
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
		byRoot[r] = append(byRoot[r], folder.Change{Target: rel, Before: folder.State(change.Before), After: folder.State(change.After)})
	}
	return byRoot, nil
}

// planRestore finds out what a Restore will do in all roots, in their order, and writes
// nothing: the changes of several roots are reported once.
func (s *Source) planRestore(byRoot map[*root][]folder.Change) (plan []*root, reported []tools.Change, err error) {
	for _, r := range s.roots {
		if len(byRoot[r]) == 0 {
			continue
		}
		plan = append(plan, r)
		err := r.store.Restore(byRoot[r], func(all []folder.Change) error {
			for _, change := range all {
				reported = append(reported, tools.Change{
					Target: r.prefix + change.Target, Before: tools.State(change.Before), After: tools.State(change.After),
				})
			}
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
func (s *Source) restoreRoots(plan []*root, byRoot map[*root][]folder.Change) error {
	reportedAlready := func([]folder.Change) error { return nil }
	for n, r := range plan {
		if err := r.store.Restore(byRoot[r], reportedAlready); err != nil {
			errs := []error{s.restoreError(r, err)}
			for _, done := range plan[:n] {
				errs = append(errs, done.store.Restore(reverseChanges(byRoot[done]), reportedAlready))
			}
			return errors.Join(errs...)
		}
	}
	return nil
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
	if e, ok := errors.AsType[*folder.ConflictError](err); ok {
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
