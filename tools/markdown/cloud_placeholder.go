package markdown

import (
	"path"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// inCloud reports whether iCloud has moved a file off this machine and left a placeholder,
// and whether the file is or may be hidden.
func inCloud(n *Notebook, file string) (away, hidden bool) {
	if folder.CheckName(file) != nil {
		return false, false
	}
	if away, _ = n.store.Look(path.Join(path.Dir(file), "."+path.Base(file)+".icloud")); away {
		_, hidden = n.store.Look(file)
	}
	return away, hidden
}

// cloudHint says that a file is there, and what to do.
const cloudHint = "It is in iCloud and not on this machine. Ask the user to download it."

// checkDestination is [folder.View.CheckDestination], and refuses the name of a file that
// iCloud has moved off this machine.
func (n *Notebook) checkDestination(file, from string) (string, error) {
	placed, err := n.view.CheckDestination(file, from)
	if err != nil {
		return placed, n.toolError(file, err)
	}
	switch away, hidden := inCloud(n, placed); {
	case away && hidden:
		return placed, hiddenError()
	case away:
		return placed, tools.Errorf(tools.Conflict, "A file already exists at path: %s", placed).WithHint(cloudHint)
	}
	return placed, nil
}
