package hub

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// batchBytes is about how many bytes of names are sent together.
const batchBytes = 64 << 10

// Pages answers [status.PagesQuery]. Its error is a [tools.Error], as are those of
// Page and Search.
func (a PersonAPI) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	by, src, err := a.caller(source)
	if err != nil {
		return nil, err
	}
	all, err := readSource(ctx, a.hub, by, src, "pages", "", func(ctx context.Context, open *sourceRef) ([]tools.PageInfo, error) { return open.Pages(ctx) })
	if err != nil {
		return nil, err
	}
	ch := make(chan status.PageList)
	go func() {
		defer close(ch)
		for rest := all; len(rest) > 0; {
			var list status.PageList
			list, rest = nextBatch(rest)
			list.Total = len(all)
			select {
			case ch <- list:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

// nextBatch is as many of the pages as are sent together, and the rest.
func nextBatch(pages []tools.PageInfo) (list status.PageList, rest []tools.PageInfo) {
	for used := 0; len(pages) > 0 && used < batchBytes; pages = pages[1:] {
		p := pages[0]
		used += len(p.Name) + 80
		list.Pages = append(list.Pages, status.Page{Name: p.Name, Size: p.Size, Modified: p.Modified})
	}
	return list, pages
}

// Page answers [status.PageQuery].
func (a PersonAPI) Page(ctx context.Context, source, name string) (status.PageText, error) {
	by, src, err := a.caller(source)
	if err != nil {
		return status.PageText{}, err
	}
	uri := "page://" + url.PathEscape(source) + "/" + url.PathEscape(name) // for rules about paths
	p, err := readSource(ctx, a.hub, by, src, "page", uri, func(ctx context.Context, open *sourceRef) (tools.PageText, error) {
		return open.Page(ctx, name, status.MaxPageBytes)
	})
	return status.PageText{Text: p.Text, MIME: p.MIME, Size: p.Size}, err
}

// Search answers [status.SearchQuery].
func (a PersonAPI) Search(ctx context.Context, source, query string) (status.Search, error) {
	_, src, err := a.caller(source)
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
