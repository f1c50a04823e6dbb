package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// A fakePages has the pages of a fakeQueries.
type fakePages struct {
	pages   []status.PageList
	page    status.PageText
	found   status.Search
	foundIn map[string]pane.SourceSearchResult // by source, where one has its own
	after   map[string]time.Duration           // by source: how long its search takes
	read    []string                           // sources and pages, sources and queries
	links   map[string]status.PageLinks        // by page
	hold    chan struct{}                      // what Page waits for; nil: nothing
	left    int                                // who waited for a page and gave up
}

// Pages answers status.PagesQuery: Next is the number of the next list. After any
// other text, which a test has filled in, come more pages than a panel keeps, in one
// list: it arranges all that it has after each.
func (c *fakeQueries) Pages(_ context.Context, f status.PageFilter) (status.PageList, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := 0, error(nil)
	if f.After != "" {
		n, err = strconv.Atoi(f.After)
	} else {
		c.pages.read = append(c.pages.read, f.Source)
	}
	switch {
	case c.err != nil:
		return status.PageList{}, c.err
	case n >= len(c.pages.pages):
		return status.PageList{}, errors.New("connection to the hub lost")
	}
	list := c.pages.pages[n]
	if total := list.Total; total > len(list.Pages) && n == 0 {
		list.Next = strconv.Itoa(n + 1)
	}
	if err != nil {
		list.Pages = append(slices.Clone(list.Pages), slices.Repeat([]status.Page{{Name: "page"}}, 5000)...)
	}
	return list, nil
}

// Page answers status.PageQuery.
func (c *fakeQueries) Page(ctx context.Context, p status.PageRef) (status.PageText, error) {
	c.mu.Lock()
	c.pages.read = append(c.pages.read, p.Source+" "+p.Name)
	hold := c.pages.hold
	c.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			c.pages.left++
			return status.PageText{}, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages.page, c.err
}

// PageLinks answers status.PageLinksQuery.
func (c *fakeQueries) PageLinks(_ context.Context, p status.PageRef) (status.PageLinks, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages.links[p.Name], c.err
}

// Search answers status.SearchQuery.
func (c *fakeQueries) Search(ctx context.Context, q status.SearchText) (status.Search, error) {
	c.mu.Lock()
	after := c.pages.after[q.Source]
	c.mu.Unlock()
	select {
	case <-time.After(after):
	case <-ctx.Done():
		return status.Search{}, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages.read = append(c.pages.read, q.Source+" "+q.Text)
	if own, ok := c.pages.foundIn[q.Source]; ok {
		return own.Search, own.Err
	}
	return c.pages.found, c.err
}

// somePages has pages of all kinds of names.
func somePages() (b fakePages) {
	at := noon.Add(-3 * time.Hour)
	list := status.PageList{Total: 42, Pages: []status.Page{
		{Name: "Ideas.md", Size: 812, Modified: at}, {Name: "Journal/2026-11-21.md", Size: 5_242_880, Modified: noon}, {Name: "会議/日本語の長い名前のページ.md", Size: 90},
	}}
	for i := range 37 {
		list.Pages = append(list.Pages, status.Page{Name: fmt.Sprintf("Projects/A folder with a long name/Sub/Page %02d.md", i), Size: int64(i * i * 977), Modified: at.AddDate(0, 0, -i)})
	}
	b.pages = []status.PageList{list, {Total: 42, Pages: []status.Page{{Name: "Zettel.md"}, {Name: "old/2019.md", Modified: at.AddDate(-7, 0, 0)}}}}
	b.page = status.PageText{
		MIME: "text/markdown", Size: 5_242_880,
		Text: "---\ntitle: Alpha\n---\n# 会議の記録\n\nA *first* paragraph with `code`, a [link](https://example.org/a) and a text that is long enough to be broken.\n\n" +
			"| Name | Amount |\n|---|--:|\n| 日本 | 1,204 |\n| water the plants | 7 |\n\n- one\n  - nested\n- [x] done\n\n> a quote\n\n" +
			"```go\nfunc main() { fmt.Println(\"a line of code that goes on for quite a while\") }\n```\n\n" +
			strings.Repeat("More of it. ", 60) + "\n\nThe architecture diagram is below.\n",
	}
	b.links = map[string]status.PageLinks{"Zettel.md": {
		Out: []status.PageLink{{Page: "Ideas.md", Line: 3}, {Text: "Projekts (broken)", Line: 4}},
		In:  []status.PageLink{{Page: "Journal/2026-11-21.md", Line: 7}},
	}}
	b.found = status.Search{
		Tool: "search_pages", Args: json.RawMessage(`{"query":"diagram"}`), Bytes: 1204,
		Hits: []status.Hit{
			{Page: "Projects/Alpha.md", Line: 11, Text: "The architecture diagram is below, and this goes on and on until it does not fit any more"},
			{Page: "会議/日本語.md", Text: "図 diagram"},
			{Text: "diagram.png"},
		},
	}
	return b
}
