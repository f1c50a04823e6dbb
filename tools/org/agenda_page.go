package org

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
)

// An agendaRequest says which entries of an agenda are wanted.
type agendaRequest struct {
	span  orgagenda.Span
	pages pageRange
	wants func(orgagenda.Kind) bool
}

// An agendaPage is a page of an agenda.
type agendaPage struct {
	resultPage[foundEntry]
	unsupported []string // diary expressions
}

// A foundEntry is an entry of an agenda. Its View is nil until the entry is shown.
type foundEntry struct {
	orgagenda.Entry
	in *shownFile
}

func compareFound(a, b foundEntry) int { return orgagenda.Compare(a.Entry, b.Entry) }

// maxUnsupported bounds how many diary expressions are named.
const maxUnsupported = 20

// An agendaCollector gathers the page of an agenda whose files come in any order. It
// keeps no more than twice the entries up to the end of the page.
type agendaCollector struct {
	agendaRequest
	mu          sync.Mutex
	entries     []foundEntry
	last        *foundEntry // what comes behind it is not on the page; nil: not known yet
	total       int
	unsupported map[int][]string // by number of the file
}

// minKept is how many entries are kept at least, so that they are not sorted for each
// that comes.
const minKept = 256

// add adds the entries of file n.
func (c *agendaCollector) add(n int, f *shownFile) {
	list := orgagenda.List(f.calendar(), c.span)
	var unsupported []string
	for _, u := range f.calendar().Unsupported() {
		if len(unsupported) < maxUnsupported {
			unsupported = append(unsupported, fmt.Sprintf("%s:%d %.200s", f.name, f.Line(int(f.Headlines[u.Headline].Begin)), u.Expression))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(unsupported) > 0 {
		c.unsupported[n] = unsupported
	}
	for i := range list {
		if !c.wants(list[i].Kind) {
			continue
		}
		c.total++
		list[i].View, list[i].File = nil, n
		e := foundEntry{list[i], f}
		if c.last != nil && compareFound(e, *c.last) > 0 {
			continue
		}
		c.entries = append(c.entries, e)
		if len(c.entries) >= 2*max(c.pages.to, minKept) {
			c.cut()
		}
	}
}

// cut sorts the entries and drops those behind the page.
func (c *agendaCollector) cut() {
	slices.SortFunc(c.entries, compareFound)
	if len(c.entries) < c.pages.to {
		return
	}
	clear(c.entries[c.pages.to:])
	c.entries = c.entries[:c.pages.to]
	last := c.entries[c.pages.to-1]
	c.last = &last
}

func (c *agendaCollector) page() agendaPage {
	c.cut()
	out := agendaPage{resultPage: resultPage[foundEntry]{c.entries[min(c.pages.from, len(c.entries)):], c.total, c.pages.next(c.total)}}
	for _, n := range slices.Sorted(maps.Keys(c.unsupported)) {
		out.unsupported = append(out.unsupported, c.unsupported[n]...)
	}
	out.unsupported = out.unsupported[:min(len(out.unsupported), maxUnsupported)]
	return out
}

// agenda makes a page of the agenda of the files of these names; of all but archives
// for none.
func (s *agendaReader) agenda(ctx context.Context, files []string, want agendaRequest) (agendaPage, error) {
	names, err := s.agendaFiles(ctx, files)
	if err != nil {
		return agendaPage{}, err
	}
	c := agendaCollector{agendaRequest: want, unsupported: map[int][]string{}}
	if err := s.eachFile(ctx, names, c.add); err != nil {
		return agendaPage{}, err
	}
	return c.page(), nil
}
