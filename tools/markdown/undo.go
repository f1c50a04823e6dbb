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

// A target of a Change is the path of a file, or that of a folder with a slash
// behind it.
func folderTarget(dir string) string { return dir + "/" }

// parseFolderTarget is the folder that a target names, if it names one.
func parseFolderTarget(target string) (string, bool) { return strings.CutSuffix(target, "/") }

// State implements [tools.Keeper]. Files of more than 50 MB have no State, and
// so are neither moved nor removed.
func (n *Notebook) State(_ context.Context, target string) (tools.State, error) {
	name, isFolder := parseFolderTarget(target)
	held, there, err := n.vault.Look(name, maxAttachment)
	switch {
	case err != nil:
		return tools.State{}, n.toolError(name, err)
	case !there || held.Dir != isFolder:
		return tools.State{}, nil
	}
	return tools.State{Exists: true, Data: held.Data, Mode: uint32(held.Perm)}, nil
}

// Restore implements [tools.Keeper].
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

// announceVisible announces what agents see of changes that were made.
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

// restoreConflict says it in words for who takes something back.
func restoreConflict(err error) error {
	if e, ok := errors.AsType[*editedError](err); ok {
		return tools.Errorf(tools.Conflict, "%s has been edited since; nothing was changed", e.target).
			WithHint("Look at it as it is now; nothing can be taken back over a later edit.")
	}
	return err
}

// completeFolders completes the Changes of folders to what is to be done now: without
// those that are there already or must stay for what else is in them, and with
// those that files need and somebody has removed.
func (n *Notebook) completeFolders(ctx context.Context, changes []tools.Change) ([]tools.Change, error) {
	after := map[string]bool{} // by path: whether the changes leave something there
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
	slices.Reverse(changes) // what is deeper comes first
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

// completeFolder says whether there is anything to do for the Change of a folder, and
// fits it to what is there.
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

// willBeEmpty says whether nothing is left in a folder after the changes.
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

// detectMoves finds files that have only moved, by their content: from is
// answered by to. Files that are moved keep what no State has, such as when
// they were made.
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

// checkUnchanged checks that every target is as its Change says it was.
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

// isBlocked says whether a target could not be made: a folder has the name of a
// file, a file that of a folder, or something that is neither has it.
func (n *Notebook) isBlocked(target string) bool {
	name, isFolder := parseFolderTarget(target)
	held, there, err := n.vault.Look(name, maxAttachment)
	return err != nil || there && held.Dir != isFolder
}

func sameState(a, b tools.State) bool {
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

// An editedError says that a target is not as a Change says it was.
type editedError struct{ target string }

// Error implements error.
func (e *editedError) Error() string { return e.target + " has been edited" }

// modes are the permission bits that new files and folders get.
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

// moves says for every file that gets another path which one.
type moves map[string]string

// newPath is where a file will be.
func (m moves) newPath(file string) string {
	if to, ok := m[file]; ok {
		return to
	}
	return file
}

// sources are the paths that are left, in order.
func (m moves) sources() []string { return slices.Sorted(maps.Keys(m)) }
