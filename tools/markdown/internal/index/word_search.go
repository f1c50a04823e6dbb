package index

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A wordSearch finds the pages of a query by the lists of its words.
type wordSearch struct {
	*wordReader

	sizes    *pageSizes
	q        Query
	where    string // a condition on pages p
	args     []any
	prefixes [][]pageCount // of the words that begin so; nil: they were not read
}

// findWords finds pages by words, and ranks them as FTS5's bm25 does. The condition
// selects among them.
func (x *Index) findWords(ctx context.Context, q Query, where string, args []any, offset, limit int) (
	hits []Hit, total int, how Match, err error,
) {
	first, last := AllWords, AnyPrefix
	if q.Spellings != nil {
		first, last = NearWords, NearWords
	}
	err = x.db.Read(ctx, func(c *sqlstore.Conn) error {
		s, err := x.newWordSearch(ctx, c, q, where, args)
		if err != nil {
			return err
		}
		defer s.close()
		for how = first; err == nil && total == 0 && how <= last; how++ {
			hits, total, err = s.find(ctx, how, offset, limit)
		}
		how-- // that was the last
		return err
	})
	return hits, total, how, err
}

func (x *Index) newWordSearch(ctx context.Context, c *sqlstore.Conn, q Query, where string, args []any) (*wordSearch, error) {
	words, err := x.readWords(ctx, c)
	return &wordSearch{wordReader: words, sizes: &x.sizes, q: q, where: where, args: args}, err
}

// find returns the pages that match in one way.
func (s *wordSearch) find(ctx context.Context, how Match, offset, limit int) (hits []Hit, total int, err error) {
	lists, err := s.lists(ctx, how)
	if err != nil {
		return nil, 0, err
	}
	pages := s.selected(how, lists)
	order, err := s.filter(ctx, pages)
	if err != nil {
		return nil, 0, err
	}
	if order != nil {
		pages = slices.DeleteFunc(pages, func(page uint32) bool { _, is := order[page]; return !is })
	}
	if len(pages) == 0 {
		return nil, 0, nil
	}
	best, err := s.rank(ctx, lists, pages, order, offset+limit)
	if err == nil {
		hits, err = s.hits(ctx, best[min(offset, len(best)):])
	}
	return hits, len(pages), err
}

// filter returns which of some pages the condition selects, and their order by name; nil:
// it selects all.
func (s *wordSearch) filter(ctx context.Context, pages []uint32) (map[uint32]int, error) {
	if s.where == allPages {
		return nil, nil
	}
	order := map[uint32]int{}
	if len(pages) == 0 {
		return order, nil
	}
	list, err := json.Marshal(pages)
	if err != nil {
		return nil, err
	}
	_, err = sqlstore.Select(ctx, s.c, func(r sqlstore.Row) (struct{}, error) {
		var page uint32
		err := r.Scan(&page)
		order[page] = len(order)
		return struct{}{}, err
	}, "SELECT p.id FROM pages p WHERE "+s.where+" AND p.id IN (SELECT value FROM json_each(?)) ORDER BY p.file",
		append(slices.Clone(s.args), string(list))...)
	return order, err
}

// hits are the files of ranked pages.
func (s *wordSearch) hits(ctx context.Context, best []rankedPage) ([]Hit, error) {
	pages, scores := make([]uint32, len(best)), make(map[uint32]float64, len(best))
	for i, b := range best {
		pages[i], scores[b.page] = b.page, b.score
	}
	list, err := json.Marshal(pages)
	if err != nil {
		return nil, err
	}
	hits, err := sqlstore.Select(ctx, s.c, func(r sqlstore.Row) (h Hit, err error) {
		var page uint32
		err = r.Scan(&page, &h.File)
		h.Score = scores[page]
		return h, err
	}, "SELECT id, file FROM pages WHERE id IN (SELECT value FROM json_each(?))", string(list))
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.File, b.File)) })
	return hits, err
}
