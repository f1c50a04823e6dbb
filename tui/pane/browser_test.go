package pane

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

// TestPagesAreListedOnce: who opens a page, searches, or closes the browser
// while the list still comes finds every page in it once when they are back,
// whatever of the first list arrives late.
func TestPagesAreListedOnce(t *testing.T) {
	keys := DefaultKeys()
	list := func(w Query, more bool, names ...string) Result {
		f := Result{Query: w, More: more, Pages: status.PageList{Total: 4}}
		for _, n := range names {
			f.Pages.Pages = append(f.Pages.Pages, status.Page{Name: n, Size: 1})
		}
		return f
	}
	s := status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Ready}}, Sources: []status.Source{{Component: status.Component{Name: "notes"}}}}
	for name, away := range map[string]func(Sources) Sources{
		"a page": func(p Sources) Sources {
			b, _ := p.browse.enter()
			if w, ok := b.nextQuery().(PageQuery); !ok || w.Page != "b" {
				t.Errorf("wants %v", b.nextQuery())
			}
			b.page.open = false
			return p.withBrowser(b)
		},
		"a search": func(p Sources) Sources {
			b, _, _ := p.browse.handleKey(Press{KeyPressMsg: tea.KeyPressMsg{Text: "S", Code: 'S'}})
			b, _, _ = b.handleKey(Press{KeyPressMsg: tea.KeyPressMsg{Code: tea.KeyEscape}})
			return p.withBrowser(b)
		},
		"closed and opened": func(p Sources) Sources { return p.openBrowser(false) },
	} {
		t.Run(name, func(t *testing.T) {
			p := NewSources(keys, time.UTC).Show(s).(Resizer).Resize(80, 24).(Sources).openBrowser(false)
			first := p.NextQuery()
			p = p.TakeResult(list(first, true, "a", "b")).(Sources)
			p.browse.list.cursor = 1
			p = away(p)
			if p.NextQuery() == first {
				t.Error("the list that is begun again looks like the first")
			}
			p = p.TakeResult(list(first, true, "c", "d")).(Sources)
			again := p.NextQuery()
			p = p.TakeResult(list(again, true, "a", "b")).(Sources)
			p = p.TakeResult(list(again, true, "c", "d")).(Sources)
			p = p.TakeResult(list(again, false)).(Sources)
			l := p.browse.list
			if l.len() != 4 || !l.done || l.err != nil || l.size != 4 || name == "a page" && l.selected().Name != "b" {
				t.Errorf("%d pages, done %t (%v), %q selected", l.len(), l.done, l.err, l.selected().Name)
			}
		})
	}
}
