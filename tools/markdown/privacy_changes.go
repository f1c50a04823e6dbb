package markdown

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// HidesChange implements [tools.ChangeFilter]. A folder is judged only by its path,
// because the files in it have Changes of their own.
func (n *Notebook) HidesChange(_ context.Context, c tools.Change) (bool, error) {
	if !n.privacy.Any() {
		return false, nil
	}
	if dir, isFolder := parseFolderTarget(c.Target); isFolder {
		return n.excludeRules().Hides(tools.Page{Path: dir, File: dir}), nil
	}
	if !n.isServed(c.Target) {
		return n.hides(c.Target), nil
	}
	known := n.vault.Exists(c.Target)
	hidden := known && n.hides(c.Target)
	for _, s := range []tools.State{c.Before, c.After} {
		if s.Exists {
			known, hidden = true, hidden || n.hidesContentAt(c.Target, s.Data)
		}
	}
	if known {
		return hidden, nil
	}
	hidden, decided := n.hidesByPath(c.Target)
	return hidden || !decided, nil
}
