package loopback

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
)

// shelfRoutes serves what is in the sources.
func shelfRoutes(mux *http.ServeMux, c status.Browser) {
	mux.HandleFunc("POST "+pagesPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q pageRequest) error {
			ch, err := c.Pages(r.Context(), q.Source)
			if err != nil {
				return err
			}
			return copyAll(out, ch, func(l status.PageList) message { return message{Pages: &l} })
		})
	})
	mux.HandleFunc("POST "+pagePath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q pageRequest) error {
			p, err := c.Page(r.Context(), q.Source, q.Name)
			if err != nil {
				return err
			}
			return out.send(message{Page: &p})
		})
	})
	mux.HandleFunc("POST "+searchPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q searchRequest) error {
			s, err := c.Search(r.Context(), q.Source, q.Query)
			if err != nil {
				return err
			}
			return out.send(message{Search: &s})
		})
	})
}

// Pages implements status.Shelf.
func (c client) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	return follow(ctx, c, pagesPath, pageRequest{Source: source}, func(m message) *status.PageList { return m.Pages })
}

// Page implements status.Shelf.
func (c client) Page(ctx context.Context, source, name string) (status.PageText, error) {
	return once(ctx, c, pagePath, pageRequest{source, name}, func(m message) *status.PageText { return m.Page })
}

// Search implements status.Shelf.
func (c client) Search(ctx context.Context, source, query string) (status.Search, error) {
	return once(ctx, c, searchPath, searchRequest{source, query}, func(m message) *status.Search { return m.Search })
}
