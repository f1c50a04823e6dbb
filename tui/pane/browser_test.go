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
	list := func(w Want, more bool, names ...string) Fact {
		f := Fact{Want: w, More: more, Pages: status.PageList{Total: 4}}
		for _, n := range names {
			f.Pages.Pages = append(f.Pages.Pages, status.Page{Name: n, Size: 1})
		}
		return f
	}
	s := status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Ready}}, Sources: []status.Source{{Component: status.Component{Name: "notes"}}}}
	for name, away := range map[string]func(Sources) Sources{
		"a page": func(p Sources) Sources {
			b, _ := p.browse.enter()
			if w, ok := b.wants().(PageIn); !ok || w.Page != "b" {
				t.Errorf("wants %v", b.wants())
			}
			b.page.open = false
			return p.opened(b)
		},
		"a search": func(p Sources) Sources {
			b, _, _ := p.browse.key(Press{KeyPressMsg: tea.KeyPressMsg{Text: "S", Code: 'S'}})
			b, _, _ = b.key(Press{KeyPressMsg: tea.KeyPressMsg{Code: tea.KeyEscape}})
			return p.opened(b)
		},
		"closed and opened": func(p Sources) Sources { return p.look(false) },
	} {
		t.Run(name, func(t *testing.T) {
			p := NewSources(keys, time.UTC).Show(s).(Sizer).Size(80, 24).(Sources).look(false)
			first := p.Wants()
			p = p.Learn(list(first, true, "a", "b")).(Sources)
			p.browse.list.cursor = 1
			p = away(p)
			if p.Wants() == first {
				t.Error("the list that is begun anew is told from the first by nothing")
			}
			p = p.Learn(list(first, true, "c", "d")).(Sources)
			again := p.Wants()
			p = p.Learn(list(again, true, "a", "b")).(Sources)
			p = p.Learn(list(again, true, "c", "d")).(Sources)
			p = p.Learn(list(again, false)).(Sources)
			l := p.browse.list
			if l.len() != 4 || !l.done || l.err != nil || l.size != 4 || name == "a page" && l.selected().Name != "b" {
				t.Errorf("%d pages, done %t (%v), %q selected", l.len(), l.done, l.err, l.selected().Name)
			}
		})
	}
}
