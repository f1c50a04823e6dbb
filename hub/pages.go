package hub

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// localClient is the client name of a person at the panel or the shell, in
// policy and audit.
const localClient = "lectern call"

// localCaller is a person who sees one source as agents see it.
func (h *Hub) localCaller(name string) (caller, *source, error) {
	in := h.inScope(name)
	if name == "" || len(in) == 0 {
		return caller{}, nil, tools.Errorf(tools.NotFound, "no source named %q", name).WithHint("`lectern source list` shows them.")
	}
	v := newToolset(in, (*source).grants)
	maps.DeleteFunc(v.tools, func(_ string, t *tool) bool { return t.ownChanges != nil }) // a person has `lectern changes`
	return caller{h.localSession(name, localClient), policy.Client{Name: localClient, Proven: true}, v}, in[0], nil
}

// pagesAtOnce is how many pages are sent together.
const pagesAtOnce = 500

// Pages implements [status.Browser]. Its error is a [tools.Error], as are those of
// Page and Search.
func (h *Hub) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	by, src, err := h.localCaller(source)
	if err != nil {
		return nil, err
	}
	next := func(after string) (tools.PageList, error) {
		return readSource(ctx, h, by, src, "pages", "", func(ctx context.Context, open *sourceRef) (tools.PageList, error) {
			return open.Pages(ctx, tools.PageQuery{After: after, Limit: pagesAtOnce})
		})
	}
	list, err := next("")
	if err != nil {
		return nil, err
	}
	ch := make(chan status.PageList)
	go func() {
		defer close(ch)
		for err == nil && len(list.Pages) > 0 {
			select {
			case ch <- statusPages(list):
			case <-ctx.Done():
				return
			}
			if list.Next == "" {
				return
			}
			list, err = next(list.Next)
		}
	}()
	return ch, nil
}

func statusPages(list tools.PageList) status.PageList {
	out := status.PageList{Total: list.Total, Pages: make([]status.Page, len(list.Pages))}
	for i, p := range list.Pages {
		out.Pages[i] = status.Page{Name: p.Name, Size: p.Size, Modified: p.Modified}
	}
	return out
}

// Page implements [status.Browser].
func (h *Hub) Page(ctx context.Context, source, name string) (status.PageText, error) {
	by, src, err := h.localCaller(source)
	if err != nil {
		return status.PageText{}, err
	}
	uri := "page://" + url.PathEscape(source) + "/" + url.PathEscape(name) // for rules about paths
	p, err := readSource(ctx, h, by, src, "page", uri, func(ctx context.Context, open *sourceRef) (tools.PageText, error) {
		return open.Page(ctx, name, status.MaxPageBytes)
	})
	return status.PageText{Text: p.Text, MIME: p.MIME, Size: p.Size}, err
}

// Search implements [status.Browser].
func (h *Hub) Search(ctx context.Context, source, query string) (status.Search, error) {
	_, src, err := h.localCaller(source)
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
	res, err := h.Call(ctx, source, t.Name, args)
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
