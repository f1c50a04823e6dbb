package markdown

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// SplitPageIn are the arguments of split_page.
type SplitPageIn struct {
	Path    string `json:"path" jsonschema:"page"`
	Heading string `json:"heading" jsonschema:"section to take out, such as Log or Plan#Log"`
	Title   string `json:"title,omitempty" jsonschema:"of the new page; the heading when omitted"`
	IfMatch Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only answer what would change"`
}

// SplitPageOut is the answer of split_page.
type SplitPageOut struct {
	Path    string     `json:"path" jsonschema:"file of the page"`
	NewPath string     `json:"newPath" jsonschema:"file of the new page, which is beside it"`
	Changed []string   `json:"changed,omitempty" jsonschema:"other pages whose links were updated"`
	Links   LinkReport `json:"links" jsonschema:"what became of links to the section"`
	DryRun  bool       `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

func splitPage() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[SplitPageIn, SplitPageOut]{
		Name: "split_page", Title: "Split a page", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"path", "heading"},
		Normalize: aliases("path", "heading", "title"),
		Doc: "Moves a section with its heading to a new page beside the old one, which links to it there.\n" +
			"Links to the section, and to headings and blocks in it, lead to the new page.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[SplitPageIn, SplitPageOut]{{
			Purpose: "make a page of a section", In: SplitPageIn{Path: "Projects/Alpha.md", Heading: "Alpha", Title: "New details"}, AnyAnswer: true,
			Want: SplitPageOut{Path: "Projects/Alpha.md", NewPath: "Projects/New details.md", Links: LinkReport{Rewritten: 1}},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in SplitPageIn) (SplitPageOut, error) {
		return in.split(ctx, n, c)
	}), func(in SplitPageIn) []string { return []string{in.Path} })
}

// split carries split_page out.
func (in SplitPageIn) split(ctx context.Context, n *Notebook, c tools.CallContext) (SplitPageOut, error) {
	now, err := n.look(ctx) // so that no writer waits for it
	if err != nil {
		return SplitPageOut{}, err
	}
	all, err := now.linkSources(ctx, n)
	if err != nil {
		return SplitPageOut{}, err
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return SplitPageOut{}, err
	}
	defer n.writing.Release(1)
	p, o, err := n.findToChange(ctx, in.Path, in.IfMatch)
	if err != nil {
		return SplitPageOut{}, err
	}
	if !p.utf8 {
		return SplitPageOut{}, notUTF8Error(p.file)
	}
	s, err := newPageSplit(p, in)
	if err != nil {
		return SplitPageOut{}, err
	}
	s.to, s.name = path.Join(path.Dir(p.file), pageName(s.title)+".md"), pageName(s.title)
	if n.graph != nil {
		s.to, s.name = graphFile(n.graph, s.title, path.Dir(p.file)), n.graph.Canonical(s.title)
	}
	if s.to, err = n.checkNewPage(o, s.to); err != nil {
		return SplitPageOut{}, err
	}
	for _, other := range all { // links to that page would mean two
		if n.graph == nil && folder.FoldName(nameOf(other.file)) == folder.FoldName(nameOf(s.to)) ||
			n.graph != nil && folder.FoldName(other.title) == folder.FoldName(s.name) {
			return SplitPageOut{}, tools.Errorf(tools.Conflict, "Another page has this name: %s", other.file).WithHint("Choose another title.")
		}
	}
	s.markdown = writesMarkdownLinks(n, all)
	s.was = n.newLinkResolver(o.files, all)
	s.becomes = n.newLinkResolver(o.files, append(slices.Clone(all), linkSource{file: s.to, title: s.name, named: true}))
	d := n.draft()
	out := SplitPageOut{Path: p.file, NewPath: s.to, DryRun: in.DryRun}
	_, text := n.composePage(c, o, s.to, s.title, CreatePageIn{Content: s.section(&out.Links)})
	if n.view.Hides(s.to, []byte(text)) {
		return SplitPageOut{}, hiddenError()
	}
	if err := s.relink(ctx, d, all, &out); err != nil {
		return SplitPageOut{}, err
	}
	promoted, _, err := d.promote(ctx, o, s.to)
	if err != nil {
		return SplitPageOut{}, err
	}
	if err := d.AddFile(s.to, []byte(text)); err != nil {
		return SplitPageOut{}, n.toolError(s.to, err)
	}
	if in.DryRun {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return SplitPageOut{}, err
	}
	n.announce(slices.Concat(promoted, out.Changed, []string{p.file, s.to})...)
	return out, nil
}

// A pageSplit is a section of a page that becomes a page, the file to.
type pageSplit struct {
	page         *page
	title, to    string
	name         string              // by which links call the page
	start, end   int                 // of the section
	headings     []structure.Heading // of the page, with their texts as links have them
	moved        []structure.Heading // those of the section, as they are in the new page
	was, becomes *linkResolver
	markdown     bool // the link that stands for the section is a Markdown link
}

// writesMarkdownLinks reports whether new links of the vault are Markdown links: as
// Obsidian's settings say, and elsewhere where pages have such links and no others.
func writesMarkdownLinks(n *Notebook, all []linkSource) bool {
	switch n.layout {
	case obsidianLayout:
		return readSettingsFile[struct{ UseMarkdownLinks bool }](n.settings, ".obsidian/app.json").UseMarkdownLinks
	case logseqLayout:
		return false
	case plainLayout, mirrorLayout:
	}
	markdown := false
	for _, source := range all {
		for _, l := range source.links {
			if l.Wiki {
				return false
			}
			markdown = markdown || isPage(l.Target)
		}
	}
	return markdown
}

func newPageSplit(p *page, in SplitPageIn) (*pageSplit, error) {
	lines := p.lines()
	found, err := editTarget{Heading: in.Heading}.findHeading(p.text, lines)
	if err != nil {
		return nil, err
	}
	s := &pageSplit{page: p, start: found[0].start, end: found[0].end, headings: linkedHeadings(p.text, lines)}
	section := p.text[s.start:s.end]
	s.moved = linkedHeadings(section, structure.Lines(section, 0))
	s.title = pageTitle(in.Title)
	if s.title == "" && len(s.moved) > 0 {
		s.title = s.moved[0].Text
	}
	if safetext.IsInvisible(s.title) {
		return nil, tools.Errorf(tools.Invalid, "title: the heading has no text, so the page needs one")
	}
	return s, nil
}

// linkedHeadings are the headings of a text as links can name them.
func linkedHeadings(text string, lines []structure.Line) []structure.Heading {
	all := structure.Headings(text, lines)
	for i := range all {
		all[i].Text = structure.InLink(structure.WithoutID(all[i].Text))
		for j, above := range all[i].Path {
			all[i].Path[j] = structure.InLink(structure.WithoutID(above))
		}
	}
	return all
}

// holds reports whether a link to the page leads into the section.
func (s *pageSplit) holds(l links.Link) bool {
	if l.Block != "" {
		found, err := editTarget{Block: l.Block}.find(s.page)
		return err == nil && found[0].start >= s.start && found[0].start < s.end
	}
	at := slices.IndexFunc(s.headings, func(h structure.Heading) bool {
		return h.Matches(l.Heading) || !l.Wiki && headingSlug(h.Text) == l.Heading
	})
	return l.Heading != "" && at >= 0 && s.headings[at].Start >= s.start && s.headings[at].Start < s.end
}

// relink rewrites the links of all pages to what moves, and puts a link in its place.
func (s *pageSplit) relink(ctx context.Context, d *draft, all []linkSource, out *SplitPageOut) error {
	var files []string
	for _, c := range all {
		if c.unreadable {
			out.Links.Unreadable++
		} else if c.file != s.page.file && slices.ContainsFunc(c.links, func(l writtenLink) bool {
			return leadsTo(s.was, c.file, l.Link, s.page.file)
		}) {
			files = append(files, c.file)
		}
	}
	reports := make([]LinkReport, len(files)+1)
	changed, _, err := d.editPages(ctx, append(files, s.page.file), func(p *page) []folder.Splice {
		if p.file != s.page.file {
			return s.splices(p, &reports[slices.Index(files, p.file)])
		}
		link, ok := s.target(p.file, links.Link{Wiki: !s.markdown}, s.to)
		written := "[[" + link + "]]"
		if s.markdown && ok {
			written = "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(s.title) + "](" + link + ")"
		}
		return append(s.splices(p, &reports[len(files)]), folder.Splice{Start: s.start, End: s.end, New: s.replacement(written)})
	})
	for _, r := range reports {
		out.Links.add(r)
	}
	out.Changed = slices.DeleteFunc(changed, func(f string) bool { return f == s.page.file })
	return err
}

// replacement is what stands for the section: a link, with the blank line that may
// have been behind it.
func (s *pageSplit) replacement(link string) string {
	text := link + "\n"
	switch section := s.page.text[s.start:s.end]; {
	case strings.HasSuffix(section, "\n\n"):
		return text + "\n"
	case !strings.HasSuffix(section, "\n"):
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// splices lead the links of a page to what moves to where it will be.
func (s *pageSplit) splices(p *page, report *LinkReport) (all []folder.Splice) {
	for _, l := range pageLinks(p) {
		if !leadsTo(s.was, p.file, l, s.page.file) || !s.holds(l) {
			continue
		}
		if p.file == s.page.file && l.Start >= s.start && l.Start < s.end {
			continue // see section
		}
		more, ok := s.lead(p.text, p.file, l, s.to, s.moved)
		if !ok {
			report.Left++
			continue
		}
		report.Rewritten++
		all = append(all, more...)
	}
	return all
}

// lead leads a link to another file, with as much of the headings above as there is.
func (s *pageSplit) lead(text, from string, l links.Link, to string, headings []structure.Heading) ([]folder.Splice, bool) {
	target, ok := s.target(from, l, to)
	if !ok {
		return nil, false
	}
	splices := []folder.Splice{{Start: l.Start, End: l.End, New: target}}
	fits := func(name string) bool {
		return slices.ContainsFunc(headings, func(h structure.Heading) bool { return h.Matches(name) || !l.Wiki && headingSlug(h.Text) == name })
	}
	if l.Block != "" || fits(l.Heading) {
		return splices, true
	}
	parts := strings.Split(l.Heading, "#")
	start, end := fragment(text, l)
	for i := range parts {
		name := strings.Join(parts[i:], "#")
		if written := strings.TrimSpace(text[start:end]); fits(name) && strings.HasSuffix(written, name) {
			return append(splices, folder.Splice{Start: start, End: end, New: name}), true
		}
	}
	return nil, false
}

// target is how a link on the page from names the file to.
func (s *pageSplit) target(from string, l links.Link, to string) (string, bool) {
	form := nameForm
	if !l.Wiki {
		form = relativeForm
	}
	names := spellings(l, form, from, to)
	if g := s.becomes.graph; g != nil && l.Wiki {
		if names = []string{s.page.title()}; to != s.page.file {
			names = []string{s.name}
		}
	}
	for _, spelling := range names {
		try := l
		if try.Target = spelling; !l.Wiki && !isPage(spelling) {
			try.Target = relativePath(path.Dir(from), to)
		}
		if found, _ := s.becomes.resolve(from, try); !slices.Equal(found, []string{to}) {
			continue
		}
		if written, ok := writeTarget(l, try.Target, s.becomes.graph != nil); ok {
			return written, true
		}
	}
	return "", false
}

// section is the text of the new page: links within the page lead there from here.
func (s *pageSplit) section(report *LinkReport) string {
	text := s.page.text[s.start:s.end]
	var splices []folder.Splice
	for _, l := range pageLinks(s.page) {
		if l.Start < s.start || l.Start >= s.end {
			continue
		}
		to, headings := s.page.file, s.headings
		switch {
		case s.holds(l) && l.Target != "" && leadsTo(s.was, s.page.file, l, s.page.file):
			to, headings = s.to, s.moved
		case l.Target != "" || s.holds(l):
			continue
		}
		more, ok := s.lead(s.page.text, s.to, l, to, headings)
		if !ok {
			report.Left++
			continue
		}
		report.Rewritten++
		for _, e := range more {
			splices = append(splices, folder.Splice{Start: e.Start - s.start, End: e.End - s.start, New: e.New})
		}
	}
	slices.SortFunc(splices, func(a, b folder.Splice) int { return a.Start - b.Start })
	return folder.TextAfter(text, splices)
}
