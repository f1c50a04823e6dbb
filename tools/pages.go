package tools

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// Pages is how a person looks through a source: the list of what there is, and
// one of it as text. Both see what agents see: what is hidden from agents is
// not there. Agents themselves have tools and resources for it.
type Pages[S Source] struct {
	// List answers every page, in the order in which a person looks for one.
	List func(s S, ctx context.Context) ([]PageInfo, error)
	// Read answers the text of the page that List calls name, NotFound if there
	// is none. The caller cuts it.
	Read func(s S, ctx context.Context, name string) (PageText, error)
}

// PageInfo is one page in a list.
type PageInfo struct {
	Name     string    // unique within the source: what Read takes
	Size     int64     // bytes; 0: empty, or not known without reading it
	Modified time.Time // zero: not known
}

// PageText is a page as text.
type PageText struct {
	Text string
	MIME string // "text/markdown" is rendered, anything else shown as it is
	Size int64  // bytes of all of it, more than of Text where that is cut
}

// A Hit is one place that a search found.
type Hit struct {
	Page string // its name in Pages; empty: on none
	Line int    // from 1; 0: not known
	Text string // what stands there
}

// Pages lists the pages of the source; NotFound where its System has none to
// look through.
func (o *OpenedSource) Pages(ctx context.Context) ([]PageInfo, error) {
	if err := o.checkOpen(); err != nil {
		return nil, err
	}
	if o.pages.list == nil {
		return nil, noPagesError(o.name)
	}
	return o.pages.list(ctx)
}

// Page answers at most the first most bytes of a page.
func (o *OpenedSource) Page(ctx context.Context, name string, most int) (PageText, error) {
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
	if len(p.Text) > most {
		for most > 0 && !utf8.RuneStart(p.Text[most]) {
			most--
		}
		p.Text = strings.Clone(p.Text[:most]) // lets go of the rest
	}
	return p, nil
}

func noPagesError(source string) error {
	return Errorf(NotFound, "the source %s has no pages to look through", source).WithHint("Run its tools instead.")
}

// boundPages is Pages with its type parameter erased.
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
