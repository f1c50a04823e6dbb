package markdown

import (
	"context"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// createFolder carries create_page out for a title that ends in a slash.
func (in CreatePageIn) createFolder(ctx context.Context, n *Notebook, c tools.CallContext, name string) (CreatePageOut, error) {
	if in.Content+in.Icon+in.Template != "" {
		return CreatePageOut{}, tools.Errorf(tools.Invalid, "title: %s/ is a folder, which has no content and no icon", name).
			WithHint("Leave out the slash to make a page.")
	}
	if err := folder.CheckName(name); err != nil {
		return CreatePageOut{}, n.toolError(name, err)
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return CreatePageOut{}, err
	}
	defer n.writing.Release(1)
	_, parent, err := lookAt(ctx, n, in.ParentPath)
	if err != nil {
		return CreatePageOut{}, err
	}
	dir, err := checkNewFolder(n, path.Join(parent.place, name))
	out := CreatePageOut{Path: dir, DryRun: in.DryRun}
	if err != nil || in.DryRun {
		return out, err
	}
	d := n.draft()
	if err := d.AddFolder(dir, 0); err != nil {
		return CreatePageOut{}, n.toolError(dir, err)
	}
	if err := d.commit(ctx, c); err != nil {
		return CreatePageOut{}, err
	}
	n.announce()
	return out, nil
}

// checkNewFolder checks that a folder can be created, and returns its exact path.
func checkNewFolder(n *Notebook, dir string) (string, error) {
	if strings.ContainsAny(dir, unlinkable) {
		return "", tools.Errorf(tools.Invalid, "title: no link can lead into a folder with one of %s in its name", unlinkable).
			WithHint("Leave them out.")
	}
	if n.rules != nil && n.rules.HidesFolder(dir) {
		return "", hiddenError()
	}
	if n.view.IsDir(dir) {
		return "", tools.Errorf(tools.Conflict, "A folder already exists at path: %s", dir).WithHint("Pages can be created in it.")
	}
	if n.view.Exists(dir) {
		return "", n.toolError(dir, folder.ErrExists)
	}
	placed, err := n.view.CheckDestination(dir, "")
	if err != nil {
		return "", n.toolError(dir, err)
	}
	if !n.isServed(placed + "/x.md") {
		return "", tools.Errorf(tools.Invalid, "title: pages cannot be created in such a folder: %s", placed).
			WithHint("Folders named assets hold attachments, which add_attachment creates; choose another name.")
	}
	return placed, nil
}
