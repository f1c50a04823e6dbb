package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A rankedPage is a page that matches, and how well.
type rankedPage struct {
	page  uint32
	order int // among pages of one score
	score float64
}

// rank returns the best pages, at most limit.
func (s *wordSearch) rank(ctx context.Context, lists [][]pageCount, pages []uint32, order map[uint32]int, limit int) ([]rankedPage, error) {
	total, average, err := readTotals(ctx, s.c)
	if err != nil {
		return nil, err
	}
	sizes, err := s.sizes.of(ctx, s.c, pages)
	if err != nil {
		return nil, err
	}
	rarities := make([]float64, len(lists))
	for k, list := range lists {
		rows := float64(len(list))
		if rarities[k] = math.Log((total - rows + 0.5) / (rows + 0.5)); rarities[k] <= 0 {
			rarities[k] = 1e-6
		}
	}
	best := bestPages{limit: limit}
	rest := slices.Clone(lists)
	for i, page := range pages {
		score := 0.0
		for k := range rest {
			if rest[k] = skipCounts(rest[k], page); len(rest[k]) > 0 && rest[k][0].page == page {
				n := float64(rest[k][0].count)
				score += rarities[k] * (n * 2.2 / (n + 1.2*(1-0.75+0.75*float64(sizes[i])/average)))
			}
		}
		at := i
		if order != nil {
			at = order[page]
		}
		best.add(rankedPage{page, at, -score})
	}
	return best.list(), nil
}

// skipCounts leaves out the pages before one, which are few or many.
func skipCounts(list []pageCount, page uint32) []pageCount {
	step := 1
	for step < len(list) && list[step].page < page {
		step *= 2
	}
	if step == 1 {
		if len(list) > 0 && list[0].page < page {
			return list[1:]
		}
		return list
	}
	list = list[step/2:]
	at, _ := findPage(list[:min(len(list), step+1)], page)
	return list[at:]
}

// readTotals returns how many pages FTS5 has, and how many words are on one of average
// length.
func readTotals(ctx context.Context, c *sqlstore.Conn) (pages, average float64, err error) {
	block, err := readBlock(ctx, c, totalsBlock)
	r := blockReader{rest: block}
	pages = float64(r.next())
	words := 0.0
	for range weights {
		words += float64(r.next())
	}
	if err == nil && r.failed {
		err = errWordsDamaged
	}
	return pages, words / pages, err
}

// bestPages keeps the best of the pages that it is given.
type bestPages struct {
	limit int
	pages []rankedPage
	worst *rankedPage // of those that were the best so far; nil: they are fewer than limit
}

func compareRanked(a, b rankedPage) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.order, b.order))
}

func (b *bestPages) add(p rankedPage) {
	if b.worst != nil && compareRanked(p, *b.worst) > 0 {
		return
	}
	if b.pages = append(b.pages, p); len(b.pages) >= 2*b.limit+100 {
		b.list()
	}
}

// list are the best, in order.
func (b *bestPages) list() []rankedPage {
	slices.SortFunc(b.pages, compareRanked)
	if len(b.pages) >= b.limit && b.limit > 0 {
		b.pages = b.pages[:b.limit]
		worst := b.pages[b.limit-1]
		b.worst = &worst
	} else if b.limit == 0 {
		b.pages = nil
	}
	return b.pages
}
