package markdown

import (
	"context"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// moveFolder moves a folder without a page of its own, with everything in it.
func (n *Notebook) moveFolder(ctx context.Context, c tools.CallContext, o *outline, at *node, in MovePageIn) (MovePageOut, error) {
	place, err := n.folderDestination(o, at, in.DestinationPath)
	if err != nil {
		return MovePageOut{}, err
	}
	if place == at.place {
		return MovePageOut{Success: true, NewPath: place, DryRun: in.DryRun}, nil
	}
	d := n.draft()
	m, folders, err := d.planMoves(ctx, o, at, place+".md")
	if err != nil {
		return MovePageOut{}, err
	}
	changed, report, err := d.relocate(ctx, o, m, bool(in.UpdateLinks))
	if err != nil {
		return MovePageOut{}, err
	}
	if err := d.moveFolders(folders); err != nil {
		return MovePageOut{}, err
	}
	if _, err := d.RemoveEmpty(at.place); err != nil {
		return MovePageOut{}, n.toolError(at.place, err)
	}
	return n.finishMove(ctx, c, d, place, changed, report, in.DryRun)
}

// folderDestination is the new path of a folder: the one given, or inside the page or
// folder that has it.
func (n *Notebook) folderDestination(o *outline, at *node, arg string) (string, error) {
	to := argumentPlace(strings.TrimPrefix(arg, "/"))
	if inside := o.places.at(to); arg == "/" || inside != nil && inside != at {
		to = path.Join(to, at.name())
	}
	switch {
	case arg == "":
		return "", tools.Errorf(tools.Invalid, "destinationPath: must not be empty").WithHint("The root is /.")
	case isPage(arg):
		return "", tools.Errorf(tools.Invalid, "destinationPath: %s is a folder without a page of its own; leave out .md", at.place)
	case to == at.place:
		return to, nil
	case strings.HasPrefix(to+"/", at.place+"/"):
		return "", tools.Errorf(tools.Invalid, "A folder cannot be moved into itself or a folder below it: %s", arg)
	}
	if err := folder.CheckNew(to); err != nil {
		return "", n.toolError(to, err)
	}
	placed, err := n.view.CheckDestination(to, at.place)
	if err != nil {
		return "", n.toolError(to, err)
	}
	if o.places.at(placed) != nil {
		return "", tools.Errorf(tools.Conflict, "A folder already exists at path: %s", placed).WithHint("Choose another path; nothing is merged.")
	}
	return placed, nil
}
