package index

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A pageCount says how often a page has a word or a phrase, weighted by where.
type pageCount struct{ page, count uint32 }

// A wordList has the pages with a word, in order.
type wordList struct{ counts []pageCount }

// A wordReader reads lists of words in one state of the index.
type wordReader struct {
	c        *sqlstore.Conn
	segments []segment // those of the oldest pages first
	unused   *unusedLists
	lists    []*wordList // that close gives back
	matches  []*phraseMatch
}

func (x *Index) readWords(ctx context.Context, c *sqlstore.Conn) (*wordReader, error) {
	segments, err := readSegments(ctx, c)
	slices.Reverse(segments)
	return &wordReader{c: c, segments: segments, unused: &x.unused}, err
}

// close gives back all lists that were read.
func (r *wordReader) close() {
	for _, list := range r.lists {
		r.unused.words.Put(list)
	}
	for _, m := range r.matches {
		r.unused.phrases.Put(m)
	}
}

// unusedLists are those of searches before, which have grown already.
type unusedLists struct {
	words   sync.Pool // of *wordList
	phrases sync.Pool // of *phraseMatch
}

func (r *wordReader) newList() *wordList {
	list, ok := r.unused.words.Get().(*wordList)
	if !ok {
		list = new(wordList)
	}
	r.lists = append(r.lists, list)
	list.counts = list.counts[:0]
	return list
}

func (r *wordReader) newMatch() *phraseMatch {
	m, ok := r.unused.phrases.Get().(*phraseMatch)
	if !ok {
		m = new(phraseMatch)
	}
	r.matches = append(r.matches, m)
	m.pages, m.raw, m.starts, m.words = m.pages[:0], m.raw[:0], m.starts[:0], 0
	m.narrowed, m.narrowedStarts = m.narrowed[:0], m.narrowedStarts[:0]
	return m
}

// read reads the list of a word. What it visits is visited in no certain order.
func (r *wordReader) read(ctx context.Context, word string, visit func(page uint32, places []byte)) ([]pageCount, error) {
	list := r.newList()
	err := r.scanWord(ctx, word, func(page uint32, places []byte) {
		list.counts = append(list.counts, pageCount{page, weigh(places)})
		visit(page, places)
	})
	sortByPage(list.counts, func(c pageCount) uint32 { return c.page })
	return list.counts, err
}

// scanWord visits the pages that have a word: those of each segment in order.
func (r *wordReader) scanWord(ctx context.Context, word string, visit func(page uint32, places []byte)) error {
	key := []byte(word)
	return r.scan(ctx, word, func(found []byte) wordChoice {
		switch bytes.Compare(found, key) {
		case -1:
			return skipWord
		case 0:
			return readWord
		}
		return endScan
	}, visit)
}

// scan scans all segments.
func (r *wordReader) scan(ctx context.Context, from string, choose func(word []byte) wordChoice, visit func(uint32, []byte)) error {
	for _, s := range r.segments {
		if err := s.scan(ctx, r.c, from, choose, &listReader{visit: visit}); err != nil {
			return err
		}
	}
	return nil
}

// leaves is about how many leaves the list of a word has.
func (r *wordReader) leaves(ctx context.Context, word string) (sum uint64, err error) {
	for _, s := range r.segments {
		if s.first == s.last {
			continue
		}
		first, err := s.leafOf(ctx, r.c, word)
		if err != nil {
			return 0, err
		}
		next := s.last
		entry, err := sqlstore.Select(ctx, r.c, func(r sqlstore.Row) (entry int64, err error) { return entry, r.Scan(&entry) },
			"SELECT pgno FROM words_idx WHERE segid = ? AND term > ? ORDER BY term LIMIT 1", int64(s.id), wordKey(word))
		if err != nil {
			return 0, err
		}
		if len(entry) > 0 {
			next = uint64(entry[0]) >> 1
		}
		sum += max(next, first) - first
	}
	return sum, nil
}

// shortestFirst orders words by the length of their lists.
func (r *wordReader) shortestFirst(ctx context.Context, words []string) ([]int, error) {
	order, leaves := make([]int, len(words)), make([]uint64, len(words))
	if len(words) == 1 {
		return order, nil
	}
	for i, word := range words {
		var err error
		if leaves[i], err = r.leaves(ctx, word); err != nil {
			return nil, err
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(leaves[a], leaves[b]) })
	return order, nil
}

// sortByPage sorts what is nearly always in order: pages get ever higher ids, and
// segments are merged with those that were written before or after.
func sortByPage[T any](all []T, page func(T) uint32) {
	byPage := func(a, b T) int { return cmp.Compare(page(a), page(b)) }
	if !slices.IsSortedFunc(all, byPage) {
		slices.SortFunc(all, byPage)
	}
}

// A pageSet has pages in order. It is asked for one page after the other.
type pageSet struct {
	pages []uint32
	at    int
}

func (s *pageSet) has(page uint32) bool {
	if s.at > 0 && s.pages[s.at-1] >= page {
		s.at = 0 // another list
	}
	for s.at < len(s.pages) && s.pages[s.at] < page {
		s.at++
	}
	return s.at < len(s.pages) && s.pages[s.at] == page
}

// pagesOf are the pages of a list.
func pagesOf(list []pageCount) []uint32 {
	pages := make([]uint32, len(list))
	for i, c := range list {
		pages[i] = c.page
	}
	return pages
}

// intersect returns the pages that are in both.
func intersect(pages []uint32, list []pageCount) []uint32 {
	both := make([]uint32, 0, min(len(pages), len(list)))
	if len(pages) < len(list)/32 {
		for _, page := range pages {
			at, found := findPage(list, page)
			if list = list[at:]; found {
				both = append(both, page)
			}
		}
		return both
	}
	set := pageSet{pages: pages}
	for _, c := range list {
		if set.has(c.page) {
			both = append(both, c.page)
		}
	}
	return both
}

func intersectPages(a, b []uint32) []uint32 {
	set := pageSet{pages: b}
	return slices.DeleteFunc(a, func(page uint32) bool { return !set.has(page) })
}

func findPage(list []pageCount, page uint32) (at int, found bool) {
	return slices.BinarySearchFunc(list, page, func(c pageCount, page uint32) int { return cmp.Compare(c.page, page) })
}

// unite returns the pages that are in any of some lists, in order.
func unite(lists ...[]pageCount) []uint32 {
	if len(lists) == 1 {
		return pagesOf(lists[0])
	}
	var all []uint32
	for _, list := range lists {
		all = append(all, pagesOf(list)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
