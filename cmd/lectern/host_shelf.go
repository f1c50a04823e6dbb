package main

import (
	"context"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// shelf is what is in the sources of this hub: status.Shelf.
type shelf struct{ *host }

// Pages implements status.Shelf.
func (s shelf) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	pages, err := s.hub.Pages(ctx, source)
	return pages, refusal(err)
}

// Page implements status.Shelf.
func (s shelf) Page(ctx context.Context, source, name string) (status.PageText, error) {
	p, err := s.hub.Page(ctx, source, name)
	return p, refusal(err)
}

// Search implements status.Shelf.
func (s shelf) Search(ctx context.Context, source, query string) (status.Search, error) {
	found, err := s.hub.Search(ctx, source, query)
	return found, refusal(err)
}

// refusal is err as it travels; nil stays nil.
func refusal(err error) error {
	if e := tools.AsError(err); e != nil {
		return callError(e)
	}
	return nil
}
