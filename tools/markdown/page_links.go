package markdown

import (
	"context"
	"errors"
	"slices"
	"sync"

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
	all, err := c.readLinkSources(ctx, n)
	if errors.Is(err, errIndexMade) {
		if c, err = n.look(ctx); err == nil {
			return c.linksOf(ctx, n, p)
		}
	}
	if err != nil {
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
	var failedTitle error
	title := func(file string) string {
		if !isPage(file) {
			return ""
		}
		title, err := c.x.Title(ctx, file)
		failedTitle = errors.Join(failedTitle, err)
		return title
	}
	names, failed := c.namedPages(ctx)
	r := &linkResolver{n.layout, n.graph, n.namesOf(names), c.outline.attachments()}
	out = outgoing(p, r, title)
	linking, err := c.linksByKey(ctx, n, p.linkKeys(p.file))
	if err == nil {
		in = incoming(p.file, r, linking)
	}
	return out, in, errors.Join(err, failed(), failedTitle)
}

// namedPages looks names of pages up in the index, each once; failed is the error of
// a look-up, if there was one. Both may be called from several goroutines.
func (c *comparison) namedPages(ctx context.Context) (pages func(kind index.NameKind, key string) []string, failed func() error) {
	var mu sync.Mutex
	var err error
	names := map[string]map[index.NameKind][]string{} // by key
	pages = func(kind index.NameKind, key string) []string {
		mu.Lock()
		defer mu.Unlock()
		if names[key] == nil {
			names[key] = map[index.NameKind][]string{}
			err = errors.Join(err, c.x.Named(ctx, key, func(kind index.NameKind, file string) { names[key][kind] = append(names[key][kind], file) }))
		}
		return names[key][kind]
	}
	return pages, func() error {
		mu.Lock()
		defer mu.Unlock()
		return err
	}
}

// linkKeys are the keys of the links that can call the page if its file is at a path.
func (p *page) linkKeys(file string) (keys []string) {
	for _, name := range append(p.aliases(), p.title(), stem(file)) {
		keys = append(keys, lastPart(name))
	}
	return keys
}

// aliases are the further names in the front matter.
func (p *page) aliases() []string {
	return append(p.fields.Texts("aliases"), p.fields.Texts("alias")...)
}

// linksByKey are the pages that have links with one of these keys, and those links.
func (c *comparison) linksByKey(ctx context.Context, n *Notebook, keys []string) (linking []linkSource, err error) {
	err = c.x.LinksByKey(ctx, keys, func(file, title string, head index.Head, found []links.Link) {
		source := linkSource{file: file, title: title, unreadable: head.Foreign}
		for _, l := range found {
			if slices.ContainsFunc(linkKeys(n.graph, file, l), func(key string) bool { return slices.Contains(keys, key) }) {
				source.links = append(source.links, writtenLink{Link: l})
			}
		}
		linking = append(linking, source)
	})
	return linking, err
}

// linkingTo returns the pages with a link that leads to p and to no other page, what
// resolves links, and how many pages could not be read.
func (c *comparison) linkingTo(ctx context.Context, n *Notebook, p *page) (files []string, r *linkResolver, unreadable int, err error) {
	var all []linkSource
	if c.x != nil {
		names, failed := c.namedPages(ctx)
		r = &linkResolver{n.layout, n.graph, n.namesOf(names), c.outline.attachments()}
		if all, err = c.linksByKey(ctx, n, p.linkKeys(p.file)); err == nil {
			var foreign []string
			foreign, err = c.x.Foreign(ctx)
			unreadable = len(foreign)
		}
		if files = leadingTo(all, r, p.file); errors.Join(err, failed()) == nil || ctx.Err() != nil {
			return files, r, unreadable, errors.Join(err, failed())
		}
		n.index.drop(errors.Join(err, failed()))
	}
	if all, err = readLinkSources(ctx, n.graph, c.outline.pageFiles(), n.read); err != nil {
		return nil, nil, 0, err
	}
	unreadable = 0
	for _, s := range all {
		if s.unreadable {
			unreadable++
		}
	}
	r = n.newLinkResolver(c.outline.files, all)
	return leadingTo(all, r, p.file), r, unreadable, nil
}

// leadingTo are those of the pages that have a link to one file and to no other.
func leadingTo(all []linkSource, r *linkResolver, file string) (files []string) {
	for _, s := range all {
		if slices.ContainsFunc(s.links, func(l writtenLink) bool { return leadsTo(r, s.file, l.Link, file) }) {
			files = append(files, s.file)
		}
	}
	return files
}
