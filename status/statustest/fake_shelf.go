package statustest

import (
	"context"

	"github.com/lectern-mcp/lectern/status"
)

// shelf is what a Fake has to read.
type shelf struct {
	pages  []status.PageList
	page   status.PageText
	search status.Search
}

// SetPages makes lists what Pages delivers, for every source.
func (f *Fake) SetPages(lists ...status.PageList) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shelf.pages = lists
}

// SetPage makes p what Page answers, for every name.
func (f *Fake) SetPage(p status.PageText) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shelf.page = p
}

// SetSearch makes s what Search answers, for every query.
func (f *Fake) SetSearch(s status.Search) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shelf.search = s
}

// Pages implements status.Shelf.
func (f *Fake) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "pages", Source: source})
	if f.err != nil {
		return nil, f.err
	}
	return handOut(ctx, f.shelf.pages), nil
}

// Page implements status.Shelf.
func (f *Fake) Page(_ context.Context, source, name string) (status.PageText, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "page", Source: source, Name: name})
	return f.shelf.page, f.err
}

// Search implements status.Shelf.
func (f *Fake) Search(_ context.Context, source, query string) (status.Search, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "search", Source: source, Name: query})
	return f.shelf.search, f.err
}
