package org

import (
	"context"
	"math"
	"strconv"
	"sync"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// defaultPage is how many results a list answers without a limit.
const defaultPage = 50

// A pageRange is which results of a list are answered, by their number from 0.
type pageRange struct{ from, to int }

func newPageRange(limit tools.Limit, cursor Cursor) (pageRange, error) {
	from, err := cursor.offset()
	from = min(from, math.MaxInt32)
	if limit <= 0 {
		limit = defaultPage
	}
	return pageRange{from, from + int(limit)}, err
}

// next is the cursor of what follows the page in a list of total results.
func (r pageRange) next(total int) Cursor {
	if r.to >= total {
		return ""
	}
	return Cursor(strconv.Itoa(r.to))
}

// A resultPage is a part of a list, with the number of all that there are.
type resultPage[T any] struct {
	items []T
	total int
	next  Cursor
}

// cut is a page of a list.
func cut[T any](all []T, pages pageRange) resultPage[T] {
	return resultPage[T]{all[min(pages.from, len(all)):min(pages.to, len(all))], len(all), pages.next(len(all))}
}

// A pageCollector gathers the page of a list whose parts come in any order. Of what
// is not on the page it keeps only the number: all headlines of a large collection
// together would need more memory than a source may use.
type pageCollector[T any] struct {
	pages   pageRange
	mu      sync.Mutex
	parts   int         // how many were added in order
	waiting map[int][]T // parts that came before one in front of them
	items   []T
	total   int
}

// add adds part n of the list.
func (c *pageCollector[T]) add(n int, part []T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[n] = part
	for part, ok := c.waiting[c.parts]; ok; part, ok = c.waiting[c.parts] {
		from, to := max(c.pages.from-c.total, 0), min(c.pages.to-c.total, len(part))
		if from < to {
			c.items = append(c.items, part[from:to]...)
		}
		c.total += len(part)
		delete(c.waiting, c.parts)
		c.parts++
	}
}

// findInFiles answers a page of what find finds in the files of these names, in their
// order. find runs on all processors. A file that cannot be read is left out.
func findInFiles[T any](
	ctx context.Context, s *catalog, names []string, pages pageRange, find func(f *shownFile) []T,
) (resultPage[T], error) {
	c := pageCollector[T]{pages: pages, waiting: map[int][]T{}}
	err := folder.ForEach(ctx, len(names), func(n int) {
		var part []T
		if f, err := s.file(names[n]); err == nil {
			part = find(f)
		}
		c.add(n, part)
	})
	return resultPage[T]{c.items, c.total, pages.next(c.total)}, err
}
