package markdown

import (
	"context"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// findAttachment is the attachment that an argument of a tool names exactly, but for the
// composition of accents. What the application of the folder keeps there is none.
func (n *Notebook) findAttachment(o *outline, arg string) (file string, found bool) {
	name := strings.TrimPrefix(arg, "./")
	for _, file := range o.files {
		if (file == name || norm.NFC.String(file) == norm.NFC.String(name)) && !(n.graph != nil && isIn(path.Dir(file), "logseq/")) {
			return file, true
		}
	}
	return "", false
}

// lookForAttachment is findAttachment where no page was found.
func (n *Notebook) lookForAttachment(ctx context.Context, arg string, failed error) (now *comparison, file string, found bool) {
	if e := tools.AsError(failed); e == nil || e.Code != tools.NotFound {
		return now, "", false
	}
	now, err := n.look(ctx)
	if err != nil {
		return now, "", false
	}
	file, found = n.findAttachment(now.outline, arg)
	return now, file, found
}

// moveAttachment carries move_page out for an attachment. Every embed of it follows.
func (n *Notebook) moveAttachment(ctx context.Context, c tools.CallContext, o *outline, file string, in MovePageIn) (MovePageOut, error) {
	if in.IfMatch != "" {
		return MovePageOut{}, tools.Errorf(tools.Invalid, "if_match: belongs to a page, and %s is an attachment", file)
	}
	to, err := n.attachmentDestination(o, file, in.DestinationPath)
	if err != nil || to == file {
		return MovePageOut{Success: true, NewPath: to, DryRun: in.DryRun}, err
	}
	d := n.draft()
	changed, report, err := d.relocate(ctx, o, moves{file: to}, bool(in.UpdateLinks))
	if err != nil {
		return MovePageOut{}, err
	}
	return n.finishMove(ctx, c, d, to, changed, report, in.DryRun)
}

// attachmentDestination is the new path of an attachment: the one given, or in the folder
// that has it, or where attachments of the page go that has it.
func (n *Notebook) attachmentDestination(o *outline, file, arg string) (string, error) {
	if arg == "" {
		return "", tools.Errorf(tools.Invalid, "destinationPath: must not be empty").WithHint("The root is /.")
	}
	to, name := strings.Trim(strings.TrimPrefix(arg, "./"), "/"), path.Base(file)
	at, known := o.find(to)
	switch {
	case to == "" || n.view.IsDir(to):
		to = path.Join(to, name)
	case known && at.page != "":
		to = path.Join(n.attachmentFolder(at.page), name)
	case strings.HasSuffix(arg, "/"):
		to += "/" + name
	case isPage(to):
		return "", tools.Errorf(tools.Invalid, "destinationPath: no page has the path %s, and an attachment becomes none", to)
	case path.Ext(to) == "" && path.Ext(file) != "":
		return "", tools.Errorf(tools.Invalid, "destinationPath: there is no folder %s", to).
			WithHint("To make one, end it with /; to rename, give the name with %s.", path.Ext(file))
	}
	for dir := to; dir != "."; dir = path.Dir(dir) {
		if isForeign(dir) {
			return "", tools.Errorf(tools.Invalid, "destinationPath: this folder belongs to another program: %s", dir)
		}
	}
	if path.Base(to) != name {
		if err := checkLinkable(to); err != nil {
			return "", err
		}
	}
	if to == file {
		return to, nil
	}
	return n.checkDestination(to, file)
}

// deleteAttachment carries delete_page out for an attachment. Its embeds stay, and the
// answer says where they are.
func (in DeletePageIn) deleteAttachment(
	ctx context.Context, n *Notebook, c tools.CallContext, now *comparison, file string,
) (DeletePageOut, error) {
	if in.IfMatch != "" {
		return DeletePageOut{}, tools.Errorf(tools.Invalid, "if_match: belongs to a page, and %s is an attachment", file)
	}
	linking, err := now.describeLinksInto(ctx, n, func(f string) bool { return f == file })
	if err != nil {
		return DeletePageOut{}, err
	}
	out := DeletePageOut{Deleted: !in.DryRun, Path: file, DryRun: in.DryRun, Note: strings.TrimSpace(linking + trashNote(n, file))}
	if in.DryRun {
		return out, nil
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return DeletePageOut{}, err
	}
	defer n.writing.Release(1)
	d := n.draft()
	if err := d.TrashFile(file); err != nil {
		return DeletePageOut{}, n.toolError(file, err)
	}
	if err := d.commit(ctx, c); err != nil {
		return DeletePageOut{}, err
	}
	n.announce()
	return out, nil
}

// nearAttachments are the attachments with the name of a path, in whatever folder.
func nearAttachments(o *outline, arg string) []string {
	found := o.attachments()[folder.FoldName(path.Base(arg))]
	return slices.Clone(found[:min(len(found), maxNearPages)])
}
