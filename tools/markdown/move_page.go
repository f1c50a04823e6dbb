package markdown

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// MovePageIn are the arguments of move_page.
type MovePageIn struct {
	SourcePath      string      `json:"sourcePath" jsonschema:"page, file or folder"`
	DestinationPath string      `json:"destinationPath" jsonschema:"new path ending in .md, or the page or folder to move it into; / is the root"`
	IfMatch         Etag        `json:"if_match,omitempty" jsonschema:"etag from read_page"`
	UpdateLinks     UpdateLinks `json:"update_links,omitempty" jsonschema:"false: rewrite only Markdown links"`
	DryRun          bool        `json:"dry_run,omitempty" jsonschema:"only answer what would change"`
}

// UpdateLinks is whether a move rewrites every kind of link: true when omitted.
type UpdateLinks bool

// JSONSchema implements [tools.SchemaProvider].
func (UpdateLinks) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "boolean", Default: []byte("true")}
}

// MovePageOut is the answer of move_page.
type MovePageOut struct {
	Success bool       `json:"success" jsonschema:"true"`
	NewPath string     `json:"newPath" jsonschema:"new file of the page"`
	Changed []string   `json:"changed,omitempty" jsonschema:"pages that moved along or whose links were updated"`
	Links   LinkReport `json:"links,omitzero" jsonschema:"what became of links"`
	DryRun  bool       `json:"dry_run,omitempty" jsonschema:"nothing was moved"`
	Note    string     `json:"note,omitempty" jsonschema:"more about the result"`
}

func movePage() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[MovePageIn, MovePageOut]{
		Name: "move_page", Title: "Move a page", Effect: tools.Writes,
		Selects:   []string{"sourcePath", "destinationPath"},
		Normalize: aliases("sourcePath", "destinationPath"),
		Doc: "Moves or renames a page, file or folder with all in it.\n" +
			"Links keep leading where they led. Nothing is overwritten. X.md may become X/_index.md, or back.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[MovePageIn, MovePageOut]{{
			Purpose: "move a page into another", In: MovePageIn{SourcePath: "Projects/Alpha.md", DestinationPath: "Archive", UpdateLinks: true},
			Want: MovePageOut{Success: true, NewPath: "Archive/Alpha.md"}, AnyAnswer: true,
		}, {
			Purpose: "rename it", In: MovePageIn{SourcePath: "Archive/Alpha.md", DestinationPath: "Archive/Alef.md", UpdateLinks: true},
			Want: MovePageOut{Success: true, NewPath: "Archive/Alef.md"}, AnyAnswer: true,
		}},
	}, (*Notebook).MovePage), func(n *Notebook, _ context.Context, in MovePageIn) ([]string, error) { return in.targets(n), nil })
}

// MovePage implements move_page.
func (n *Notebook) MovePage(ctx context.Context, c tools.CallContext, in MovePageIn) (MovePageOut, error) {
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return MovePageOut{}, err
	}
	defer n.writing.Release(1)
	p, o, err := n.findToChange(ctx, in.SourcePath, in.IfMatch)
	if tools.AsError(err) != nil && tools.AsError(err).Code == tools.NotFound {
		if now, lookErr := n.outline(ctx); lookErr == nil {
			if file, found := n.findAttachment(now, in.SourcePath); found {
				return n.moveAttachment(ctx, c, now, file, in)
			}
		}
		if o, at, findErr := n.findNode(ctx, in.SourcePath); !isPage(in.SourcePath) && findErr == nil && at.page == "" && at.place != "" &&
			at.place == argumentPlace(in.SourcePath) {
			return n.moveFolder(ctx, c, o, at, in)
		}
	}
	if err != nil {
		return MovePageOut{}, err
	}
	at, ok := o.pageNode(p.file)
	if !ok {
		return MovePageOut{}, notFoundError(in.SourcePath)
	}
	to, err := n.destination(o, at, in.DestinationPath)
	if err != nil {
		return MovePageOut{}, err
	}
	if n.view.Hides(to, p.data) {
		return MovePageOut{}, hiddenError()
	}
	if err := checkGraphTitle(ctx, n, p, to); err != nil {
		return MovePageOut{}, err
	}
	if to == p.file {
		return MovePageOut{Success: true, NewPath: to, DryRun: in.DryRun}, nil
	}
	d := n.draft()
	changed, report, err := d.moveAll(ctx, o, at, to, bool(in.UpdateLinks))
	if err != nil {
		return MovePageOut{}, err
	}
	return n.finishMove(ctx, c, d, to, changed, report, in.DryRun)
}

// finishMove carries a drafted move out, unless it is a dry run.
func (n *Notebook) finishMove(ctx context.Context, c tools.CallContext, d *draft, to string, changed []string, report LinkReport,
	dryRun bool,
) (MovePageOut, error) {
	out := MovePageOut{Success: true, NewPath: to, DryRun: dryRun}
	out.Links, out.Note = report.finish(dryRun)
	for _, c := range changed {
		if c != to && d.View().Exists(c) {
			out.Changed = append(out.Changed, c)
		}
	}
	if len(out.Changed) > 200 {
		out.Changed = out.Changed[:200]
		out.Note += "More pages changed than are listed."
	}
	out.Note = strings.TrimSpace(out.Note)
	if dryRun {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return MovePageOut{}, err
	}
	n.announce(append(changed, to)...)
	return out, nil
}

// destination returns the file that the page of at will become, checked as far as
// possible without moving anything.
func (n *Notebook) destination(o *outline, at *node, arg string) (string, error) {
	to := strings.TrimPrefix(arg, "./")
	if !isPage(to) {
		var err error
		if to, err = n.pathInside(o, at, arg); err != nil {
			return "", err
		}
	}
	if err := folder.CheckName(to); err != nil {
		return "", n.toolError(to, err)
	}
	place := stem(to)
	switch there := o.places.at(place); {
	case to == at.page, place == at.place && (len(at.children) > 0 || !isPage(arg)):
		return at.page, nil
	case strings.HasPrefix(place+"/", at.place+"/") && place != at.place:
		return "", tools.Errorf(tools.Invalid, "A page cannot be moved into itself or a page below it: %s", arg)
	case there != nil && there.page != "" && there != at:
		return "", tools.Errorf(tools.Conflict, "A page already exists at path: %s", there.page).
			WithHint("To move the page into it, leave out .md; to rename, choose another path.")
	case at.folder && isIndex(to) && at.place != place && n.view.Exists(place):
		return "", tools.Errorf(tools.Conflict, "A folder already exists at path: %s", place).WithHint("Choose another path; nothing is merged.")
	}
	if path.Base(place) != path.Base(at.place) {
		if err := checkLinkable(to); err != nil {
			return "", err
		}
	}
	placed, err := n.checkDestination(to, at.page)
	if err != nil {
		return "", err
	}
	if !n.isServed(placed) {
		return "", tools.Errorf(tools.Invalid, "destinationPath: pages cannot be created here: %s", to)
	}
	return placed, nil
}

// pathInside returns the path of at's page inside the page or folder arg.
func (n *Notebook) pathInside(o *outline, at *node, arg string) (string, error) {
	if arg == "" {
		return "", tools.Errorf(tools.Invalid, "destinationPath: must not be empty").WithHint("The root is /.")
	}
	parent := o.root
	if arg != "/" {
		if err := folder.CheckName(argumentPlace(arg)); err != nil && argumentPlace(arg) != "" {
			return "", n.toolError(arg, err)
		}
		var ok bool
		if parent, ok = o.find(arg); !ok {
			return "", tools.Errorf(tools.NotFound, "Page not found at path: %s", arg).WithHint("To use it as the new path, add .md.")
		}
	}
	if n.graph != nil && parent.page != "" {
		return graphFile(n.graph, n.head(parent.page).title()+"/"+path.Base(n.head(at.page).title()), path.Dir(parent.page)), nil
	}
	to := path.Join(parent.place, at.name())
	if at.indexed() {
		return to + "/" + indexPage, nil
	}
	return to + ".md", nil
}

// moveAll drafts a move: new parents become pages of folders, the page moves with
// everything below it, and the old parent may become a leaf. It returns the
// paths of all pages that change.
func (d *draft) moveAll(ctx context.Context, o *outline, at *node, to string, wiki bool) ([]string, LinkReport, error) {
	changed, report, err := d.promote(ctx, o, to)
	if err != nil {
		return nil, report, err
	}
	if len(changed) > 0 { // the new parents have new paths
		if o, err = d.outline(ctx); err != nil {
			return nil, report, err
		}
		at, _ = o.pageNode(at.page)
	}
	m, folders, err := d.planMoves(ctx, o, at, to)
	if err != nil {
		return nil, report, err
	}
	moved, main, err := d.relocate(ctx, o, m, wiki)
	if err != nil {
		return nil, report, err
	}
	if err := d.moveFolders(folders); err != nil {
		return nil, report, err
	}
	if _, err := d.RemoveEmpty(at.place); err != nil {
		return nil, report, d.n.toolError(at.place, err)
	}
	demoted, last, err := d.demote(ctx, o, parentPlace(at.place))
	return slices.Concat(changed, moved, demoted), report.then(main).then(last), err
}

// planMoves returns the new paths of all files that move along when the page of at
// moves to the file to, and of their folders.
func (d *draft) planMoves(ctx context.Context, o *outline, at *node, to string) (m, folders moves, err error) {
	m, place := moves{}, stem(to)
	if at.page != "" {
		m[at.page] = to
		if err := d.addNamespace(o, at.page, to, m); err != nil {
			return nil, nil, err
		}
	}
	if !d.View().IsDir(at.place) || place == at.place {
		return m, nil, nil
	}
	below, err := d.n.view.List(ctx, func(name string, dir bool) bool {
		return dir && isForeign(name) || !strings.HasPrefix(name, at.place+"/") && !strings.HasPrefix(at.place+"/", name+"/")
	})
	if err != nil {
		return nil, nil, d.n.toolError(at.place, err)
	}
	rest := moves{}
	for _, f := range below.Files {
		if inside, ok := strings.CutPrefix(f, at.place+"/"); ok && f != at.page {
			rest[f] = place + "/" + inside
		}
	}
	if at.indexed() && len(rest) == 0 && !isIndex(to) { // the page becomes a leaf and its folder is deleted
		return m, nil, nil
	}
	if d.View().Exists(place) && folder.FoldName(place) != folder.FoldName(at.place) {
		return nil, nil, d.n.toolError(place, folder.ErrExists)
	}
	maps.Copy(m, rest)
	folders = moves{at.place: place}
	for _, dir := range below.Folders {
		if inside, ok := strings.CutPrefix(dir, at.place+"/"); ok {
			folders[dir] = place + "/" + inside
		}
	}
	return m, folders, nil
}

// moveFolders recreates folders that are left empty at their new paths, with the
// same permissions.
func (d *draft) moveFolders(folders moves) error {
	for _, from := range slices.Backward(folders.sources()) {
		st, err := d.Hold(folder.DirTarget(from))
		if err != nil {
			return d.n.toolError(from, err)
		}
		left, err := d.RemoveEmpty(from)
		if err != nil {
			return d.n.toolError(from, err)
		}
		if made := folders[from]; !d.SetFolderMode(made, st.Mode) && left { // not known: it is not for a file that was in it
			if err := d.AddFolder(made, st.Mode); err != nil {
				return d.n.toolError(made, err)
			}
		}
	}
	return nil
}

// demote turns the page of a folder without further pages into a leaf:
// Title/_index.md becomes Title.md. Attachments stay in Title/assets. before is the outline
// of the folder as it was.
func (d *draft) demote(ctx context.Context, before *outline, place string) ([]string, LinkReport, error) {
	if place == "" || !d.View().Exists(place+"/"+indexPage) {
		return nil, LinkReport{}, nil
	}
	if was := before.places.at(place); was != nil &&
		slices.ContainsFunc(was.children, func(c *node) bool { return c.page != "" && d.View().Exists(c.page) }) {
		return nil, LinkReport{}, nil // without an outline of all that there will be, which takes long
	}
	o, err := d.outline(ctx)
	if err != nil {
		return nil, LinkReport{}, err
	}
	at := o.places.at(place)
	if at == nil || !at.indexed() || len(at.children) > 0 || d.View().Exists(place+".md") {
		return nil, LinkReport{}, nil
	}
	if _, err := d.n.view.CheckDestination(place+".md", at.page); err != nil {
		return nil, LinkReport{}, nil //nolint:nilerr // the page keeps its path
	}
	changed, report, err := d.relocate(ctx, o, moves{at.page: place + ".md"}, true)
	if err != nil {
		return nil, report, err
	}
	_, err = d.RemoveEmpty(place)
	return changed, report, d.n.toolError(place, err)
}
