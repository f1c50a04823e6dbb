package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notefolder"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// exportFolder writes what a person has, what is hidden from agents too.
func exportFolder(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	path := call.Args["folder"]
	if err := os.MkdirAll(path, 0o700); err != nil {
		return tools.Errorf(tools.Unavailable, "make the folder: %w", err)
	}
	dir, err := folder.Open(path, folder.Options{})
	if err != nil {
		return tools.Errorf(tools.Unavailable, "open the folder: %w", err)
	}
	defer func() { _ = dir.Close() }() // it was read and written; nothing is pending
	done, err := notefolder.Export(ctx, w.store.Begin(notestore.View{}), workspace, dir)
	if err != nil {
		return tools.Errorf(tools.Conflict, "%w", err)
	}
	_, err = fmt.Fprintf(out, "exported %s: %d notes, %d attachments; %d files written, %d removed\n",
		workspace, done.Notes, done.Attachments, done.Written, done.Removed)
	return err
}

// maxNamedFiles is how many files an import names for one reason.
const maxNamedFiles = 20

// importFolder writes as the person who gives the command: the journal has it.
func importFolder(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	dir, err := folder.Open(call.Args["folder"], folder.Options{})
	if err != nil {
		return tools.Errorf(tools.NotFound, "open the folder: %w", err)
	}
	defer func() { _ = dir.Close() }() // it was only read
	draft := w.store.Begin(notestore.View{Author: call.Context.Identity.Client, Began: call.Context.Began, Seed: call.Context.Seed})
	done, err := notefolder.Import(ctx, draft, workspace, dir)
	if err != nil {
		return tools.Errorf(tools.Invalid, "%w", err)
	}
	if err := commitByPerson(ctx, call, draft); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "imported into %s: %d notes created, %d updated, %d unchanged; %d classes, %d links, %d attachments\n",
		workspace, len(done.Created), len(done.Updated), len(done.Unchanged), done.Classes, done.Links, done.Attachments)
	for _, s := range done.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", s.Path, s.Reason)
	}
	if n := len(done.WithoutClass); n > 0 {
		fmt.Fprintf(&b, "%d have no class\n", n)
	}
	for i, path := range done.UnknownClass {
		if i == maxNamedFiles {
			fmt.Fprintf(&b, "and %d more\n", len(done.UnknownClass)-i)
			break
		}
		fmt.Fprintf(&b, "%s: has a class that the workspace does not know\n", path)
	}
	_, err = io.WriteString(out, b.String())
	return err
}
