package markdown

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// RenameHeadingIn are the arguments of rename_heading.
type RenameHeadingIn struct {
	Path       string `json:"path" jsonschema:"page"`
	Heading    string `json:"heading" jsonschema:"heading, such as Log or Plan#Log"`
	NewHeading string `json:"new_heading" jsonschema:"its new text, without #"`
	IfMatch    Etag   `json:"if_match,omitempty" jsonschema:"etag from read_page"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"only answer what would change"`
}

// RenameHeadingOut is the answer of rename_heading.
type RenameHeadingOut struct {
	Path    string     `json:"path" jsonschema:"file of the page"`
	Changed []string   `json:"changed" jsonschema:"pages that change, with this one"`
	Links   LinkReport `json:"links" jsonschema:"what became of links to the heading"`
	DryRun  bool       `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

func renameHeading() tools.Tool[*Notebook] {
	return writesTo(tools.DefineWithContext(tools.Spec[RenameHeadingIn, RenameHeadingOut]{
		Name: "rename_heading", Title: "Rename a heading", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"path", "heading", "new_heading"},
		Normalize: aliases("path", "heading", "new_heading"),
		Doc:       "Renames a heading, and all links and embeds that lead to it.\nIts level and block id stay.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RenameHeadingIn, RenameHeadingOut]{{
			Purpose: "rename a section", In: RenameHeadingIn{Path: "Projects/Alpha.md", Heading: "Alpha", NewHeading: "Alpha, the first"},
			AnyAnswer: true,
			Want:      RenameHeadingOut{Path: "Projects/Alpha.md", Changed: []string{"Projects/Alpha.md"}, Links: LinkReport{Rewritten: 1}},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in RenameHeadingIn) (RenameHeadingOut, error) {
		return in.rename(ctx, n, c)
	}), func(in RenameHeadingIn) []string { return []string{in.Path} })
}

// rename carries rename_heading out.
func (in RenameHeadingIn) rename(ctx context.Context, n *Notebook, c tools.CallContext) (RenameHeadingOut, error) {
	to := strings.TrimSpace(in.NewHeading)
	if safetext.IsInvisible(to) || strings.ContainsAny(to, "\r\n") || len(to) > 1000 || strings.HasPrefix(to, "#") {
		return RenameHeadingOut{}, tools.Errorf(tools.Invalid, "new_heading: must be one line of text of at most 1000 bytes without # before it")
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return RenameHeadingOut{}, err
	}
	defer n.writing.Release(1)
	p, _, err := n.findToChange(ctx, in.Path, in.IfMatch)
	if err != nil {
		return RenameHeadingOut{}, err
	}
	if !p.utf8 {
		return RenameHeadingOut{}, notUTF8Error(p.file)
	}
	r, err := newHeadingRename(p, in.Heading, to)
	if err != nil {
		return RenameHeadingOut{}, err
	}
	now, err := n.look(ctx)
	if err != nil {
		return RenameHeadingOut{}, err
	}
	files, resolver, unreadable, err := now.linkingTo(ctx, n, p)
	if err != nil {
		return RenameHeadingOut{}, err
	}
	files = append([]string{p.file}, slices.DeleteFunc(files, func(file string) bool { return file == p.file })...)
	d := n.draft()
	var rewritten, left atomic.Int64
	changed, _, err := d.editPages(ctx, files, func(at *page) []folder.Splice {
		splices, kept := r.splices(at, resolver)
		rewritten.Add(int64(len(splices)))
		left.Add(int64(kept))
		if at.file == p.file {
			splices = append(splices, r.heading)
		}
		return splices
	})
	if err != nil {
		return RenameHeadingOut{}, err
	}
	out := RenameHeadingOut{
		Path: p.file, Changed: changed, DryRun: in.DryRun, Links: LinkReport{
			Rewritten: int(rewritten.Load()), Left: int(left.Load()), Unreadable: unreadable,
		},
	}
	if in.DryRun {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return RenameHeadingOut{}, err
	}
	n.announce(changed...)
	return out, nil
}

// leadsTo reports whether a link on the page from leads to one file and to no other.
func leadsTo(r *linkResolver, from string, l links.Link, file string) bool {
	if l.Target == "" {
		return from == file
	}
	found, _ := r.resolve(from, l)
	return len(found) == 1 && found[0] == file
}

// A headingRename is a heading of a page and its new text.
type headingRename struct {
	file     string
	headings []structure.Heading // of the page, with their texts as links have them
	at       int                 // the one that is renamed
	to       string
	heading  folder.Splice // in the page itself
}

func newHeadingRename(p *page, heading, to string) (*headingRename, error) {
	lines := p.lines()
	found, err := editTarget{Heading: heading}.findHeading(p.text, lines)
	if err != nil {
		return nil, err
	}
	r := &headingRename{file: p.file, headings: structure.Headings(p.text, lines), to: to}
	r.at = slices.IndexFunc(r.headings, func(h structure.Heading) bool { return h.Start == found[0].start })
	h := r.headings[r.at]
	text := structure.WithoutID(h.Written)
	start := h.Start + strings.Index(p.text[h.Start:h.Content], h.Written)
	r.heading = folder.Splice{Start: start, End: start + len(text), New: to}
	r.headings = linkedHeadings(p.text, lines)
	return r, nil
}

// headingSlug is a heading as Markdown links of documents name it.
func headingSlug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// renameIn is what a link has to say instead of name to lead to the same heading.
// Of several that it may mean the first counts.
func (r *headingRename) renameIn(name string, wiki bool) (string, bool) {
	to := structure.InLink(r.to)
	parts := strings.Split(name, "#")
	for i := range parts {
		above := slices.Clone(parts[:i+1])
		for j := range above {
			above[j] = structure.InLink(above[j])
		}
		prefix := strings.Join(above, "#")
		if slices.IndexFunc(r.headings, func(h structure.Heading) bool { return h.Matches(prefix) }) == r.at {
			parts[i] = to
			return strings.Join(parts, "#"), true
		}
	}
	if !wiki && slices.IndexFunc(r.headings, func(h structure.Heading) bool { return headingSlug(h.Text) == name }) == r.at {
		return headingSlug(r.to), true
	}
	return "", false
}

// splices rewrites the links of a page to the heading; left counts those that cannot be.
func (r *headingRename) splices(p *page, resolver *linkResolver) (all []folder.Splice, left int) {
	for _, l := range pageLinks(p) {
		if l.Heading == "" || !leadsTo(resolver, p.file, l, r.file) {
			continue
		}
		to, ok := r.renameIn(l.Heading, l.Wiki)
		if !ok {
			continue
		}
		start, end := fragment(p.text, l)
		written := p.text[start:end]
		if decoded, err := url.PathUnescape(written); !l.Wiki && err == nil {
			written = decoded
		}
		if !l.Wiki {
			to = strings.ReplaceAll(links.Escape(to), "%23", "#")
		}
		if strings.Trim(strings.TrimSpace(written), "#") != l.Heading || l.FrontMatter && strings.ContainsAny(to, `"'`) {
			left++
			continue
		}
		all = append(all, folder.Splice{Start: start, End: end, New: to})
	}
	return all, left
}

// fragment is where the heading of a link stands, after its "#".
func fragment(text string, l links.Link) (start, end int) {
	rest := text[l.End:]
	lead := strings.IndexByte(rest, '#') + 1
	ends := ")>^ \t\n"
	if l.Wiki {
		ends = "|^]\n"
	}
	stop := strings.IndexAny(rest[lead:], ends)
	if stop < 0 {
		stop = len(rest) - lead
	}
	if l.Wiki {
		stop = len(strings.TrimSuffix(rest[lead:lead+stop], `\`)) // before a bar in a table
	}
	return l.End + lead, l.End + lead + stop
}
