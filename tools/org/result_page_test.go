package org

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
)

// TestPageOfParts adds the parts of lists: the page is that of the whole list.
func TestPageOfParts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 1))
	for range 2000 {
		var parts [][]int
		var all []int
		for n := range r.IntN(8) {
			part := make([]int, r.IntN(5))
			for i := range part {
				part[i] = 10*n + i
			}
			parts, all = append(parts, part), append(all, part...)
		}
		pages, err := newPageRange(tools.Limit(1+r.IntN(6)), Cursor(strconv.Itoa(r.IntN(20))))
		if err != nil {
			t.Fatal(err)
		}
		var c resultPage[int]
		for _, part := range parts {
			c.add(part, pages)
		}
		want := cut(all, pages)
		if !slices.Equal(c.items, want.items) || c.total != want.total || c.next != want.next {
			t.Fatalf("parts %v, page %v: %v of %d, then %q; want %v of %d, then %q", parts, pages, c.items, c.total, c.next, want.items, want.total, want.next)
		}
	}
}

func TestPageRangeOfHostileCursors(t *testing.T) {
	t.Parallel()
	for _, cursor := range []Cursor{"9223372036854775807", "2147483647"} {
		pages, err := newPageRange(500, cursor)
		if page := cut([]int{1, 2, 3}, pages); err != nil || len(page.items) > 0 || page.total != 3 || page.next != "" {
			t.Errorf("cursor %s: %v, %v; want an empty page", cursor, page, err)
		}
	}
	for _, cursor := range []Cursor{"-1", "x", "9223372036854775808"} {
		if _, err := newPageRange(0, cursor); err == nil {
			t.Errorf("cursor %s: no error", cursor)
		}
	}
}

// TestAgendaPages goes through an agenda page by page: together they are the agenda
// of one page, although the collector drops what is behind each.
func TestAgendaPages(t *testing.T) {
	t.Parallel()
	s := openBench(t, benchFolder(t, 24, 100<<10))
	t.Cleanup(func() { _ = s.Close() })
	read := func(from, to int) agendaPage {
		t.Helper()
		span, err := s.agendaSpan("", 7)
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.agenda(t.Context(), nil, agendaRequest{span, pageRange{from, to}, func(orgagenda.Kind) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	list := func(page agendaPage) (out []string) {
		for _, e := range page.items {
			out = append(out, formatDay(e.Day)+" "+string(e.Kind)+" "+e.in.name+" "+strconv.Itoa(e.Headline)+" "+e.Time+e.Prefix)
		}
		return out
	}
	whole := read(0, 1<<20)
	if whole.total < 3*minKept { // else nothing is dropped
		t.Fatalf("%d entries are too few for this test", whole.total)
	}
	want := list(whole)
	for from := 0; from < whole.total; from += 97 {
		page := read(from, from+97)
		if diff := cmp.Diff(want[from:min(from+97, len(want))], list(page)); diff != "" || page.total != whole.total {
			t.Fatalf("page from %d of %d (-want +got):\n%s", from, page.total, diff)
		}
	}
}
