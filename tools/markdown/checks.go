package markdown

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	}, {
		Name: "unread", Title: "Everything can be read",
		Look: func(n *Notebook, ctx context.Context, _ tools.Doctor) status.Check { return checkUnread(ctx, n) },
	}}
}

// checkUnread names the folders and pages that agents are told are missing.
func checkUnread(ctx context.Context, n *Notebook) status.Check {
	l, err := n.entries(ctx)
	if err != nil {
		return status.Check{Result: status.CheckWarn, Detail: err.Error(), Fix: "Check the permissions of the folder."}
	}
	missing := append(l.Skipped, l.Unnamed...)
	pages := 0
	for _, file := range l.Files {
		if !isPage(file) || ctx.Err() != nil {
			continue
		}
		pages++
		if _, err := n.view.Read(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, file)
		}
	}
	if len(missing) > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: "agents cannot read " + firstNames(missing),
			Fix: "Check the permissions, rename what has control characters, a backslash or ~ at the beginning in its name, and split pages above " +
				"16 MB.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d pages", pages)}
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
		return status.Check{
			Result: status.CheckWarn, Detail: "a file cannot be written: " + n.toolError(".", err).Error(),
			Fix: "Check the permissions of the folder.",
		}
	case !verified:
		return status.Check{
			Result: status.CheckWarn, Detail: "this file system cannot exchange two files: what you save in the instant in which an agent's edit " +
				"is written may be lost",
			Fix: "Keep the folder on a local disk, or do not edit a page while an agent does.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: "what you save while an agent writes stays"}
}
