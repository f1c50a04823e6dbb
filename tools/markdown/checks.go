package markdown

import (
	"context"
	"os"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checks are what `lectern doctor markdown` looks at, for each source.
func checks() []tools.Check[*Notebook] {
	return []tools.Check[*Notebook]{{
		Name: "edits", Title: "Edits by others are kept",
		Look: func(n *Notebook, _ context.Context, d tools.Doctor) status.Check { return checkEdits(n, d) },
	}}
}

// checkEdits tries whether this file system can exchange two files.
func checkEdits(n *Notebook, d tools.Doctor) status.Check {
	if n.sweep == nil || !d.MayWrite() {
		return status.Check{Result: status.CheckSkipped, Detail: "two files must be written to try it"}
	}
	verified := false
	err := n.sweep(func(root *os.Root) (err error) {
		verified, err = atomicfile.CheckExchange(root)
		return err
	})
	switch {
	case err != nil:
		return status.Check{Result: status.CheckWarn, Detail: "a file cannot be written: " + n.toolError(".", err).Error(), Fix: "Check the permissions of the folder."}
	case !verified:
		return status.Check{
			Result: status.CheckWarn, Detail: "this file system cannot exchange two files: what you save in the instant in which an agent's edit is written may be lost",
			Fix: "Keep the folder on a local disk, or do not edit a page while an agent does.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: "what you save while an agent writes stays"}
}
