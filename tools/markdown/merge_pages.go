package markdown

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// MergePagesIn are the arguments of merge_pages.
type MergePagesIn struct {
	SourcePath      string `json:"sourcePath" jsonschema:"page that is added and then deleted"`
	DestinationPath string `json:"destinationPath" jsonschema:"page that it is added to"`
	DryRun          bool   `json:"dry_run,omitempty" jsonschema:"only answer what would change"`
}

// MergePagesOut is the answer of merge_pages.
type MergePagesOut struct {
	Path    string     `json:"path" jsonschema:"the page that has both texts"`
	Etag    string     `json:"etag,omitempty" jsonschema:"its new version"`
	Changed []string   `json:"changed,omitempty" jsonschema:"other pages whose links were updated"`
	Links   LinkReport `json:"links" jsonschema:"what became of links"`
	DryRun  bool       `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Note    string     `json:"note,omitempty" jsonschema:"what was left"`
}

func mergePages() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[MergePagesIn, MergePagesOut]{
		Name: "merge_pages", Title: "Merge two pages", Effect: tools.Deletes, OptIn: true,
		Selects:   []string{"sourcePath", "destinationPath"},
		Normalize: aliases("sourcePath", "destinationPath"),
		Doc: "Adds the body of a page to the end of another, redirects all links to it, and deletes it.\n" +
			"Properties that the other page lacks are added to it. Attachments and pages below it stay where they are.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[MergePagesIn, MergePagesOut]{{
			Purpose: "see what a merge would change", In: MergePagesIn{
				SourcePath: "Projects/Beta.md", DestinationPath: "Projects/Alpha.md", DryRun: true,
			}, AnyAnswer: true,
		}, {
			Purpose: "merge a page into another", In: MergePagesIn{SourcePath: "Projects/Beta.md", DestinationPath: "Projects/Alpha.md"},
			AnyAnswer: true,
			Want:      MergePagesOut{Path: "Projects/Alpha.md", Etag: "5f2c0a1b9d3e7f48"},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in MergePagesIn) (MergePagesOut, error) {
		return in.merge(ctx, n, c)
	}), func(in MergePagesIn) []string { return []string{in.SourcePath, in.DestinationPath} })
}

// merge carries merge_pages out.
func (in MergePagesIn) merge(ctx context.Context, n *Notebook, c tools.CallContext) (MergePagesOut, error) {
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return MergePagesOut{}, err
	}
	defer n.writing.Release(1)
	source, o, err := n.findToChange(ctx, in.SourcePath, "")
	if err != nil {
		return MergePagesOut{}, err
	}
	file, err := n.findExact(in.DestinationPath)
	if err != nil {
		return MergePagesOut{}, err
	}
	to, err := n.read(file)
	switch {
	case err != nil:
		return MergePagesOut{}, err
	case file == source.file:
		return MergePagesOut{}, tools.Errorf(tools.Invalid, "A page cannot be merged into itself: %s", file)
	case !source.utf8:
		return MergePagesOut{}, notUTF8Error(source.file)
	case !to.utf8:
		return MergePagesOut{}, notUTF8Error(file)
	}
	d := n.draft()
	unled, err := d.leadHeadings(ctx, to, source)
	if err != nil {
		return MergePagesOut{}, err
	}
	if source, to, err = d.readBoth(source.file, file); err != nil {
		return MergePagesOut{}, err
	}
	plan, err := d.planLinks(ctx, o, moves{source.file: file}, true)
	if err != nil {
		return MergePagesOut{}, err
	}
	out := MergePagesOut{Path: file, DryRun: in.DryRun}
	out.Links, out.Note = plan.report.finish(in.DryRun)
	out.Links.Left += unled
	was := [2][]byte{source.data, to.data}
	for _, e := range plan.edits {
		switch e.from {
		case source.file:
			source = parsePage(n.graph, source.file, e.data)
		case file:
			to = parsePage(n.graph, file, e.data)
		default:
			if err := d.SetContent(e.file, e.data); err != nil {
				return MergePagesOut{}, n.toolError(e.file, err)
			}
			out.Changed = append(out.Changed, e.file)
		}
	}
	after, left := mergedPage(to, source)
	if len(left) > 0 {
		out.Note += "Properties that both pages have were left out: " + strings.Join(left, ", ") + "."
	}
	out.Note = strings.TrimSpace(out.Note)
	if n.view.Hides(file, after) {
		return MergePagesOut{}, hiddenError()
	}
	if len(after) > maxPage {
		return MergePagesOut{}, tools.Errorf(tools.Limited, "The page would have more than %d bytes", maxPage)
	}
	if err := d.removeMerged(parsePage(n.graph, source.file, was[0])); err != nil {
		return MergePagesOut{}, err
	}
	if err := d.setContent(parsePage(n.graph, file, was[1]), after); err != nil {
		return MergePagesOut{}, err
	}
	if in.DryRun {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return MergePagesOut{}, err
	}
	n.announce(append(out.Changed, file, source.file)...)
	out.Etag = versionOf(after)
	return out, nil
}

// readBoth reads two pages as they will be.
func (d *draft) readBoth(a, b string) (*page, *page, error) {
	one, err := d.readPage(a)
	if err != nil {
		return nil, nil, err
	}
	other, err := d.readPage(b)
	return one, other, err
}

// removeMerged deletes a page, unless it has changed since it was read, and folders
// that are left empty.
func (d *draft) removeMerged(p *page) error {
	if err := d.setContent(p, p.data); err != nil {
		return err
	}
	if err := d.TrashFile(p.file); err != nil {
		return d.n.toolError(p.file, err)
	}
	for _, dir := range []string{stem(p.file) + "/assets", stem(p.file)} {
		if _, err := d.RemoveEmpty(dir); err != nil {
			return d.n.toolError(dir, err)
		}
	}
	return nil
}

// mergedPage is a page with the properties and the body of another one; left are the
// properties that both have with different values, or that cannot be moved from or to TOML.
func mergedPage(to, from *page) (data []byte, left []string) {
	var added strings.Builder
	block, _, has := frontmatter.Split(to.text)
	if from.yamlError == nil && to.yamlError == nil {
		lines := strings.SplitAfter(from.text, "\n")
		for _, key := range slices.Sorted(maps.Keys(from.fields.Values)) {
			first, last := from.fields.Lines(key)
			switch _, taken := to.fields.Values[key]; {
			case slices.Contains([]string{"id", "title", "created", "updated", "position"}, key) || first == 0:
			case !taken && (from.toml || to.toml):
				left = append(left, key)
			case !taken:
				added.WriteString(strings.Join(lines[first-1:min(last, len(lines))], ""))
			case !reflect.DeepEqual(from.fields.Values[key], to.fields.Values[key]):
				left = append(left, key)
			}
		}
	}
	if _, err := frontmatter.Parse(block + added.String()); err != nil || added.Len() > 0 && !has && to.body > 0 {
		added.Reset()
	}
	var splices []folder.Splice
	switch {
	case added.Len() > 0 && has:
		at := strings.Index(to.text, "\n") + 1 + len(block)
		splices = append(splices, folder.Splice{Start: at, End: at, New: added.String()})
	case added.Len() > 0:
		splices = append(splices, folder.Splice{New: "---\n" + added.String() + "---\n"})
	}
	if body := strings.Trim(from.text[from.body:], "\n"); body != "" {
		gap := "\n\n"
		if end := strings.TrimRight(to.text, "\n"); end == "" || len(to.text) == to.body {
			gap = ""
		} else {
			gap = gap[:max(0, 2-(len(to.text)-len(end)))]
		}
		splices = append(splices, folder.Splice{Start: len(to.text), End: len(to.text), New: gap + body + "\n"})
	}
	return folder.ApplySplices(to.data, splices), left
}
