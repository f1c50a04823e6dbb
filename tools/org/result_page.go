package org

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strconv"

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

// add adds the next part of the list of which p is a page.
func (p *resultPage[T]) add(part []T, pages pageRange) {
	from, to := max(pages.from-p.total, 0), min(pages.to-p.total, len(part))
	if from < to {
		p.items = append(p.items, part[from:to]...)
	}
	p.total += len(part)
	p.next = pages.next(p.total)
}

// findInFiles answers a page of what find finds in the files of these names, in their
// order. find runs on all processors, for a few files at a time: of what is not on the
// page only the number is kept, because all headlines of a large collection together would
// need more memory than a source may use. A file that cannot be read is left out.
func findInFiles[T any](
	ctx context.Context, s *catalog, names []string, pages pageRange, find func(f *shownFile) []T,
) (page resultPage[T], err error) {
	for batch := range slices.Chunk(names, 16*runtime.GOMAXPROCS(0)) {
		parts := make([][]T, len(batch))
		if err := s.eachFile(ctx, batch, func(n int, f *shownFile) { parts[n] = find(f) }); err != nil {
			return resultPage[T]{}, err
		}
		for _, part := range parts {
			page.add(part, pages)
		}
	}
	return page, nil
}
