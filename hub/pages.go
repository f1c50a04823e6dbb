package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// defaultPageListLimit is how many pages a list has if nobody asks for another number.
const defaultPageListLimit = 500

// Pages answers [status.PagesQuery]. Its error is a [tools.Error], as are those of
// Page and Search.
func (a PersonAPI) Pages(ctx context.Context, f status.PageFilter) (status.PageList, error) {
	by, src, err := a.callerForSource(f.Source)
	if err != nil {
		return status.PageList{}, err
	}
	list, err := runReadOnSource(ctx, a.hub, by, src, sourceRead{what: "pages"},
		func(ctx context.Context, open *sourceRef) (tools.PageList, error) {
			return open.Pages(ctx, tools.PageQuery{After: f.After, Match: f.Match, Limit: cmp.Or(f.Limit, defaultPageListLimit)})
		})
	return toStatusPageList(list), err
}

func toStatusPageList(list tools.PageList) status.PageList {
	out := status.PageList{Total: list.Total, Next: list.Next, Pages: make([]status.Page, len(list.Pages))}
	for i, p := range list.Pages {
		out.Pages[i] = status.Page{Name: p.Name, Size: p.Size, Modified: p.Modified}
	}
	return out
}

// Page answers [status.PageQuery].
func (a PersonAPI) Page(ctx context.Context, source, name string) (status.PageText, error) {
	by, src, err := a.callerForSource(source)
	if err != nil {
		return status.PageText{}, err
	}
	p, err := runReadOnSource(ctx, a.hub, by, src, sourceRead{what: "page", texts: []string{name}},
		func(ctx context.Context, open *sourceRef) (tools.PageText, error) {
			p, err := open.Page(ctx, name)
			if cut := safetext.Truncate(p.Text, status.MaxPageBytes); len(cut) < len(p.Text) {
				p.Text = strings.Clone(cut) // so that the rest can be freed
			}
			return p, err
		})
	return status.PageText{Text: p.Text, MIME: p.MIME, Size: p.Size}, err
}

// PageLinks answers [status.PageLinksQuery].
func (a PersonAPI) PageLinks(ctx context.Context, p status.PageRef) (status.PageLinks, error) {
	by, src, err := a.callerForSource(p.Source)
	if err != nil {
		return status.PageLinks{}, err
	}
	links, err := runReadOnSource(ctx, a.hub, by, src, sourceRead{what: "page links", texts: []string{p.Name}},
		func(ctx context.Context, open *sourceRef) (tools.PageLinks, error) {
			return open.PageLinks(ctx, p.Name, status.MaxPageLinks)
		})
	return status.PageLinks{Out: toStatusLinks(links.Out), In: toStatusLinks(links.In)}, err
}

func toStatusLinks(all []tools.PageLink) []status.PageLink {
	out := make([]status.PageLink, len(all))
	for i, l := range all {
		out[i] = status.PageLink{Page: l.Page, Text: l.Text, Line: l.Line}
	}
	return out
}

// PageFile answers [status.PageFileQuery].
func (a PersonAPI) PageFile(ctx context.Context, p status.PageRef) (status.PageFile, error) {
	by, src, err := a.callerForSource(p.Source)
	if err != nil {
		return status.PageFile{}, err
	}
	file, err := runReadOnSource(ctx, a.hub, by, src, sourceRead{what: "page", texts: []string{p.Name}},
		func(ctx context.Context, open *sourceRef) (string, error) {
			return open.PageFile(ctx, p.Name)
		})
	return status.PageFile{Path: file}, err
}

// Search answers [status.SearchQuery].
func (a PersonAPI) Search(ctx context.Context, source, query string) (status.Search, error) {
	_, src, err := a.callerForSource(source)
	if err != nil {
		return status.Search{}, err
	}
	if src.kind == nil {
		return status.Search{}, tools.Errorf(tools.Unavailable, "source %s has an unknown kind", source)
	}
	t, ok := src.kind.Manifest().SearchTool()
	if !ok {
		return status.Search{}, tools.Errorf(tools.NotFound, "the source %s has no search", source).WithHint("Run its tools instead.")
	}
	args, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return status.Search{}, tools.Errorf(tools.Invalid, "query: %w", err)
	}
	res, err := a.Call(ctx, source, t.Name, args)
	if err != nil {
		return status.Search{}, err
	}
	found, err := t.Hits(res.JSON)
	if err != nil {
		return status.Search{}, tools.Errorf(tools.Internal, "search %s: %w", source, err)
	}
	out := status.Search{Tool: t.Name, Args: args, Hits: []status.Hit{}, Bytes: res.Size()}
	for _, hit := range found {
		out.Hits = append(out.Hits, status.Hit{Page: hit.Page, Line: hit.Line, Text: hit.Text})
	}
	return out, nil
}
