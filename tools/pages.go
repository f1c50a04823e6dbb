package tools

import (
	"context"
	"strings"
	"time"
)

// Pages lets a person browse a source on the panel: a list of pages, and the
// text of one. Both leave out what is hidden from agents, so the person sees
// what agents see. Agents use tools and resources instead.
type Pages[S Source] struct {
	// List returns every page, in the order a person expects.
	List func(s S, ctx context.Context) ([]PageInfo, error)
	// Read returns the text of the page that List calls name, or NotFound. The
	// caller cuts it to size.
	Read func(s S, ctx context.Context, name string) (PageText, error)
}

// PageInfo is one page in a list.
type PageInfo struct {
	Name     string    // unique within the source; the argument of Read
	Size     int64     // bytes; 0: empty, or unknown without reading it
	Modified time.Time // zero: unknown
}

// PageText is a page as text.
type PageText struct {
	Text string
	MIME string // "text/markdown" is rendered, anything else shown as it is
	Size int64  // bytes of the whole page, more than len(Text) if that is cut
}

// A Hit is one search result.
type Hit struct {
	Page string // its name in Pages; empty: not on a page
	Line int    // from 1; 0: unknown
	Text string // the matching text
}

// Pages lists the pages of the source; NotFound if its System declares no Pages.
func (o *OpenedSource) Pages(ctx context.Context) ([]PageInfo, error) {
	if err := o.checkOpen(); err != nil {
		return nil, err
	}
	if o.pages.list == nil {
		return nil, noPagesError(o.name)
	}
	return o.pages.list(ctx)
}

// Page returns at most the first limit bytes of a page.
func (o *OpenedSource) Page(ctx context.Context, name string, limit int) (PageText, error) {
	if err := o.checkOpen(); err != nil {
		return PageText{}, err
	}
	if o.pages.read == nil {
		return PageText{}, noPagesError(o.name)
	}
	if len(name) > maxURI {
		return PageText{}, Errorf(NotFound, "no page has a name of %d bytes", len(name))
	}
	p, err := o.pages.read(ctx, name)
	if err != nil {
		return PageText{}, err
	}
	p.Size = int64(len(p.Text))
	if len(p.Text) > limit {
		p.Text = strings.Clone(Truncate(p.Text, limit)) // so that the rest can be freed
	}
	return p, nil
}

func noPagesError(source string) error {
	return Errorf(NotFound, "the source %s has no pages to browse", source).WithHint("Use its tools instead.")
}

// boundPages is Pages of one source, without the type parameter.
type boundPages struct {
	list func(ctx context.Context) ([]PageInfo, error)
	read func(ctx context.Context, name string) (PageText, error)
}

func (k *erasedSystem[S, C]) bindPages(src S) boundPages {
	p := k.system.Pages
	if p == nil {
		return boundPages{}
	}
	return boundPages{
		list: func(ctx context.Context) ([]PageInfo, error) { return p.List(src, ctx) },
		read: func(ctx context.Context, name string) (PageText, error) { return p.Read(src, ctx, name) },
	}
}
