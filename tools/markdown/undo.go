package markdown

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// folderTarget is the target of a folder: its path with a final slash. The target
// of a file is its path.
func folderTarget(dir string) string { return dir + "/" }

// parseFolderTarget returns the path in a target, and whether it is a folder.
func parseFolderTarget(target string) (string, bool) { return strings.CutSuffix(target, "/") }

// State implements [tools.Restorer]. Files of more than 50 MB have no State, so they
// can be neither moved nor deleted.
func (n *Notebook) State(_ context.Context, target string) (tools.State, error) {
	name, isFolder := parseFolderTarget(target)
	held, there, err := n.vault.ReadState(name, maxAttachment)
	switch {
	case err != nil:
		return tools.State{}, n.toolError(name, err)
	case !there || held.Dir != isFolder:
		return tools.State{}, nil
	}
	return tools.State{Exists: true, Data: held.Data, Mode: uint32(held.Perm)}, nil
}

// Restore implements [tools.Restorer].
func (n *Notebook) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n.writing.Lock()
	defer n.writing.Unlock()
	changes, err := n.completeFolders(ctx, changes)
	if err != nil {
		return err
	}
	if err := n.checkUnchanged(ctx, changes); err != nil {
		return restoreConflict(err)
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	if err := n.apply(changes, detectMoves(changes)); err != nil {
		return restoreConflict(n.toolError(".", err))
	}
	n.announceVisible(changes)
	return nil
}

// announceVisible announces changes, except those of hidden files.
func (n *Notebook) announceVisible(changes []tools.Change) {
	var pages []string
	seen := false
	for _, c := range changes {
		if _, isFolder := parseFolderTarget(c.Target); isFolder {
			continue
		}
		if c.Before.Exists && !n.hidesContentAt(c.Target, c.Before.Data) || c.After.Exists && !n.hidesContentAt(c.Target, c.After.Data) {
			seen = true
			if n.isServed(c.Target) {
				pages = append(pages, c.Target)
			}
		}
	}
	if seen {
		n.announce(pages...)
	}
}

// restoreConflict converts an editedError for an undo.
func restoreConflict(err error) error {
	if e, ok := errors.AsType[*editedError](err); ok {
		return tools.Errorf(tools.Conflict, "%s was edited later; nothing was changed", e.target).
			WithHint("Read it: a change cannot be undone over a later edit.")
	}
	return err
}

// completeFolders adapts the Changes of folders to what must be done now: it drops
// folders that already exist or must stay because they are not empty, and adds
// folders that files need and that were deleted meanwhile.
func (n *Notebook) completeFolders(ctx context.Context, changes []tools.Change) ([]tools.Change, error) {
	after := map[string]bool{} // by path: whether it exists after the changes
	for _, c := range changes {
		name, _ := parseFolderTarget(c.Target)
		after[name] = c.After.Exists
	}
	changes = slices.Clone(changes)
	for _, c := range changes {
		for dir := path.Dir(c.Target); c.After.Exists && dir != "."; dir = path.Dir(dir) {
			if _, known := after[dir]; !known {
				after[dir] = true
				changes = append(changes, tools.Change{Target: folderTarget(dir), After: tools.State{Exists: true}})
			}
		}
	}
	sortChanges(changes)
	slices.Reverse(changes) // deepest first
	out := changes[:0]
	for _, c := range changes {
		if _, isFolder := parseFolderTarget(c.Target); isFolder {
			todo, err := n.completeFolder(ctx, &c, after)
			if err != nil {
				return nil, err
			}
			if !todo {
				continue
			}
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return out, nil
}

// completeFolder adapts the Change of a folder to what exists, and reports whether
// there is anything to do.
func (n *Notebook) completeFolder(ctx context.Context, c *tools.Change, after map[string]bool) (todo bool, err error) {
	dir, _ := parseFolderTarget(c.Target)
	if c.Before, err = n.State(ctx, c.Target); err != nil {
		return false, err
	}
	switch {
	case c.Before.Exists == c.After.Exists:
		return false, nil
	case c.After.Exists:
		if c.After.Mode == 0 {
			_, c.After.Mode, err = n.modes()
		}
		return true, err
	case !n.willBeEmpty(dir, after):
		after[dir] = true
		return false, nil
	}
	return true, nil
}

// willBeEmpty reports whether a folder is empty after the changes.
func (n *Notebook) willBeEmpty(dir string, after map[string]bool) bool {
	names, err := n.vault.Names(dir)
	if err != nil {
		return false
	}
	for _, name := range names {
		if there, known := after[path.Join(dir, name)]; !known || there {
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

func sortChanges(changes []tools.Change) {
	slices.SortFunc(changes, func(a, b tools.Change) int { return strings.Compare(a.Target, b.Target) })
}

// detectMoves finds files that only move, by their content. Renaming a file keeps
// what a State does not have, such as its creation time.
func detectMoves(changes []tools.Change) moves {
	gone := map[string][]string{}
	for _, c := range changes {
		if _, isFolder := parseFolderTarget(c.Target); !isFolder && c.Before.Exists && !c.After.Exists {
			gone[string(c.Before.Data)] = append(gone[string(c.Before.Data)], c.Target)
		}
	}
	m := moves{}
	for _, c := range changes {
		if from := gone[string(c.After.Data)]; len(from) > 0 && c.After.Exists && !c.Before.Exists {
			m[from[0]], gone[string(c.After.Data)] = c.Target, from[1:]
		}
	}
	return m
}

// checkUnchanged checks that every target still holds its Before.
func (n *Notebook) checkUnchanged(ctx context.Context, changes []tools.Change) error {
	for _, c := range changes {
		now, err := n.State(ctx, c.Target)
		if err != nil {
			return err
		}
		if !sameState(now, c.Before) || c.After.Exists && n.isBlocked(c.Target) {
			return &editedError{c.Target}
		}
	}
	return nil
}

// isBlocked reports whether a target cannot be created because its path is taken
// by something of another type.
func (n *Notebook) isBlocked(target string) bool {
	name, isFolder := parseFolderTarget(target)
	held, there, err := n.vault.ReadState(name, maxAttachment)
	return err != nil || there && held.Dir != isFolder
}

func sameState(a, b tools.State) bool {
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

// An editedError reports that a target does not hold the Before of its Change.
type editedError struct{ target string }

// Error implements error.
func (e *editedError) Error() string { return e.target + " has been edited" }

// modes returns the permission bits of new files and folders.
func (n *Notebook) modes() (file, folder uint32, err error) {
	if n.newFile == 0 {
		file, folder, err := n.probeModes()
		if err != nil {
			return 0, 0, n.toolError(".", err)
		}
		n.newFile, n.newFolder = file, folder
	}
	return n.newFile, n.newFolder, nil
}

// moves maps the old paths of files to their new ones.
type moves map[string]string

// newPath returns the path that a file will have.
func (m moves) newPath(file string) string {
	if to, ok := m[file]; ok {
		return to
	}
	return file
}

// sources lists the old paths in order.
func (m moves) sources() []string { return slices.Sorted(maps.Keys(m)) }
