package index

import (
	"context"
	"slices"
)

// lists are the pages with each of the phrases that are scored. What they say of pages
// with all terms is complete; with all prefixes, or any, they are complete.
func (s *wordSearch) lists(ctx context.Context, how Match) ([][]pageCount, error) {
	switch {
	case how == NearWords:
		return s.spelledLists(ctx)
	case how == AllWords:
		return s.exactLists(ctx)
	}
	var err error
	if s.prefixes == nil {
		s.prefixes, err = s.prefixLists(ctx)
	}
	return s.prefixes, err
}

func (s *wordSearch) spelledLists(ctx context.Context) (all [][]pageCount, err error) {
	for _, phrase := range s.q.scored() {
		lists, err := s.readAll(ctx, phrase)
		if err != nil {
			return nil, err
		}
		all = append(all, phraseCounts(lists))
	}
	return all, nil
}

// phraseCounts is how often pages have a phrase, by the lists of its words.
func phraseCounts(lists []*wordList) []pageCount {
	if len(lists) == 1 {
		return lists[0].counts
	}
	return follow(lists).counts()
}

// exactLists returns nothing as soon as no page can have all terms. Phrases are read
// first, and then words, those first that fewest pages have: of the others only the places
// on pages that have all before are needed, for the phrase that all of them make.
func (s *wordSearch) exactLists(ctx context.Context) ([][]pageCount, error) {
	all := make([][]pageCount, len(s.q.Terms), len(s.q.Terms)+1)
	read := map[string]*wordList{}
	var words []string
	var of []int // of which term each word is
	var within *pageSet
	narrow := func(term int, list []pageCount) bool {
		if all[term] = list; within == nil {
			within = &pageSet{pages: pagesOf(list)}
		} else {
			within = &pageSet{pages: intersect(within.pages, list)}
		}
		return len(within.pages) > 0
	}
	for i, term := range s.q.Terms {
		if len(term) == 1 {
			words, of = append(words, term[0]), append(of, i)
			continue
		}
		lists, err := s.readAll(ctx, term)
		if err != nil || !narrow(i, phraseCounts(lists)) {
			return nil, err
		}
		for k, word := range term {
			read[word] = lists[k]
		}
	}
	order, err := s.shortestFirst(ctx, words)
	if err != nil {
		return nil, err
	}
	for _, k := range order {
		places := within
		if len(s.q.Terms) == 1 {
			places = new(pageSet) // there is no phrase
		}
		list, err := s.read(ctx, words[k], places)
		if err != nil || !narrow(of[k], list.counts) {
			return nil, err
		}
		read[words[k]] = list
	}
	if len(all) == 1 {
		return all, nil
	}
	var joined []*wordList
	for _, word := range slices.Concat(s.q.Terms...) {
		joined = append(joined, read[word])
	}
	return append(all, follow(joined).counts()), nil
}

// prefixLists counts phrases whose last word begins as that of the query. Words that
// begin alike are read once for all phrases.
func (s *wordSearch) prefixLists(ctx context.Context) ([][]pageCount, error) {
	var highest int // id of a page
	if err := s.c.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM pages").Scan(&highest); err != nil {
		return nil, err
	}
	scored := s.q.scored()
	counts := make([]*prefixCount, len(scored))
	byPrefix := map[string][]*prefixCount{}
	for i, phrase := range scored {
		last := len(phrase) - 1
		counts[i] = &prefixCount{counts: make([]uint32, highest+1)}
		if last > 0 {
			lists, err := s.readAll(ctx, phrase[:last])
			if err != nil {
				return nil, err
			}
			begun := follow(lists)
			if counts[i].phrase = &begun; len(begun.pages) == 0 {
				continue
			}
		}
		byPrefix[phrase[last]] = append(byPrefix[phrase[last]], counts[i])
	}
	for prefix, all := range byPrefix {
		if err := s.readPrefixes(ctx, prefix, all); err != nil {
			return nil, err
		}
	}
	lists := make([][]pageCount, len(counts))
	for i, c := range counts {
		lists[i] = c.list()
	}
	return lists, nil
}

// selected are the pages that a query finds by its lists, in order.
func (s *wordSearch) selected(how Match, lists [][]pageCount) []uint32 {
	if lists == nil {
		return nil
	}
	if how == AnyPrefix {
		return unite(lists[:len(s.q.Terms)]...)
	}
	var pages []uint32
	at := 0
	for i, words := range s.q.alternatives() {
		one := lists[at : at+len(words)]
		at += len(words)
		switch {
		case i == 0:
			pages = unite(one...)
		case len(one) == 1:
			pages = intersect(pages, one[0])
		default:
			pages = intersectPages(pages, unite(one...))
		}
	}
	return pages
}
