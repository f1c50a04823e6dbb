package pane

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// TestPagesAreListedOnce: who opens a page, searches, or closes the browser
// while the list still comes finds every page in it once when they are back,
// whatever of the list arrives late.
func TestPagesAreListedOnce(t *testing.T) {
	keys := DefaultKeys()
	list := func(w Query, next string, names ...string) Result {
		f := Result{Query: w, Pages: status.PageList{Total: 4, Next: next}}
		for _, n := range names {
			f.Pages.Pages = append(f.Pages.Pages, status.Page{Name: n, Size: 1})
		}
		return f
	}
	s := status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Ready}}, Sources: []status.Source{{Component: status.Component{Name: "notes"}}}}
	for name, away := range map[string]func(Sources) Sources{
		"a page": func(p Sources) Sources {
			b, _ := p.browse.openSelected()
			if w, ok := b.wantedQuery().(PageQuery); !ok || w.Page != "b" {
				t.Errorf("wants %v", b.wantedQuery())
			}
			b.page.open = false
			return p.withSourceBrowser(b)
		},
		"a search": func(p Sources) Sources {
			b, _, _ := p.browse.handleKey(Press{KeyPressMsg: tea.KeyPressMsg{Text: "S", Code: 'S'}})
			b, _, _ = b.handleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: tea.KeyEscape}})
			return p.withSourceBrowser(b)
		},
		"closed and opened": func(p Sources) Sources { return p.openSourceBrowser(false) },
		"read again":        func(p Sources) Sources { return p.withSourceBrowser(p.browse.refreshAll()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := NewSources(keys, time.UTC).SetSnapshot(s).(Resizer).Resize(80, 24).(Sources).openSourceBrowser(false)
			first := p.WantedQuery()
			p = p.TakeResult(list(first, "b", "a", "b")).(Sources)
			p.browse.list.cursor = 1
			second := p.WantedQuery()
			p = away(p)
			p = p.TakeResult(list(first, "b", "a", "b")).(Sources)
			p = p.TakeResult(list(second, "", "c", "d")).(Sources)
			for !p.browse.list.done {
				w := p.WantedQuery().(PagesQuery)
				if w.After == "" {
					p = p.TakeResult(list(w, "b", "a", "b")).(Sources)
				} else {
					p = p.TakeResult(list(w, "", "c", "d")).(Sources)
				}
			}
			l := p.browse.list
			if l.rowCount() != 4 || !l.done || l.err != nil || l.size != 4 || name == "a page" && l.selected().Name != "b" {
				t.Errorf("%d pages, done %t (%v), %q selected", l.rowCount(), l.done, l.err, l.selected().Name)
			}
		})
	}
}

// TestManyPages: of a source of a million pages the panel keeps the first, and the
// source finds the others by their names.
func TestManyPages(t *testing.T) {
	const million = 1_000_000
	answer := func(w PagesQuery) Result {
		from, step := 0, 1
		if w.Match != "" {
			step = 1000 // every thousandth matches
		}
		if w.After != "" {
			from, _ = strconv.Atoi(w.After)
		}
		f := Result{Query: w, Pages: status.PageList{Total: million / step}}
		for i := from; i < min(from+500*step, million); i += step {
			f.Pages.Pages = append(f.Pages.Pages, status.Page{Name: fmt.Sprintf("Page %d of many", i)})
		}
		if next := from + 500*step; next < million {
			f.Pages.Next = strconv.Itoa(next)
		}
		return f
	}
	b := newSourceBrowser(DefaultKeys(), time.UTC, "notes", 80, 24)
	asked := func() (queries int) {
		for !b.list.done {
			b = b.takeResult(answer(b.wantedQuery().(PagesQuery)))
			queries++
		}
		return queries
	}
	shows := func(want string) {
		t.Helper()
		if got := strings.Join(b.view(theme.New(theme.Mode{}), 80, 24), "\n"); !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if n := asked(); n != maxListedPages/500 || len(b.list.pages) != maxListedPages || b.list.err != nil {
		t.Errorf("%d queries, %d pages, %v", n, len(b.list.pages), b.list.err)
	}
	shows("the first 5,000 pages of 1,000,000 · / finds the others")
	b.list = b.list.withFilter(widget.NewFilterInput("0 OF"))
	if w := b.wantedQuery().(PagesQuery); w.Match != "0 OF" || w.After != "" {
		t.Errorf("the source is asked %+v", w)
	}
	if n := asked(); n != 2 || b.list.rowCount() != 1000 || b.list.pages[b.list.rows[999].page].Name != "Page 999000 of many" {
		t.Errorf("%d queries, %d pages match", n, b.list.rowCount())
	}
	shows("1,000 pages with that in the name")
	late := answer(b.pagesQuery())
	b.list = b.list.withFilter(widget.NewFilterInput(""))
	if b = b.takeResult(late); b.list.rowCount() > 0 {
		t.Error("what matched another filter is listed")
	}
	asked()
	shows("the first 5,000 pages")
	b = newSourceBrowser(DefaultKeys(), time.UTC, "notes", 80, 24)
	b.list = b.list.withFilter(widget.NewFilterInput("0 of")) // before anything came
	if asked(); b.list.match != "0 of" || b.list.rowCount() != 1000 {
		t.Errorf("a filter that was typed early finds %d pages by %q", b.list.rowCount(), b.list.match)
	}
}
