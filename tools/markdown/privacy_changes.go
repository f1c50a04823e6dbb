package markdown

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// HidesChange implements [tools.ChangeFilter]. A folder is judged only by its path,
// because the files in it have Changes of their own.
func (n *Notebook) HidesChange(_ context.Context, c tools.Change) (bool, error) {
	if n.rules == nil {
		return false, nil
	}
	name, isFolder := folder.ParseTarget(c.Target)
	if isFolder {
		return n.rules.HidesFolder(name), nil
	}
	known, hidden := n.store.Look(name)
	if !isPage(name) {
		return hidden, nil
	}
	hidden = known && hidden
	for _, s := range []tools.State{c.Before, c.After} {
		if s.Exists {
			known, hidden = true, hidden || n.view.Hides(name, s.Data)
		}
	}
	if known {
		return hidden, nil
	}
	hidden, decided := n.rules.HidesName(name)
	return hidden || !decided, nil
}
