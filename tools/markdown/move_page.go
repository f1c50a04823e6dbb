package markdown

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/vault"
	"github.com/lectern-mcp/lectern/tools"
)

// MovePageIn are the arguments of move_page.
type MovePageIn struct {
	SourcePath      string `json:"sourcePath" jsonschema:"page to move; pages below it move along"`
	DestinationPath string `json:"destinationPath" jsonschema:"its new path, ending in .md, or the page or folder to move it into; / is the root"`
	IfMatch         Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page; refuse if the page has changed since"`
	UpdateLinks     bool   `json:"update_links,omitempty" jsonschema:"also rewrite other pages' wikilinks to it"`
	DryRun          bool   `json:"dry_run,omitempty" jsonschema:"only check; move nothing"`
}

// MovePageOut is the answer of move_page.
type MovePageOut struct {
	Success bool     `json:"success" jsonschema:"true"`
	NewPath string   `json:"newPath" jsonschema:"file of the page now"`
	Changed []string `json:"changed,omitempty" jsonschema:"pages moved along, or whose links were rewritten"`
	DryRun  bool     `json:"dry_run,omitempty" jsonschema:"nothing was moved"`
	Note    string   `json:"note,omitempty" jsonschema:"what else to know"`
}

func movePage() tools.Tool[*Notebook] {
	return tools.DefineWithContext(tools.Spec[MovePageIn, MovePageOut]{
		Name: "move_page", Title: "Move a page", Effect: tools.Writes,
		Doc: "Moves or renames a page with all pages and attachments below it.\nMarkdown links stay right; wikilinks by path only with update_links. Nothing is overwritten. " +
			"A leaf that gains a child becomes Title/_index.md, a folder page that loses its last one Title.md.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[MovePageIn, MovePageOut]{{
			Purpose: "move a page into another", In: MovePageIn{SourcePath: "Projects/Alpha.md", DestinationPath: "Archive", UpdateLinks: true},
			Want: MovePageOut{Success: true, NewPath: "Archive/Alpha.md"}, AnyAnswer: true,
		}, {
			Purpose: "rename it", In: MovePageIn{SourcePath: "Archive/Alpha.md", DestinationPath: "Archive/Alef.md"},
			Want: MovePageOut{Success: true, NewPath: "Archive/Alef.md"}, AnyAnswer: true,
		}},
	}, (*Notebook).MovePage)
}

// MovePage implements move_page.
func (n *Notebook) MovePage(ctx context.Context, c tools.CallContext, in MovePageIn) (MovePageOut, error) {
	n.writing.Lock()
	defer n.writing.Unlock()
	file, err := n.findExact(in.SourcePath)
	if err != nil {
		return MovePageOut{}, err
	}
	p, err := n.read(file)
	if err != nil {
		return MovePageOut{}, err
	}
	if err := in.IfMatch.check(p); err != nil {
		return MovePageOut{}, err
	}
	o, err := n.outline(ctx)
	if err != nil {
		return MovePageOut{}, err
	}
	at, ok := o.pageNode(file)
	if !ok {
		return MovePageOut{}, notFoundError(in.SourcePath)
	}
	to, err := n.destination(o, at, in.DestinationPath)
	if err != nil {
		return MovePageOut{}, err
	}
	if n.hidesContentAt(to, p.data) {
		return MovePageOut{}, hiddenError()
	}
	if to == file || in.DryRun {
		return MovePageOut{Success: true, NewPath: to, DryRun: in.DryRun}, nil
	}
	return n.move(ctx, c, o, at, to, in.UpdateLinks)
}

// destination is the file that the page of at would become, checked as far as
// it can be without moving anything.
func (n *Notebook) destination(o *outline, at *node, arg string) (string, error) {
	to := strings.TrimPrefix(arg, "./")
	if !isPage(to) {
		var err error
		if to, err = n.pathInside(o, at, arg); err != nil {
			return "", err
		}
	}
	if err := checkPath(to); err != nil {
		return "", n.toolError(to, err)
	}
	place := stem(to)
	switch there, taken := o.places[place]; {
	case to == at.page, place == at.place && (len(at.children) > 0 || !isPage(arg)):
		return at.page, nil
	case strings.HasPrefix(place+"/", at.place+"/") && place != at.place:
		return "", tools.Errorf(tools.Invalid, "A page cannot be moved into itself or a page below it: %s", arg)
	case taken && there.page != "" && there != at:
		return "", tools.Errorf(tools.Conflict, "A page exists already at path: %s", there.page).
			WithHint("To move the page into it, give the path without .md; to rename, choose another path.")
	case at.folder && isIndex(to) && at.place != place && n.vault.Has(place) && !n.hidesAll(place):
		return "", tools.Errorf(tools.Conflict, "A folder exists already at path: %s", place).WithHint("Choose another path; nothing is merged.")
	}
	placed, err := n.resolveNewPath(to, at.page)
	if err != nil {
		return "", err
	}
	if !n.isServed(placed) {
		return "", tools.Errorf(tools.Invalid, "destinationPath: no page can be there: %s", to)
	}
	return placed, nil
}

// pathInside is the path of at's page inside the page or folder named by arg.
func (n *Notebook) pathInside(o *outline, at *node, arg string) (string, error) {
	if arg == "" {
		return "", tools.Errorf(tools.Invalid, "destinationPath: must not be empty").WithHint("The root is /.")
	}
	parent := o.root
	if arg != "/" {
		if err := checkPath(argumentPlace(arg)); err != nil && argumentPlace(arg) != "" {
			return "", n.toolError(arg, err)
		}
		var ok bool
		if parent, ok = o.find(arg); !ok {
			return "", tools.Errorf(tools.NotFound, "Page not found at path: %s", arg).WithHint("To give the page that path, end it in .md.")
		}
	}
	to := path.Join(parent.place, at.name())
	if at.indexed() {
		return to + "/" + index, nil
	}
	return to + ".md", nil
}

// move does what destination has checked.
func (n *Notebook) move(ctx context.Context, c tools.CallContext, o *outline, at *node, to string, wiki bool) (MovePageOut, error) {
	d := n.draft()
	from := at.page
	changed, err := d.moveAll(ctx, o, at, to, wiki)
	if err != nil {
		return MovePageOut{}, err
	}
	if err := d.commit(ctx, c); err != nil {
		return MovePageOut{}, err
	}
	n.announce(append(changed, from)...)
	out := MovePageOut{Success: true, NewPath: to}
	for _, c := range changed {
		if c != to && n.vault.Has(c) {
			out.Changed = append(out.Changed, c)
		}
	}
	if len(out.Changed) > 200 {
		out.Changed, out.Note = out.Changed[:200], "More pages changed than are listed."
	}
	return out, nil
}

// moveAll drafts a move: the new parents become folders' pages, the page moves
// with what is below it, and the old parent may become a leaf. It returns the
// paths of all pages that change.
func (d *draft) moveAll(ctx context.Context, o *outline, at *node, to string, wiki bool) ([]string, error) {
	changed, err := d.promote(ctx, o, to)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 { // the new parents have new paths
		if o, err = d.outline(ctx); err != nil {
			return nil, err
		}
		at, _ = o.pageNode(at.page)
	}
	m, folders, err := d.planMoves(ctx, at, to)
	if err != nil {
		return nil, err
	}
	moved, err := d.relocate(ctx, o, m, wiki)
	if err != nil {
		return nil, err
	}
	if err := d.moveFolders(folders); err != nil {
		return nil, err
	}
	if _, err := d.removeEmpty(at.place); err != nil {
		return nil, err
	}
	demoted, err := d.demote(ctx, parentPlace(at.place))
	return slices.Concat(changed, moved, demoted), err
}

// planMoves are the new paths of all files that move along when the page of at
// moves to the file to, and of the folders they are in.
func (d *draft) planMoves(ctx context.Context, at *node, to string) (m, folders moves, err error) {
	m, place := moves{at.page: to}, stem(to)
	if !d.hasFolder(at.place) || place == at.place {
		return m, nil, nil
	}
	if _, err := d.outline(ctx); err != nil { // so that there is set
		return nil, nil, err
	}
	rest := moves{}
	for _, f := range d.entries.files {
		if inside, ok := strings.CutPrefix(f, at.place+"/"); ok && f != at.page {
			rest[f] = place + "/" + inside
		}
	}
	if at.indexed() && len(rest) == 0 && !isIndex(to) { // to becomes a leaf and the folder goes
		return m, nil, nil
	}
	if d.exists(place) && vault.Fold(place) != vault.Fold(at.place) {
		return nil, nil, d.n.nameTakenError(place)
	}
	maps.Copy(m, rest)
	folders = moves{at.place: place}
	for _, dir := range d.entries.dirs {
		if inside, ok := strings.CutPrefix(dir, at.place+"/"); ok {
			folders[dir] = place + "/" + inside
		}
	}
	return m, folders, nil
}

// moveFolders makes the new ones of those that are left empty, like the old
// ones.
func (d *draft) moveFolders(folders moves) error {
	for _, from := range slices.Backward(folders.sources()) {
		st, err := d.state(folderTarget(from))
		if err != nil {
			return err
		}
		left, err := d.removeEmpty(from)
		if err != nil {
			return err
		}
		made := folderTarget(folders[from])
		switch _, isNew := d.after[made]; {
		case isNew: // for a file that was in it
			d.after[made] = st
		case left:
			if err := d.addFolder(folders[from], st.Mode); err != nil {
				return err
			}
		}
	}
	return nil
}

// demote makes the page of a folder that has no pages below it any more a
// leaf: Title/_index.md becomes Title.md. Attachments stay in Title/assets.
func (d *draft) demote(ctx context.Context, place string) ([]string, error) {
	o, err := d.outline(ctx)
	if err != nil {
		return nil, err
	}
	at, ok := o.places[place]
	if !ok || place == "" || !at.indexed() || len(at.children) > 0 || d.exists(place+".md") {
		return nil, nil
	}
	if _, err := d.n.vault.Placed(place+".md", at.page); err != nil {
		return nil, nil //nolint:nilerr // no other name is as good, so it keeps the one it has
	}
	changed, err := d.relocate(ctx, o, moves{at.page: place + ".md"}, false)
	if err != nil {
		return nil, err
	}
	_, err = d.removeEmpty(place)
	return changed, err
}
