package tools

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Pages lets a person browse a source on the panel: a list of pages, and the
// text of one. Both leave out what is hidden from agents, so the person sees
// what agents see. Agents use tools and resources instead.
type Pages[S Source] struct {
	// List returns some pages, in an order that does not change between calls.
	// For a System that has all names in memory [AllPages] makes it.
	List func(s S, ctx context.Context, q PageQuery) (PageList, error)
	// Read returns the text of the page that List calls name, or NotFound. The
	// caller cuts it to size.
	Read func(s S, ctx context.Context, name string) (PageText, error)
	// Links returns what links the page that List calls name, or NotFound. A System
	// without links leaves it out.
	Links func(s S, ctx context.Context, name string) (PageLinks, error)
	// File returns the path of the file that the page is, so that the person can edit
	// it with their own editor. A System whose pages are no files leaves it out.
	File func(s S, ctx context.Context, name string) (string, error)
}

// A PageQuery asks for some pages of a list.
type PageQuery struct {
	After string // Next of the list before, as the System made it; empty: from the first page
	Match string // part of the name; letter case makes no difference
	Limit int    // 1 to MaxPageList
}

// MaxPageList is how many pages a list may have.
const MaxPageList = 1000

// A PageList is some pages.
type PageList struct {
	Pages []PageInfo
	Next  string // names the place to go on from, also in another process; empty: these were the last
	Total int    // of all pages that match; 0: not known without counting them
}

// AllPages makes [Pages].List of a function that returns every page. Its cost is
// that of the function for each list: good for some thousand pages in memory.
func AllPages[S Source](all func(S, context.Context) ([]PageInfo, error)) func(S, context.Context, PageQuery) (PageList, error) {
	return func(s S, ctx context.Context, q PageQuery) (PageList, error) {
		pages, err := all(s, ctx)
		if err != nil {
			return PageList{}, err
		}
		if q.Match != "" {
			match := strings.ToLower(q.Match)
			pages = slices.DeleteFunc(pages, func(p PageInfo) bool { return !strings.Contains(strings.ToLower(p.Name), match) })
		}
		list := PageList{Total: len(pages)}
		if q.After != "" {
			i := slices.IndexFunc(pages, func(p PageInfo) bool { return p.Name == q.After })
			if i < 0 {
				return PageList{}, Errorf(Conflict, "the list of pages has changed").WithHint("List them again from the first.")
			}
			pages = pages[i+1:]
		}
		list.Pages = pages[:min(len(pages), q.Limit)]
		if len(list.Pages) < len(pages) {
			list.Next = list.Pages[len(list.Pages)-1].Name
		}
		return list, nil
	}
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

// PageLinks are the links of one page. What is hidden from agents is in neither list.
type PageLinks struct {
	Out []PageLink // on the page, in their order
	In  []PageLink // on other pages, to it
}

// A PageLink is a link as a person follows it.
type PageLink struct {
	Page string // the other page, by its name in Pages; empty: there is no such page
	Text string // what the link says of a page that is not there
	Line int    // where the link stands, from 1; 0: unknown
}

// A Hit is one search result.
type Hit struct {
	Page string // its name in Pages; empty: not on a page
	Line int    // from 1; 0: unknown
	Text string // the matching text
}

// Pages lists pages of the source; NotFound if its System declares no Pages.
func (o *OpenedSource) Pages(ctx context.Context, q PageQuery) (PageList, error) {
	if err := o.checkOpen(); err != nil {
		return PageList{}, err
	}
	if o.pages.list == nil {
		return PageList{}, noPagesError(o.name)
	}
	q.Limit = min(max(q.Limit, 1), MaxPageList)
	return o.pages.list(ctx, q)
}

// Page returns a page.
func (o *OpenedSource) Page(ctx context.Context, name string) (PageText, error) {
	if err := o.checkPage(name); err != nil {
		return PageText{}, err
	}
	p, err := o.pages.read(ctx, name)
	if err != nil {
		return PageText{}, err
	}
	p.Size = int64(len(p.Text))
	return p, nil
}

// PageLinks returns the links of a page, the first limit of each kind.
func (o *OpenedSource) PageLinks(ctx context.Context, name string, limit int) (PageLinks, error) {
	if err := o.checkPage(name); err != nil {
		return PageLinks{}, err
	}
	if o.pages.links == nil {
		return PageLinks{}, Errorf(NotFound, "the source %s knows no links between pages", o.name)
	}
	links, err := o.pages.links(ctx, name)
	links.Out, links.In = links.Out[:min(len(links.Out), limit)], links.In[:min(len(links.In), limit)]
	return links, err
}

// PageFile returns the path of the file that a page is.
func (o *OpenedSource) PageFile(ctx context.Context, name string) (string, error) {
	if err := o.checkPage(name); err != nil {
		return "", err
	}
	if o.pages.file == nil {
		return "", Errorf(NotFound, "the pages of %s are not files that an editor could open", o.name).
			WithHint("Change them with the source's tools, or in the application that they belong to.")
	}
	return o.pages.file(ctx, name)
}

// checkPage refuses a page that cannot be there.
func (o *OpenedSource) checkPage(name string) error {
	if err := o.checkOpen(); err != nil {
		return err
	}
	if o.pages.read == nil {
		return noPagesError(o.name)
	}
	if len(name) > maxURI {
		return Errorf(NotFound, "no page has a name of %d bytes", len(name))
	}
	return nil
}

func noPagesError(source string) error {
	return Errorf(NotFound, "the source %s has no pages to browse", source).WithHint("Use its tools instead.")
}

// boundPages is Pages of one source, without the type parameter.
type boundPages struct {
	list func(ctx context.Context, q PageQuery) (PageList, error)
	read func(ctx context.Context, name string) (PageText, error)

	links func(ctx context.Context, name string) (PageLinks, error) // nil: the System has none
	file  func(ctx context.Context, name string) (string, error)    // nil: pages are no files
}

func (k *erasedSystem[S, C]) bindPages(src S) boundPages {
	p := k.system.Pages
	if p == nil {
		return boundPages{}
	}
	bound := boundPages{
		list: func(ctx context.Context, q PageQuery) (PageList, error) { return p.List(src, ctx, q) },
		read: func(ctx context.Context, name string) (PageText, error) { return p.Read(src, ctx, name) },
	}
	if p.Links != nil {
		bound.links = func(ctx context.Context, name string) (PageLinks, error) { return p.Links(src, ctx, name) }
	}
	if p.File != nil {
		bound.file = func(ctx context.Context, name string) (string, error) { return p.File(src, ctx, name) }
	}
	return bound
}
