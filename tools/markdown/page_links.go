package markdown

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// linksOf are the links from a page and to it.
func (c *comparison) linksOf(ctx context.Context, n *Notebook, p *page) (out []OutgoingLink, in []IncomingLink, err error) {
	if c.x != nil {
		if out, in, err = c.indexedLinksOf(ctx, n, p); err == nil || ctx.Err() != nil {
			return out, in, err
		}
		n.index.drop(err)
	}
	var all []linkSource
	if err = n.scan(ctx, func() error {
		all, err = readLinkSources(ctx, c.outline, n.read)
		return err
	}); err != nil {
		return nil, nil, err
	}
	titles := map[string]string{}
	for _, source := range all {
		titles[source.file] = source.title
	}
	r := n.newLinkResolver(c.outline.files, all)
	return outgoing(p, r, func(file string) string { return titles[file] }), incoming(p.file, r, all), nil
}

// indexedLinksOf looks up the names that the links of the page have, and the pages
// whose links have a name of the page.
func (c *comparison) indexedLinksOf(ctx context.Context, n *Notebook, p *page) (out []OutgoingLink, in []IncomingLink, err error) {
	names := map[string]map[index.NameKind][]string{} // that were looked up, by key
	pages := func(kind index.NameKind, key string) []string {
		if names[key] == nil {
			found := map[index.NameKind][]string{}
			if failed := c.x.Named(ctx, key, func(kind index.NameKind, file string) { found[kind] = append(found[kind], file) }); failed != nil {
				err = failed
			}
			names[key] = found
		}
		return names[key][kind]
	}
	title := func(file string) string {
		if !isPage(file) {
			return ""
		}
		title, failed := c.x.Title(ctx, file)
		if failed != nil {
			err = failed
		}
		return title
	}
	r := &linkResolver{n.layout, n.namesOf(pages), c.outline.attachments()}
	out = outgoing(p, r, title)

	var keys []string
	for _, name := range append(p.fields.Texts("aliases"), append(p.fields.Texts("alias"), p.title(), stem(p.file))...) {
		keys = append(keys, lastPart(name))
	}
	var linking []linkSource
	if failed := c.x.LinksByKey(ctx, keys, func(file, title string, _ index.Head, found []links.Link) {
		source := linkSource{file: file, title: title}
		for _, l := range found {
			if slices.ContainsFunc(linkKeys(file, l), func(key string) bool { return slices.Contains(keys, key) }) {
				source.links = append(source.links, writtenLink{Link: l})
			}
		}
		linking = append(linking, source)
	}); failed != nil {
		return nil, nil, failed
	}
	in = incoming(p.file, r, linking)
	return out, in, err
}
