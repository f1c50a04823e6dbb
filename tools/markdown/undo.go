package markdown

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// State implements [tools.Restorer]. Files of more than 50 MB have no State, so they
// can be neither moved nor deleted.
func (n *Notebook) State(_ context.Context, target string) (tools.State, error) {
	st, err := n.store.State(target)
	if err != nil {
		name, _ := folder.ParseTarget(target)
		return tools.State{}, n.toolError(name, err)
	}
	return toolState(st), nil
}

// Restore implements [tools.Restorer].
func (n *Notebook) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer n.writing.Release(1)
	back := make([]folder.Change, len(changes))
	for i, change := range changes {
		back[i] = folder.Change{Target: change.Target, Before: folderState(change.Before), After: folderState(change.After)}
	}
	r := changeReport{ctx: ctx, c: c, first: "."}
	err := r.restore(n.store, back)
	if r.err != nil {
		return r.err
	}
	if isPartlyWritten(err) {
		return partlyWrittenError(err)
	}
	if e, ok := errors.AsType[*folder.ConflictError](err); ok {
		return tools.Errorf(tools.Conflict, "%s was edited later; nothing was changed", e.Target).
			WithHint("Read it: a change cannot be undone over a later edit.")
	}
	if err != nil {
		return n.toolError(".", err)
	}
	n.announceVisible(back)
	return nil
}

func folderState(s tools.State) folder.State {
	return folder.State{Exists: s.Exists, Data: s.Data, Mode: s.Mode}
}

// announceVisible announces changes, except those of hidden files.
func (n *Notebook) announceVisible(changes []folder.Change) {
	var pages []string
	seen := false
	for _, c := range changes {
		name, isFolder := folder.ParseTarget(c.Target)
		if isFolder {
			continue
		}
		if !isPage(name) {
			_, hidden := n.store.Look(name)
			seen = seen || !hidden
		} else if c.Before.Exists && !n.view.Hides(name, c.Before.Data) || c.After.Exists && !n.view.Hides(name, c.After.Data) {
			seen = true
			if n.isServed(name) {
				pages = append(pages, name)
			}
		}
	}
	if seen {
		n.announce(pages...)
	}
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

// newPaths are the paths that files will have.
func (m moves) newPaths(files []string) []string {
	now := make([]string, len(files))
	for i, f := range files {
		now[i] = m.newPath(f)
	}
	return now
}

// newSources are pages as they will be, with their links as they are. A page that is
// merged into another one is no page any more.
func (m moves) newSources(all []linkSource) []linkSource {
	stays := map[string]bool{}
	for _, c := range all {
		stays[c.file] = m.newPath(c.file) == c.file
	}
	now := slices.DeleteFunc(slices.Clone(all), func(c linkSource) bool { return !stays[c.file] && stays[m.newPath(c.file)] })
	for i := range now {
		if c := &now[i]; m.newPath(c.file) != c.file {
			if c.file = m.newPath(c.file); c.named {
				c.title = titleOfFile(c.graph, c.file)
			}
		}
	}
	return now
}
