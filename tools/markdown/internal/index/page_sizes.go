package index

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// pageSizes keeps how many words are on each page: to ask for those of each page that
// matches takes as long as all else. The ids of pages are never used twice while an index
// is open, so what was read of a page stays true.
type pageSizes struct {
	mu    sync.Mutex
	words []uint32 // by page
}

// fewPages is for how many pages sizes are asked one by one, as long as nobody has read
// all.
const fewPages = 200

// of are the sizes of these pages.
func (s *pageSizes) of(ctx context.Context, c *sqlstore.Conn, pages []uint32) ([]uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := make([]uint32, len(pages))
	last := int(slices.Max(pages))
	if len(s.words) == 0 && len(pages) <= fewPages {
		list, err := json.Marshal(pages)
		if err != nil {
			return nil, err
		}
		return sizes, eachSize(ctx, c, func(page, size uint32) {
			at, _ := slices.BinarySearch(pages, page)
			sizes[at] = size
		}, "SELECT id, sz FROM words_docsize WHERE id IN (SELECT value FROM json_each(?))", string(list))
	}
	if last >= len(s.words) {
		known := max(len(s.words)-1, 0)
		if err := eachSize(ctx, c, func(page, size uint32) {
			for int(page) >= len(s.words) {
				s.words = append(s.words, 0)
			}
			s.words[page] = size
		}, "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id", known); err != nil {
			return nil, err
		}
	}
	for i, page := range pages {
		if int(page) >= len(s.words) {
			return nil, errWordsDamaged
		}
		sizes[i] = s.words[page]
	}
	return sizes, nil
}

func eachSize(ctx context.Context, c *sqlstore.Conn, visit func(page, size uint32), query string, args ...any) error {
	_, err := sqlstore.Select(ctx, c, func(row sqlstore.Row) (struct{}, error) {
		var page uint32
		var columns []byte
		if err := row.Scan(&page, &columns); err != nil {
			return struct{}{}, err
		}
		size := uint64(0)
		for r := (blockReader{rest: columns}); len(r.rest) > 0; size += r.next() {
			if r.failed {
				return struct{}{}, errWordsDamaged
			}
		}
		visit(page, uint32(size)) //nolint:gosec // a page has less than 4 G words
		return struct{}{}, nil
	}, query, args...)
	return err
}
