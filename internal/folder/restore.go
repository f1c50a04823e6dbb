package folder

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Restore takes every target from its Before to its After, after report. If one
// does not hold its Before, nothing changes and the error is an [ConflictError]. The
// Changes of folders are adapted to what must be done now; report gets them so. written
// are as those of Commit.
func (c *Committer) Restore(changes []Change, report func([]Change) error) (written []Change, err error) {
	if changes, err = c.completeFolders(changes); err != nil {
		return nil, err
	}
	for _, change := range changes {
		now, blocked, err := c.f.readState(change.Target, maxFile)
		if err != nil {
			return nil, err
		}
		if !now.equal(change.Before) || change.After.Exists && blocked {
			return nil, &ConflictError{change.Target}
		}
	}
	if err := report(changes); err != nil {
		return nil, err
	}
	if written, err = c.apply(changes, detectMoves(changes), nil); err != nil {
		return written, err
	}
	c.takeFromTrash(changes)
	return written, nil
}

// completeFolders adapts the Changes of folders to what must be done now: it drops
// folders that already exist or must stay because they are not empty, and adds
// folders that files need and that were deleted meanwhile.
func (c *Committer) completeFolders(changes []Change) ([]Change, error) {
	after := map[string]bool{} // by path: whether it exists after the changes
	for _, change := range changes {
		name, _ := ParseTarget(change.Target)
		after[name] = change.After.Exists
	}
	changes = slices.Clone(changes)
	for _, change := range changes {
		for dir := path.Dir(change.Target); change.After.Exists && dir != "."; dir = path.Dir(dir) {
			if _, known := after[dir]; !known {
				after[dir] = true
				changes = append(changes, Change{Target: DirTarget(dir), After: State{Exists: true}})
			}
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(b.Target, a.Target) }) // deepest first
	out := changes[:0]
	for _, change := range changes {
		if _, isFolder := ParseTarget(change.Target); isFolder {
			todo, err := c.completeFolder(&change, after)
			if err != nil {
				return nil, err
			}
			if !todo {
				continue
			}
		}
		out = append(out, change)
	}
	slices.Reverse(out)
	return out, nil
}

// completeFolder adapts the Change of a folder to what exists, and reports whether
// there is anything to do.
func (c *Committer) completeFolder(change *Change, after map[string]bool) (todo bool, err error) {
	dir, _ := ParseTarget(change.Target)
	if change.Before, err = c.State(change.Target); err != nil {
		return false, err
	}
	switch {
	case change.Before.Exists == change.After.Exists:
		return false, nil
	case change.After.Exists:
		if change.After.Mode == 0 {
			_, change.After.Mode, err = c.Modes()
		}
		return true, err
	case !c.willBeEmpty(dir, after):
		after[dir] = true
		return false, nil
	}
	return true, nil
}

// willBeEmpty reports whether a folder is empty after the changes.
func (c *Committer) willBeEmpty(dir string, after map[string]bool) bool {
	names, err := c.f.names(dir)
	if err != nil {
		return false
	}
	for _, name := range names {
		if there, known := after[path.Join(dir, name)]; !known && !c.isTemp(name) || there {
			return false
		}
	}
	for name, there := range after {
		if there && path.Dir(name) == dir {
			return false
		}
	}
	return true
}

// detectMoves finds files that only move, by their content. Renaming a file keeps
// what a State does not have, such as its creation time.
func detectMoves(changes []Change) map[string]string {
	gone := map[string][]string{}
	for _, c := range changes {
		if _, isFolder := ParseTarget(c.Target); !isFolder && c.Before.Exists && !c.After.Exists {
			gone[string(c.Before.Data)] = append(gone[string(c.Before.Data)], c.Target)
		}
	}
	moved := map[string]string{}
	for _, c := range changes {
		_, isFolder := ParseTarget(c.Target)
		if from := gone[string(c.After.Data)]; len(from) > 0 && !isFolder && c.After.Exists && !c.Before.Exists {
			moved[from[0]], gone[string(c.After.Data)] = c.Target, from[1:]
		}
	}
	return moved
}

// The methods below are those of a [Committer], for drafts over drafts.

// Look is [Committer.Look], of what agents may see.
func (d *Draft) Look(file string) (exists, hidden bool) {
	info, err := d.lstat(file)
	exists = err == nil && info.regular
	return exists, !exists && d.base.rules != nil
}

// Commit is [Committer.Commit]: the Changes of a draft of d's View become a part
// of d.
func (d *Draft) Commit(over *Draft, report func([]Change) error) (written []Change, err error) {
	changes := over.Changes()
	if len(changes) == 0 {
		return nil, nil
	}
	if err := over.checkHidden(changes); err != nil {
		return nil, err
	}
	if err := report(changes); err != nil {
		return nil, err
	}
	trashed := over.trashedFiles()
	d.mu.Lock()
	maps.Copy(d.trashed, trashed)
	d.mu.Unlock()
	return changes, d.accept(changes)
}

// Restore is [Committer.Restore].
func (d *Draft) Restore(changes []Change, report func([]Change) error) (written []Change, err error) {
	var todo []Change
	for _, c := range changes {
		now, err := d.State(c.Target)
		if err != nil {
			return nil, err
		}
		_, isFolder := ParseTarget(c.Target)
		switch {
		case isFolder && now.Exists == c.After.Exists:
			continue
		case !isFolder && !now.equal(c.Before):
			return nil, &ConflictError{c.Target}
		}
		todo = append(todo, Change{Target: c.Target, Before: now, After: c.After})
	}
	if err := d.checkHidden(todo); err != nil {
		return nil, err
	}
	if err := report(todo); err != nil {
		return nil, err
	}
	return todo, d.accept(todo)
}

// accept makes changes in the draft.
func (d *Draft) accept(changes []Change) error {
	for _, c := range changes {
		if _, err := d.Hold(c.Target); err != nil { // remembers what the target held before the first Change
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range changes {
		d.after[c.Target] = c.After
	}
	return nil
}
