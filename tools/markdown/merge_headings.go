package markdown

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A headingMerge is the headings of a page that is added to the end of another, where
// a heading before them may have the same name.
type headingMerge struct {
	file string
	was  []structure.Heading // of the page, as links have them
	all  []structure.Heading // of the page that has both texts
	slug bool                // Markdown links name headings by slugs, as documents of programs do
}

// newHeadingMerge is about the page from, which is added to the page to.
func newHeadingMerge(to, from *page, slug bool) *headingMerge {
	after, _ := mergedPage(to, from)
	both := parsePage(to.graph, to.file, after)
	m := &headingMerge{
		file: from.file, slug: slug, was: linkedHeadings(from.text, from.lines()),
		all: linkedHeadings(both.text, both.lines()),
	}
	at := len(m.all) - len(m.was)
	if at < 0 || !slices.EqualFunc(m.all[at:], m.was, func(a, b structure.Heading) bool { return a.Text == b.Text }) {
		m.was = nil // the texts run into each other
	}
	return m
}

// nameFor is what a link has to say to lead to its heading when both texts are on one
// page. Not ok: there is no such name.
func (m *headingMerge) nameFor(name string, wiki bool) (now string, ok bool) {
	isNamed := func(h structure.Heading) bool { return h.Matches(name) }
	hasSlug := func(h structure.Heading) bool { return headingSlug(h.Text) == name }
	at := slices.IndexFunc(m.was, isNamed)
	bySlug := !wiki && (m.slug || at < 0) && slices.ContainsFunc(m.was, hasSlug)
	if bySlug {
		at = slices.IndexFunc(m.was, hasSlug)
	}
	if at < 0 {
		return name, true
	}
	want := len(m.all) - len(m.was) + at
	if bySlug {
		before := 0
		for _, h := range m.all[:want] {
			if headingSlug(h.Text) == headingSlug(m.all[want].Text) {
				before++
			}
		}
		if before > 0 {
			name += "-" + strconv.Itoa(before)
		}
		return name, true
	}
	leads := func(name string) bool {
		return slices.IndexFunc(m.all, func(h structure.Heading) bool { return h.Matches(name) }) == want
	}
	if leads(name) {
		return name, true
	}
	above := m.all[want].Path
	for from := len(above) - 2; from >= 0; from-- {
		if longer := strings.Join(above[from:], "#"); leads(longer) {
			return longer, true
		}
	}
	return name, false
}

// splices leads the links of a page to the headings, as the page still is.
func (m *headingMerge) splices(p *page, r *linkResolver) (all []folder.Splice, left int) {
	for _, l := range pageLinks(p) {
		if l.Heading == "" || !leadsTo(r, p.file, l, m.file) {
			continue
		}
		to, ok := m.nameFor(l.Heading, l.Wiki)
		if to == l.Heading {
			if !ok {
				left++
			}
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
		if strings.Trim(strings.TrimSpace(written), "#") != l.Heading {
			left++
			continue
		}
		all = append(all, folder.Splice{Start: start, End: end, New: to})
	}
	return all, left
}

// leadHeadings drafts that links to headings of a page name them so that they are found
// on the page that it is added to. left are links for which there is no such name.
func (d *draft) leadHeadings(ctx context.Context, to, from *page) (left int, err error) {
	m := newHeadingMerge(to, from, d.n.layout == plainLayout || d.n.layout == mirrorLayout)
	if len(m.was) == 0 {
		return 0, nil
	}
	now, err := d.n.look(ctx)
	if err != nil {
		return 0, err
	}
	files, resolver, _, err := now.linkingTo(ctx, d.n, from)
	if err != nil {
		return 0, err
	}
	files = append([]string{from.file}, slices.DeleteFunc(files, func(file string) bool { return file == from.file })...)
	var kept atomic.Int64
	_, _, err = d.editPages(ctx, files, func(p *page) []folder.Splice {
		splices, left := m.splices(p, resolver)
		kept.Add(int64(left))
		return splices
	})
	return int(kept.Load()), err
}
